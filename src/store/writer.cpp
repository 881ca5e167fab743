#include "store/writer.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "store/chunk_header.h"
#include "store/directory_row.h"

namespace vestige {

using format::ChunkKind;

struct StoreWriter::State {
  struct Row : DirectoryChunk::Row {
    bool dropped = false;
    uint64_t size() const { return sizeof(format::ChunkHeader) + padded(payload_size); }
  };

  std::mutex mutex;
  std::string path;
  int fd = -1;
  format::FileHeader header{};
  uint64_t end = 0;  // of the last whole chunk
  uint64_t sequence = 0;
  uint64_t live_bytes = 0;
  Bytes whole;  // the chunk being written
  std::vector<Row> rows;
  std::map<uint32_t, std::deque<size_t>> control_rows;  // per thread, those not dropped, in order
  // The same of chunks of synchronization operations: row, and the time of the last operation.
  std::map<uint32_t, std::deque<std::pair<size_t, uint64_t>>> sync_rows;
  std::optional<Error> error;

  static Result<StoreWriter> create(const std::string& path, std::span<const uint8_t, 16> id,
                                    uint64_t started);
  ~State() {
    if (fd >= 0) ::close(fd);
  }

  Error refused(const char* what) const {
    const std::string where = end == 0 ? "" : " (at byte " + std::to_string(end) + ")";
    return {ErrorKind::io,
            std::string("cannot ") + what + " " + path + ": " + std::strerror(errno) + where};
  }

  // Writes all of it at `offset`, or fails with errno set.
  bool write_at(uint64_t offset, ByteView bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n == 0) errno = ENOSPC;
      if (n <= 0) return false;
      offset += static_cast<uint64_t>(n);
      bytes = bytes.subspan(static_cast<size_t>(n));
    }
    return true;
  }

  bool write_chunk(ChunkKind kind, ByteView payload) {
    const format::ChunkHeader chunk = make_header(kind, payload, sequence, header.trace_id);
    // One write: small chunks come by the thousand when threads do.
    whole.resize(sizeof chunk + padded(payload.size()));
    std::memcpy(whole.data(), &chunk, sizeof chunk);
    std::memcpy(whole.data() + sizeof chunk, payload.data(), payload.size());
    std::fill(whole.begin() + static_cast<ptrdiff_t>(sizeof chunk + payload.size()), whole.end(),
              0);
    return write_at(end, whole);
  }

  Result<void> append(Row row, ByteView payload) {
    const std::scoped_lock lock(mutex);
    if (error) return std::unexpected(*error);
    row.offset = end;
    row.payload_size = payload.size();
    if (!write_chunk(row.kind, payload)) {
      error = refused("write");
      [[maybe_unused]] const int ignored = ::ftruncate(fd, static_cast<off_t>(end));
      return std::unexpected(*error);
    }
    if (row.kind == ChunkKind::control) control_rows[row.thread].push_back(rows.size());
    if (row.kind == ChunkKind::sync || row.kind == ChunkKind::memory)
      sync_rows[row.thread].emplace_back(rows.size(), row.first_time);
    end += row.size();
    live_bytes += row.size();
    ++sequence;
    rows.push_back(row);
    return {};
  }

  template <class Chunk>
  Result<void> append_plain(ChunkKind kind, const Chunk& chunk) {
    Row row;
    row.kind = kind;
    return append(row, chunk.encode());
  }

  void drop(Row& row) {
    row.dropped = true;
    live_bytes -= row.size();
    // Best effort: a file system without holes keeps the blocks until finish().
    constexpr uint64_t kPage = 4096;
    const uint64_t begin = (row.offset + kPage - 1) / kPage * kPage;
    const uint64_t stop = (row.offset + row.size()) / kPage * kPage;
    if (begin < stop)
      ::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin),
                  static_cast<off_t>(stop - begin));
  }

  // Moves every chunk down over what was dropped. Moving whole chunks towards the front, in order,
  // keeps the file recoverable at every step: recovery ignores a chunk seen twice.
  bool close_holes() {
    uint64_t to = sizeof(format::FileHeader);
    Bytes buffer;
    std::vector<Row> kept;
    for (Row& row : rows) {
      if (row.dropped) continue;
      if (row.offset != to) {
        buffer.resize(row.size());
        uint64_t got = 0;
        while (got < buffer.size()) {
          const ssize_t n = ::pread(fd, buffer.data() + got, buffer.size() - got,
                                    static_cast<off_t>(row.offset + got));
          if (n < 0 && errno == EINTR) continue;
          if (n <= 0) return false;
          got += static_cast<uint64_t>(n);
        }
        if (!write_at(to, buffer)) return false;
        row.offset = to;
      }
      to += row.size();
      kept.push_back(row);
    }
    rows = std::move(kept);
    end = to;
    return true;
  }

  bool write_directory() {
    DirectoryChunk directory;
    directory.rows.assign(rows.begin(), rows.end());
    const Bytes payload = directory.encode();
    if (!write_chunk(ChunkKind::directory, payload)) return false;
    format::Trailer trailer{};
    trailer.directory_offset = end;
    const uint64_t at = end + sizeof(format::ChunkHeader) + padded(payload.size());
    trailer.file_size = at + sizeof trailer;
    trailer.magic = format::kTrailerMagic;
    trailer.checksum = trailer_checksum(trailer);
    if (!write_at(at, {reinterpret_cast<const uint8_t*>(&trailer), sizeof trailer})) return false;
    live_bytes = trailer.file_size;
    return ::ftruncate(fd, static_cast<off_t>(trailer.file_size)) == 0;
  }
};

