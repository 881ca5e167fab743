#include "query/represent/access_streams.h"

#include <map>
#include <memory>

#include "codec/section/runs_stream.h"
#include "codec/sequitur/sequitur_stream.h"
#include "vestige/sync.h"

namespace vestige {

namespace {

// use(time, statement #ID, address, write) for each access of the thread, in order.
template <class Use>
Result<void> each_access(uint32_t thread, ReferenceSource& source, const Use& use) {
  if (auto begun = source.seek(thread, 0); !begun) return begun;
  std::vector<TimedReference> piece;
  while (true) {
    if (auto read = source.read(piece); !read) return read;
    if (piece.empty()) return {};
    for (const auto& [time, reference] : piece) {
      if (reference.kind != Reference::Kind::write)
        use(time, reference.statement_id, reference.address, false);
      if (reference.kind != Reference::Kind::read)
        use(time, reference.statement_id, reference.address, true);
    }
  }
}

uint64_t key_of(uint64_t statement, bool write) { return 2 * statement + write; }

}  // namespace

Result<AccessChunk> accesses_in_order(const Trace& trace, uint32_t thread, ReferenceSource& source,
                                      const SharedPages& pages) {
  auto sync = SyncCursor::open(trace, thread);
  if (!sync) return std::unexpected(std::move(sync.error()));
  const uint32_t process = trace.threads()[thread].process;
  sequitur::StreamWriter writer;
  std::vector<uint64_t> waiting;
  bool more = sync->next();
  uint64_t count = 0;
  // An operation lies behind the path of its time.
  const auto syncs_before = [&](uint64_t time) {
    for (; more && sync->operation().time < time; more = sync->next())
      waiting.push_back(kSyncInOrder);
  };
  const auto read =
      each_access(thread, source, [&](uint64_t time, uint64_t, uint64_t address, bool write) {
        syncs_before(time);
        if (!pages.shared(process, address)) return;
        waiting.push_back(in_order(address, write));
        ++count;
        if (waiting.size() >= 4096) {
          writer.append(waiting);
          waiting.clear();
        }
      });
  if (!read) return std::unexpected(read.error());
  syncs_before(UINT64_MAX);
  if (const Error* error = sync->error()) return std::unexpected(*error);
  writer.append(waiting);
  AccessChunk chunk{.thread = thread, .streams = {}};
  chunk.streams.push_back(
      {0, count, 0, StreamCodec::sequitur, std::make_shared<const Bytes>(writer.finish())});
  return chunk;
}

namespace {

// One load's or store's addresses, as runs. Where these do not fold well, other codecs are tried on
// the first of them, and the best of those meets the whole stream.
class AddressStream {
 public:
  void append(uint64_t address) {
    if (first_.empty()) kept_.base = address;
    address -= kept_.base;  // so that streams at a fixed distance have the same bytes
    if (first_.size() < kSample) first_.push_back(address);
    waiting_.push_back(address);
    if (waiting_.size() >= 256) flush();
  }
  // Whether the addresses have to come a second time.
  bool finish_runs() {
    flush();
    kept_.count = runs_.size();
    bytes_ = runs_.finish();
    if (8 * bytes_.size() <= kGoodBits * kept_.count) return false;
    other_ = select_stream_codec(first_, StreamGoal::size);
    if (other_ == StreamCodec::runs) return false;
    encoder_ = make_stream_encoder(other_);
    return true;
  }
  void append_again(uint64_t address) {
    if (!encoder_) return;
    waiting_.push_back(address - kept_.base);
    if (waiting_.size() >= 4096) flush_again();
  }
  AccessChunk::Stream finish(uint64_t key) {
    kept_.key = key;
    if (encoder_) {
      flush_again();
      if (Bytes bytes = encoder_->finish(); bytes.size() < bytes_.size()) {
        bytes_ = std::move(bytes);
        kept_.codec = other_;
      }
    }
    kept_.bytes = std::make_shared<const Bytes>(std::move(bytes_));
    return std::move(kept_);
  }

 private:
  static constexpr size_t kSample = 128 * 1024;
  static constexpr uint64_t kGoodBits = 1;  // an address

  void flush() {
    runs_.append(waiting_);
    waiting_.clear();
  }
  void flush_again() {
    encoder_->append(waiting_);
    waiting_.clear();
  }

  section::RunsWriter runs_;
  std::vector<uint64_t> first_, waiting_;
  StreamCodec other_ = StreamCodec::runs;
  std::unique_ptr<StreamEncoder> encoder_;
  AccessChunk::Stream kept_;
  Bytes bytes_;
};

}  // namespace

Result<AccessChunk> addresses_of_each(const Trace& trace, uint32_t thread, ReferenceSource& source,
                                      const SharedPages& pages) {
  const uint32_t process = trace.threads()[thread].process;
  std::map<uint64_t, AddressStream> streams;
  auto read =
      each_access(thread, source, [&](uint64_t, uint64_t statement, uint64_t address, bool write) {
        if (pages.shared(process, address)) streams.try_emplace(key_of(statement, write));
      });
  if (!read) return std::unexpected(read.error());
  read =
      each_access(thread, source, [&](uint64_t, uint64_t statement, uint64_t address, bool write) {
        if (const auto found = streams.find(key_of(statement, write)); found != streams.end())
          found->second.append(address);
      });
  if (!read) return std::unexpected(read.error());
  bool again = false;
  for (auto& [key, stream] : streams) again |= stream.finish_runs();
  if (again)
    read = each_access(
        thread, source, [&](uint64_t, uint64_t statement, uint64_t address, bool write) {
          if (const auto found = streams.find(key_of(statement, write)); found != streams.end())
            found->second.append_again(address);
        });
  if (!read) return std::unexpected(read.error());
  AccessChunk chunk{.thread = thread, .streams = {}};
  for (auto& [key, stream] : streams) chunk.streams.push_back(stream.finish(key));
  return chunk;
}

}  // namespace vestige
