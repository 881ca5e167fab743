// vestige::RecordReader: a file, and a cursor on it.
#include "archive/file_stream.h"
#include "archive/record_cursor.h"
#include "vestige/compress.h"

namespace vestige {

struct RecordReader::State {
  std::unique_ptr<FileSource> source;
  RecordCursor cursor;
  std::vector<Field> fields;
};

RecordReader::RecordReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordReader::RecordReader(RecordReader&&) noexcept = default;
RecordReader& RecordReader::operator=(RecordReader&&) noexcept = default;
RecordReader::~RecordReader() = default;

Result<RecordReader> RecordReader::open(const std::string& path, unsigned threads) {
  auto source = FileSource::open(path);
  if (!source) return std::unexpected(source.error());
  auto cursor = RecordCursor::open(**source, registered_codecs(), decoding_threads(threads));
  if (!cursor) return std::unexpected(cursor.error());
  auto state =
      std::make_unique<State>(State{std::move(*source), std::move(*cursor), std::vector<Field>()});
  const ArchiveHeader& header = state->cursor.header();
  for (size_t f = 0; f < header.layout.fields.size(); ++f) {
    const RecordField& field = header.layout.fields[f];
    state->fields.push_back(
        {field.name, field.width, field.is_pc, header.errors.empty() ? 0 : header.errors[f]});
  }
  return RecordReader(std::move(state));
}

const std::vector<RecordReader::Field>& RecordReader::fields() const { return state_->fields; }
size_t RecordReader::record_bytes() const { return state_->cursor.header().layout.width(); }
std::optional<uint64_t> RecordReader::records() const { return state_->cursor.records(); }
const char* RecordReader::found_by() const { return name_of(state_->cursor.way()); }

Result<void> RecordReader::seek(uint64_t record) {
  if (record == 0) return fail(ErrorKind::usage, "records count from 1");
  return state_->cursor.seek(record - 1);
}

Result<std::span<const uint8_t>> RecordReader::read(uint64_t most) {
  return state_->cursor.read(most);
}

}  // namespace vestige
