#include "store/reader.h"

#include <atomic>
#include <deque>

#include "base/checksum.h"
#include "base/mapped_file.h"
#include "store/chunk_header.h"
#include "store/directory_row.h"
#include "store/scan.h"

namespace vestige {

struct StoreReader::State {
  enum Check : uint8_t { unchecked, good };

  std::string path;
  MappedFile file;
  format::FileHeader header{};
  std::vector<DirectoryChunk::Row> rows;
  std::vector<std::string> damage;
  std::deque<std::atomic<uint8_t>> checks;         // per row
  uint64_t followed = sizeof(format::FileHeader);  // up to here the file's chunks are known

  ByteView bytes() const { return file.bytes(); }

  std::unexpected<Error> bad(const std::string& what) const {
    return fail(ErrorKind::corrupt, path + ": " + what);
  }
  std::unexpected<Error> interrupted(const std::string& what) const {
    return bad(what + "; run: vestige recover " + path + " -o NEW.vst");
  }

  Result<void> read_file_header(Mode mode) {
    if (bytes().size() < sizeof header) return bad("is too short to be a vestige trace");
    std::memcpy(&header, bytes().data(), sizeof header);
    const bool is_trace = std::memcmp(header.magic, format::kFileMagic, sizeof header.magic) == 0;
    const bool checks_out = header.checksum == file_header_checksum(header);
    if (is_trace && checks_out && header.major != format::kMajor)
      return fail(ErrorKind::unsupported,
                  path + " has format version " + std::to_string(header.major) + "." +
                      std::to_string(header.minor) + " and this vestige reads version " +
                      std::to_string(format::kMajor) + "; use the vestige that recorded it");
    if (is_trace && checks_out && header.flags != 0)
      return fail(ErrorKind::unsupported, path + " uses features this vestige does not know");
    if (is_trace && checks_out) return {};
    if (mode != Mode::recover)
      return is_trace ? interrupted("the file header (bytes 0–64) is damaged")
                      : bad("is not a vestige trace");
    damage.push_back("bytes 0–64: the file header is damaged");
    return {};
  }

