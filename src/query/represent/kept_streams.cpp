#include "query/represent/kept_streams.h"

#include <algorithm>

#include "query/threads/events.h"
#include "trace/state.h"
#include "vestige/query.h"
#include "vestige/represent.h"
#include "vestige/values.h"

namespace vestige {

namespace {

std::unexpected<Error> damaged(const Trace& trace, const char* what) {
  return fail(ErrorKind::corrupt, trace.file() + ": " + what);
}

template <class Chunk>
Result<std::optional<Chunk>> chunk_of(const Trace& trace, uint32_t thread, format::ChunkKind kind) {
  const StoreReader& store = trace.state().store;
  for (size_t row = 0; row < store.rows().size(); ++row) {
    if (store.rows()[row].kind != kind) continue;
    const auto payload = store.payload(row);
    if (!payload) return std::unexpected(payload.error());
    ByteReader in(*payload);
    if (in.varint32() != thread || in.failed()) continue;
    auto chunk = Chunk::decode(*payload);
    if (!chunk) return damaged(trace, chunk.error().message.c_str());
    return std::optional(std::move(*chunk));
  }
  return std::optional<Chunk>();
}

}  // namespace

Result<std::vector<bool>> kept_threads(const Trace& trace) {
  if (representation_of(trace) != Representation::cdr)
    return fail(ErrorKind::unsupported, trace.file() + ": this is no cdr");
  std::vector<bool> kept(trace.threads().size());
  const StoreReader& store = trace.state().store;
  bool any = false;
  for (size_t row = 0; row < store.rows().size(); ++row) {
    if (store.rows()[row].kind != kAccessDetailsChunk) continue;
    const auto payload = store.payload(row);
    if (!payload) return std::unexpected(payload.error());
    ByteReader in(*payload);
    const uint32_t thread = in.varint32();
    if (!in.failed() && thread < kept.size()) any = kept[thread] = true;
  }
  if (!any && !trace.state().access_rows.empty())
    return fail(ErrorKind::unsupported,
                trace.file() +
                    ": an earlier version made this cdr, without what tells accesses apart by "
                    "time; make it anew from the recording (vestige represent)");
  return kept;
}

Result<KeptAccesses> kept_accesses(const Trace& trace, uint32_t thread) {
  if (const auto known = kept_threads(trace); !known) return std::unexpected(known.error());
  auto addresses = chunk_of<AccessChunk>(trace, thread, format::ChunkKind::accesses);
  if (!addresses) return std::unexpected(std::move(addresses.error()));
  auto details = chunk_of<AccessDetailsChunk>(trace, thread, kAccessDetailsChunk);
  if (!details) return std::unexpected(std::move(details.error()));
  KeptAccesses kept;
  std::vector<AccessDetailsChunk::Stream> more;
  if (*details) {
    kept.unknown = (*details)->unknown;
    more = std::move((*details)->streams);
  }
  const std::vector<bool> atomic = threads::atomic_statements(trace);
  const auto add = [&](uint64_t key) -> KeptStream* {
    const uint64_t id = key / 2;
    const auto ref = id < atomic.size() ? statement_by_id(trace, id) : std::nullopt;
    if (!ref) return nullptr;
    KeptStream& stream = kept.streams.emplace_back();
    stream.statement_id = id;
    stream.write = key % 2 != 0;
    stream.atomic = atomic[id];
    stream.bytes = access_bytes(trace.functions()[ref->function], ref->statement);
    return &stream;
  };
  size_t next = 0;
  const auto add_library = [&](uint64_t before) -> Result<void> {
    for (; next < more.size() && more[next].key < before; ++next) {
      KeptStream* stream = add(more[next].key);
      if (stream == nullptr || !more[next].columns[AccessDetailsChunk::addresses].bytes)
        return damaged(trace, "access details of a statement that is not there");
      stream->library = true;
      stream->count = more[next].count;
      stream->details = std::move(more[next]);
    }
    return {};
  };
  if (*addresses) {
    for (AccessChunk::Stream& from : (*addresses)->streams) {
      if (auto added = add_library(from.key); !added) return std::unexpected(added.error());
      KeptStream* stream = add(from.key);
      if (stream == nullptr) return damaged(trace, "accesses of a statement that is not there");
      stream->count = from.count;
      stream->addresses = std::move(from);
      if (next < more.size() && more[next].key == stream->addresses.key)
        stream->details = std::move(more[next++]);
    }
  }
  if (auto added = add_library(UINT64_MAX); !added) return std::unexpected(added.error());
  for (KeptStream& stream : kept.streams) {
    stream.by_execution = !stream.details.columns[AccessDetailsChunk::times].bytes;
    if (stream.details.columns[AccessDetailsChunk::sizes].bytes) stream.bytes = 0;
  }
  return kept;
}

// ---- feeds --------------------------------------------------------------------------------------

Result<AddressFeed> AddressFeed::open(const KeptStream& stream, Decoded& decoded) {
  AddressFeed feed;
  StreamCodec codec = stream.addresses.codec;
  feed.bytes_ = stream.addresses.bytes;
  feed.base_ = stream.addresses.base;
  if (stream.library) {
    const auto& column = stream.details.columns[AccessDetailsChunk::addresses];
    codec = column.codec;
    feed.bytes_ = column.bytes;
    feed.base_ = 0;
  }
  if (codec != StreamCodec::runs) {
    auto numbers = open_stream(codec, *feed.bytes_);
    if (!numbers) return std::unexpected(std::move(numbers.error()));
    feed.numbers_ = std::move(*numbers);
    return feed;
  }
  auto& grammar = decoded[feed.bytes_.get()];
  if (!grammar) {
    auto loaded = section::RunsGrammar::load(*feed.bytes_);
    if (!loaded) return std::unexpected(std::move(loaded.error()));
    grammar = std::make_shared<const section::RunsGrammar>(std::move(*loaded));
  }
  feed.grammar_ = grammar;
  feed.runs_ = std::make_unique<section::StridedRunCursor>(*grammar);
  return feed;
}

bool AddressFeed::more() {
  if (runs_) {
    section::StridedRun run;
    if (!runs_->next(run)) return false;
    ahead_ = {run.start + base_, run.stride, run.count};
    return true;
  }
  uint64_t value = 0;
  if (!numbers_->next(value)) return false;
  ahead_ = {value + base_, 0, 1};
  return true;
}

bool AddressFeed::take(uint64_t most, Run& run) {
  if (ahead_.count == 0 && !more()) return false;
  run = ahead_;
  run.count = std::min(run.count, most);
  ahead_.start += run.count * ahead_.stride;
  ahead_.count -= run.count;
  return true;
}

bool AddressFeed::seek(uint64_t position) {
  ahead_ = {};
  if (numbers_) return numbers_->seek(position);
  if (!runs_->seek(position)) return false;
  section::StridedRun run;
  if (!runs_->next(run)) return position == grammar_->size();
  if (run.position > position || position - run.position >= run.count) return false;
  const uint64_t skipped = position - run.position;
  ahead_ = {run.start + base_ + skipped * run.stride, run.stride, run.count - skipped};
  return true;
}

Result<ColumnFeed> ColumnFeed::open(const KeptStream& stream, AccessDetailsChunk::Column column) {
  ColumnFeed feed;
  const auto& encoded = stream.details.columns[column];
  if (!encoded.bytes) return feed;
  feed.bytes_ = encoded.bytes;
  auto cursor = open_stream(encoded.codec, *feed.bytes_);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  feed.cursor_ = std::move(*cursor);
  return feed;
}

KeptAccessFeed::KeptAccessFeed(uint64_t bytes, AddressFeed addresses, ColumnFeed sizes,
                               ColumnFeed times, ColumnFeed delays)
    : bytes_(bytes),
      addresses_(std::move(addresses)),
      sizes_(std::move(sizes)),
      times_(std::move(times)),
      delays_(std::move(delays)) {}

Result<KeptAccessFeed> KeptAccessFeed::open(const KeptStream& stream,
                                            AddressFeed::Decoded& decoded) {
  auto addresses = AddressFeed::open(stream, decoded);
  if (!addresses) return std::unexpected(std::move(addresses.error()));
  auto sizes = ColumnFeed::open(stream, AccessDetailsChunk::sizes);
  if (!sizes) return std::unexpected(std::move(sizes.error()));
  auto times = ColumnFeed::open(stream, AccessDetailsChunk::times);
  if (!times) return std::unexpected(std::move(times.error()));
  auto delays = ColumnFeed::open(stream, AccessDetailsChunk::delays);
  if (!delays) return std::unexpected(std::move(delays.error()));
  return KeptAccessFeed(stream.bytes, std::move(*addresses), std::move(*sizes), std::move(*times),
                        std::move(*delays));
}

bool KeptAccessFeed::next(KeptAccess& access) {
  uint64_t gap = 0, delay = 0;
  if (!addresses_.next(access.address) || !sizes_.next(access.bytes) || !times_.next(gap) ||
      !delays_.next(delay))
    return false;
  if (bytes_ != 0) access.bytes = bytes_;
  access.time = time_ += gap;
  access.until = access.time + delay;
  return true;
}

const Error* KeptAccessFeed::error() const {
  for (const Error* error : {addresses_.error(), sizes_.error(), times_.error(), delays_.error()})
    if (error) return error;
  return nullptr;
}

}  // namespace vestige
