#include "archive/record_cursor.h"

namespace vestige {

const char* name_of(RecordCursor::Way way) {
  switch (way) {
    case RecordCursor::Way::directory:
      return "directory";
    case RecordCursor::Way::blocks:
      return "blocks";
    case RecordCursor::Way::start:
      break;
  }
  return "start";
}

Result<RecordCursor> RecordCursor::open(ByteSource& source, const CodecSet& codecs,
                                        unsigned threads) {
  auto opened = BlockReader::open(source, codecs, threads);
  if (!opened) return std::unexpected(opened.error());
  return over(source, std::move(*opened));
}

Result<RecordCursor> RecordCursor::over(ByteSource& source, BlockReader opened) {
  RecordCursor self(source, std::move(opened));
  const uint64_t header_bytes = self.opened_.archive().header_bytes();
  if (!source.from(header_bytes)) return self;
  if (self.header().major > 1) {
    auto found = find_directory(source, header_bytes);
    if (!found) return std::unexpected(found.error());
    self.directory_ = std::move(*found);
    self.way_ = Way::directory;
  }
  if (!self.directory_) {
    auto walked = walk_blocks(source, self.header(), header_bytes);
    if (!walked) return std::unexpected(walked.error());
    self.directory_ = std::move(*walked);
    self.way_ = Way::blocks;
  }
  return self;
}

std::optional<uint64_t> RecordCursor::records() const {
  if (directory_) return directory_->records;
  if (ended_) return reader().archive().records();
  return std::nullopt;
}

std::unexpected<Error> RecordCursor::no_such(uint64_t record, uint64_t all) const {
  return fail(ErrorKind::usage, source_.name() + " has " + std::to_string(all) +
                                    " records; there is no record " + std::to_string(record + 1));
}

bool RecordCursor::holds(uint64_t record) const {
  return block_rows_ > 0 && record >= block_first_ && record - block_first_ < block_rows_;
}

Result<void> RecordCursor::seek(uint64_t record) {
  if (const auto all = records(); all && record > *all) return no_such(record, *all);
  if (!directory_ && record < record_ && !holds(record))
    return fail(ErrorKind::usage, source_.name() + " can be read from its start only");
  if (directory_ && record < directory_->records && !holds(record)) {
    const size_t s = directory_->section_of(record);
    const bool on_the_way =
        block_rows_ > 0 && record >= block_first_ && block_first_ >= directory_->sections[s].first;
    if (!on_the_way) {
      auto part = opened_.at_section(source_, directory_->sections[s], opened_.threads());
      if (!part) return std::unexpected(part.error());
      part_.emplace(std::move(*part));
      block_rows_ = 0;
      ended_ = false;
    }
  }
  record_ = record;
  return {};
}

Result<bool> RecordCursor::next_block() {
  ArchiveReader& archive = reader().archive();
  if (directory_ && directory_->whole && archive.bytes_read() >= directory_->end) {
    ended_ = true;
    return false;
  }
  block_rows_ = 0;
  const auto rows = reader().next();
  if (!rows) return std::unexpected(rows.error());
  ended_ = *rows == 0;
  if (directory_ && (ended_ || archive.records() > directory_->records))
    return archive.damaged("the directory does not fit the blocks");
  block_rows_ = *rows;
  block_first_ = archive.records() - *rows;
  return !ended_;
}

Result<ByteView> RecordCursor::read(uint64_t most) {
  if (directory_ && directory_->whole && record_ >= directory_->records) return ByteView{};
  while (!holds(record_)) {
    if (ended_) return ByteView{};
    const auto more = next_block();
    if (!more) return std::unexpected(more.error());
    const uint64_t all = reader().archive().records();
    if (!*more && record_ > all) return no_such(record_, all);
  }
  const size_t width = header().layout.width();
  const uint64_t at = record_ - block_first_;
  const uint64_t rows = std::min(most, block_rows_ - at);
  record_ += rows;
  return ByteView(reader().raw()).subspan(at * width, rows * width);
}

}  // namespace vestige