Result<StoreWriter> StoreWriter::create(const std::string& path) {
  uint8_t id[16];
  if (::getrandom(id, sizeof id, 0) != sizeof id)
    return fail(ErrorKind::io, "cannot get a random id for " + path + ": " + std::strerror(errno));
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return State::create(
      path, id,
      static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec));
}

Result<StoreWriter> StoreWriter::create(const std::string& path, std::span<const uint8_t, 16> id) {
  return State::create(path, id, 0);
}

Result<StoreWriter> StoreWriter::State::create(const std::string& path,
                                               std::span<const uint8_t, 16> id, uint64_t started) {
  auto state = std::make_unique<State>();
  state->path = path;
  struct stat st{};
  // A reader may have the old file mapped: leave its bytes alone and start a new file.
  if (::lstat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode) && ::access(path.c_str(), W_OK) == 0)
    ::unlink(path.c_str());
  state->fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
  if (state->fd < 0) return std::unexpected(state->refused("create"));
  if (::fstat(state->fd, &st) != 0 || !S_ISREG(st.st_mode))
    return fail(ErrorKind::io, "cannot write a trace to " + path + ": it is not a regular file");

  format::FileHeader& header = state->header;
  std::memcpy(header.magic, format::kFileMagic, sizeof header.magic);
  header.major = format::kMajor;
  header.minor = format::kMinor;
  std::memcpy(header.trace_id, id.data(), sizeof header.trace_id);
  header.started = started;
  header.checksum = file_header_checksum(header);
  if (!state->write_at(0, {reinterpret_cast<const uint8_t*>(&header), sizeof header}))
    return std::unexpected(state->refused("write"));
  state->end = state->live_bytes = sizeof header;
  return StoreWriter(std::move(state));
}

StoreWriter::StoreWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
StoreWriter::StoreWriter(StoreWriter&&) noexcept = default;
StoreWriter& StoreWriter::operator=(StoreWriter&&) noexcept = default;
StoreWriter::~StoreWriter() = default;

Result<void> StoreWriter::append(const MetaChunk& chunk) {
  return state_->append_plain(ChunkKind::meta, chunk);
}
Result<void> StoreWriter::append(const ProcessChunk& chunk) {
  return state_->append_plain(ChunkKind::process, chunk);
}
Result<void> StoreWriter::append(const ModuleChunk& chunk) {
  return state_->append_plain(ChunkKind::module, chunk);
}
Result<void> StoreWriter::append(const ThreadChunk& chunk) {
  return state_->append_plain(ChunkKind::thread, chunk);
}
Result<void> StoreWriter::append(const EndChunk& chunk) {
  return state_->append_plain(ChunkKind::end, chunk);
}