  Result<void> read_directory() {
    format::Trailer trailer;
    if (bytes().size() < sizeof header + sizeof trailer)
      return interrupted("the recording was interrupted before its first chunk was complete");
    std::memcpy(&trailer, bytes().data() + bytes().size() - sizeof trailer, sizeof trailer);
    if (trailer.magic != format::kTrailerMagic || trailer.checksum != trailer_checksum(trailer) ||
        trailer.file_size != bytes().size())
      return interrupted("has no end: the recording was interrupted, or the file was cut");
    const uint64_t at = trailer.directory_offset;
    const auto chunk = read_header(bytes(), at, header.trace_id);
    if (!chunk || chunk->kind != format::ChunkKind::directory)
      return interrupted("there is no directory at byte " + std::to_string(at));
    const ByteView payload = bytes().subspan(at + sizeof *chunk, chunk->payload_size);
    if (checksum(payload) != chunk->payload_checksum)
      return interrupted("the directory at byte " + std::to_string(at) + " is damaged");
    auto directory = DirectoryChunk::decode(payload);
    if (!directory) return interrupted(directory.error().message);
    rows = std::move(directory->rows);

    uint64_t before = sizeof header;
    for (const DirectoryChunk::Row& row : rows) {
      const bool inside = row.offset >= before && row.offset <= at &&
                          at - row.offset >= sizeof(format::ChunkHeader) &&
                          row.payload_size <= at - row.offset - sizeof(format::ChunkHeader);
      if (!inside) return interrupted("the directory names a chunk outside the file");
      before = row.offset + sizeof(format::ChunkHeader) + row.payload_size;
    }
    return {};
  }
};

Result<void> StoreReader::catch_up(uint64_t bytes) {
  State& state = *state_;
  if (auto grown = state.file.grow(bytes); !grown) return grown;
  while (const auto header = read_header(state.bytes(), state.followed, state.header.trace_id)) {
    const uint64_t begin = state.followed + sizeof *header;
    const ByteView payload = state.bytes().subspan(begin, header->payload_size);
    DirectoryChunk::Row row;
    if (header->kind == format::ChunkKind::directory) break;
    if (header->kind == format::ChunkKind::control) {
      const auto view = ControlChunk::view(payload);
      if (!view) return state.bad(view.error().message);
      row = directory_row(*view);
    }
    row.kind = header->kind;
    row.offset = state.followed;
    row.payload_size = header->payload_size;
    state.rows.push_back(row);
    state.checks.emplace_back(State::unchecked);
    state.followed = begin + padded(header->payload_size);
  }
  return {};
}

Result<StoreReader> StoreReader::open(const std::string& path, Mode mode, uint64_t bytes) {
  auto state = std::make_unique<State>();
  state->path = path;
  auto file = mode == Mode::follow ? MappedFile::follow(path, bytes) : MappedFile::open(path);
  if (!file) return std::unexpected(std::move(file.error()));
  state->file = std::move(*file);
  if (auto ok = state->read_file_header(mode); !ok) return std::unexpected(std::move(ok.error()));
  if (mode == Mode::follow) {
    StoreReader reader(std::move(state));
    if (auto ok = reader.catch_up(bytes); !ok) return std::unexpected(std::move(ok.error()));
    return reader;
  }
  if (mode == Mode::strict) {
    if (auto ok = state->read_directory(); !ok) return std::unexpected(std::move(ok.error()));
  } else {
    ScannedChunks found = scan_chunks(state->bytes(), state->header.trace_id);
    state->rows = std::move(found.rows);
    for (std::string& damage : found.damage) state->damage.push_back(std::move(damage));
  }
  state->checks.resize(state->rows.size());
  return StoreReader(std::move(state));
}

StoreReader::StoreReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
StoreReader::StoreReader(StoreReader&&) noexcept = default;
StoreReader& StoreReader::operator=(StoreReader&&) noexcept = default;
StoreReader::~StoreReader() = default;

const format::FileHeader& StoreReader::header() const { return state_->header; }
const std::vector<DirectoryChunk::Row>& StoreReader::rows() const { return state_->rows; }
uint64_t StoreReader::file_bytes() const { return state_->bytes().size(); }
uint64_t StoreReader::identity() const {
  ByteWriter all;
  all.bytes({reinterpret_cast<const uint8_t*>(&state_->header), sizeof state_->header});
  all.u64(file_bytes());
  for (const DirectoryChunk::Row& row : rows())
    all.bytes(state_->bytes().subspan(row.offset, sizeof(format::ChunkHeader)));
  return checksum(all.buffer());
}
const std::vector<std::string>& StoreReader::damage() const { return state_->damage; }

Result<ByteView> StoreReader::payload(size_t index) const {
  if (index >= state_->rows.size())
    return fail(ErrorKind::usage, "there is no chunk " + std::to_string(index));
  const DirectoryChunk::Row& row = state_->rows[index];
  const ByteView payload =
      state_->bytes().subspan(row.offset + sizeof(format::ChunkHeader), row.payload_size);
  if (state_->checks[index].load(std::memory_order_acquire) == State::good) return payload;

  const auto damaged = [&](const char* how) {
    return state_->bad("the chunk at byte " + std::to_string(row.offset) + " is damaged: " + how +
                       "; vestige recover saves the others");
  };
  const auto header = read_header(state_->bytes(), row.offset, state_->header.trace_id);
  if (!header) return damaged("its header does not check");
  if (header->kind != row.kind || header->payload_size != row.payload_size)
    return damaged("it is not what the directory says");
  if (header->flags != 0)
    return fail(ErrorKind::unsupported, state_->path + ": the chunk at byte " +
                                            std::to_string(row.offset) +
                                            " uses features this vestige does not know");
  if (checksum(payload) != header->payload_checksum) return damaged("its checksum does not match");
  state_->checks[index].store(State::good, std::memory_order_release);
  return payload;
}

}  // namespace vestige
