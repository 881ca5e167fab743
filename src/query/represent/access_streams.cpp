#include "query/represent/access_streams.h"

#include <map>
#include <memory>

#include "codec/stream/runs/runs_stream.h"
#include "codec/stream/sequitur/sequitur_stream.h"
#include "query/represent/column_writer.h"
#include "query/represent/executions.h"
#include "query/rows/transfer_source.h"
#include "query/threads/events.h"
#include "vestige/sync.h"

namespace vestige {

namespace {

// use(time, reference, write) for each access of the thread, in order.
template <class Use>
Result<void> each_access(uint32_t thread, ReferenceSource& source, const Use& use) {
  if (auto begun = source.seek(thread, 0); !begun) return begun;
  std::vector<TimedReference> piece;
  while (true) {
    if (auto read = source.read(piece); !read) return read;
    if (piece.empty()) return {};
    for (const auto& [time, reference] : piece) {
      if (reference.kind != Reference::Kind::write) use(time, reference, false);
      if (reference.kind != Reference::Kind::read) use(time, reference, true);
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
      each_access(thread, source, [&](uint64_t time, const Reference& reference, bool write) {
        syncs_before(time);
        if (!pages.shared(process, reference)) return;
        waiting.push_back(in_order(reference.address, write));
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

namespace {

// What the accesses of a statement have besides addresses.
struct Details {
  bool measured = false;  // the program does not tell their sizes
  bool timed = false;     // nor executions their times
  ColumnWriter addresses, sizes, times, delays;
  uint64_t last_time = 0;

  void append(uint64_t time, uint64_t bytes) {
    if (measured) sizes.append(bytes);
    if (timed) times.append(time - last_time);
    last_time = time;
  }
  AccessDetailsChunk::Stream finish(uint64_t key) {
    const uint64_t count = std::max(sizes.count(), times.count());
    return {key, count, {addresses.finish(), sizes.finish(), times.finish(), delays.finish()}};
  }
};

// One thread's.
class EachStatement {
 public:
  EachStatement(const Trace& trace, uint32_t thread, ReferenceSource& source,
                const SharedPages& pages)
      : trace_(trace),
        thread_(thread),
        process_(trace.threads()[thread].process),
        source_(source),
        pages_(pages) {}

  Result<AccessesOfEach> run() {
    const uint64_t unknown = source_.unknown();
    if (auto found = find(); !found) return std::unexpected(found.error());
    out_.details.unknown = source_.unknown() - unknown;
    auto read = each_kept([&](Stream& stream, uint64_t time, const Reference& reference) {
      stream.addresses.append(reference.address);
      stream.details.append(time, reference.bytes);
    });
    if (!read) return std::unexpected(read.error());
    bool again = false;
    for (auto& [key, stream] : streams_) again |= stream.addresses.finish_runs();
    if (again)
      read = each_kept([&](Stream& stream, uint64_t, const Reference& reference) {
        stream.addresses.append_again(reference.address);
      });
    if (!read) return std::unexpected(read.error());
    if (read = read_library(); !read) return std::unexpected(read.error());
    out_.addresses.thread = out_.details.thread = thread_;
    for (auto& [key, stream] : streams_) {
      out_.addresses.streams.push_back(stream.addresses.finish(key));
      if (stream.details.measured || stream.details.timed)
        library_[key] = std::move(stream.details);
    }
    for (auto& [key, details] : library_) out_.details.streams.push_back(details.finish(key));
    return std::move(out_);
  }

 private:
  struct Stream {
    AddressStream addresses;
    Details details;
  };

  // Which streams are kept, and whether their accesses are one for each execution.
  Result<void> find() {
    auto executions = Executions::open(trace_, thread_);
    if (!executions) return std::unexpected(std::move(executions.error()));
    std::map<uint64_t, std::pair<uint64_t, bool>> seen;  // by key: how many, and not so
    auto read =
        each_access(thread_, source_, [&](uint64_t time, const Reference& reference, bool write) {
          const uint64_t key = key_of(reference.statement_id, write);
          executions->go_to(time);
          auto& [count, timed] = seen[key];
          timed |= executions->of(reference.statement_id) != ++count;
          if (pages_.shared(process_, reference)) streams_.try_emplace(key);
        });
    if (!read) return read;
    executions->go_to(UINT64_MAX);
    for (auto& [key, stream] : streams_) {
      const auto [count, timed] = seen[key];
      stream.details.timed = timed || count != executions->of(key / 2);
      const auto ref = statement_by_id(trace_, key / 2);
      stream.details.measured =
          trace_.functions()[ref->function].statements[ref->statement].op == Op::call;
    }
    return {};
  }

  template <class Use>
  Result<void> each_kept(const Use& use) {
    return each_access(thread_, source_,
                       [&](uint64_t time, const Reference& reference, bool write) {
                         const auto found = streams_.find(key_of(reference.statement_id, write));
                         if (found != streams_.end()) use(found->second, time, reference);
                       });
  }

  // Those of shared memory, each with its time.
  Result<void> read_library() {
    TransferSource source(trace_, source_.windows());
    source.begin(thread_);
    std::vector<Transfer> some;
    while (true) {
      const auto read = source.read(some);
      if (!read) return std::unexpected(read.error());
      if (!*read) return {};
      for (const Transfer& seen : some) {
        // As races count them (query/races/access_runs.cpp): reads lie where the call was made
        // unless it ran recorded code, writes where it came back.
        const bool at_once = seen.time == seen.call_time + 1;
        if (seen.kind == LibraryRange::Kind::copy || seen.kind == LibraryRange::Kind::read)
          transfer(seen, false, seen.has_from, seen.from, at_once ? seen.call_time : seen.time);
        if (seen.kind != LibraryRange::Kind::read)
          transfer(seen, true, seen.has_to, seen.to, seen.time);
      }
    }
  }
  void transfer(const Transfer& seen, bool write, bool known, uint64_t address, uint64_t at) {
    const uint64_t id = trace_.functions()[seen.function].first_statement + seen.statement;
    const Reference reference{write ? Reference::Kind::write : Reference::Kind::read, thread_, id,
                              address, seen.has_length ? seen.length : 0};
    if (!known || !threads::is_sound(reference)) {
      ++out_.details.unknown;
      return;
    }
    if (!pages_.shared(process_, reference)) return;
    Details& details = library_[key_of(id, write)];
    details.measured = details.timed = true;
    details.addresses.append(address);
    details.append(seen.call_time, reference.bytes);
    details.delays.append(at - seen.call_time);
  }

  const Trace& trace_;
  const uint32_t thread_, process_;
  ReferenceSource& source_;
  const SharedPages& pages_;
  std::map<uint64_t, Stream> streams_;   // by key
  std::map<uint64_t, Details> library_;  // by key
  AccessesOfEach out_;
};

}  // namespace

Result<AccessesOfEach> addresses_of_each(const Trace& trace, uint32_t thread,
                                         ReferenceSource& source, const SharedPages& pages) {
  return EachStatement(trace, thread, source, pages).run();
}

}  // namespace vestige