Result<void> StoreWriter::append(const AddressChunk& chunk) {
  return state_->append_plain(ChunkKind::addresses, chunk);
}
Result<void> StoreWriter::append(const ValuesChunk& chunk) {
  return state_->append_plain(ChunkKind::values, chunk);
}

Result<void> StoreWriter::append(const OrderChunk& chunk) {
  return state_->append_plain(kOrderChunk, chunk);
}

Result<void> StoreWriter::append_descriptors(ByteView payload) {
  State::Row row;
  row.kind = ChunkKind::descriptors;
  return state_->append(row, payload);
}

Result<void> StoreWriter::append(format::ChunkKind kind, ByteView payload) {
  State::Row row;
  row.kind = kind;
  return state_->append(row, payload);
}

Result<void> StoreWriter::append(const SyncChunk& chunk) {
  State::Row row;
  row.kind = chunk.memory ? ChunkKind::memory : ChunkKind::sync;
  row.thread = chunk.thread;  // these two are not in the directory
  row.first_time = chunk.last_time;
  return state_->append(row, chunk.encode());
}

Result<void> StoreWriter::append(const AccessChunk& chunk) {
  State::Row row;
  row.kind = ChunkKind::accesses;
  return state_->append(row, chunk.encode());
}

Result<void> StoreWriter::append(const AccessDetailsChunk& chunk) {
  return state_->append_plain(kAccessDetailsChunk, chunk);
}
Result<void> StoreWriter::append(const SyncIndexChunk& chunk) {
  return state_->append_plain(kSyncIndexChunk, chunk);
}

Result<void> StoreWriter::append(const ControlChunk& chunk) {
  const Bytes payload = chunk.encode();
  const auto view = ControlChunk::view(payload);
  if (!view) return std::unexpected(view.error());
  State::Row row;
  static_cast<DirectoryChunk::Row&>(row) = directory_row(*view);
  return state_->append(row, payload);
}

Result<void> StoreWriter::keep_last(uint32_t thread, uint64_t paths) {
  const std::scoped_lock lock(state_->mutex);
  if (state_->error) return std::unexpected(*state_->error);
  auto& queue = state_->control_rows[thread];
  uint64_t held = 0;
  for (const size_t row : queue) held += state_->rows[row].path_count;
  while (!queue.empty() && held - state_->rows[queue.front()].path_count >= paths) {
    State::Row& oldest = state_->rows[queue.front()];
    held -= oldest.path_count;
    state_->drop(oldest);
    queue.pop_front();
  }
  auto& syncs = state_->sync_rows[thread];
  const uint64_t kept = queue.empty() ? 0 : state_->rows[queue.front()].first_time;
  while (!syncs.empty() && syncs.front().second < kept) {
    state_->drop(state_->rows[syncs.front().first]);
    syncs.pop_front();
  }
  return {};
}

uint64_t StoreWriter::bytes_written() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->live_bytes;
}

void StoreWriter::discard() {
  struct stat what{};
  if (::stat(state_->path.c_str(), &what) == 0 && S_ISREG(what.st_mode))
    ::unlink(state_->path.c_str());
}

Result<void> StoreWriter::finish() {
  const std::scoped_lock lock(state_->mutex);
  if (state_->fd < 0) return fail(ErrorKind::usage, "the trace file is already finished");
  // After a failed write what was cut off may have left room enough for the directory.
  const bool done = state_->close_holes() && state_->write_directory();
  if (!done) {
    if (!state_->error) state_->error = state_->refused("finish");
    [[maybe_unused]] const int ignored = ::ftruncate(state_->fd, static_cast<off_t>(state_->end));
  }
  const bool closed = ::close(state_->fd) == 0;
  state_->fd = -1;
  if (!closed && !state_->error) state_->error = state_->refused("close");
  if (state_->error) return std::unexpected(*state_->error);
  return {};
}

}  // namespace vestige
