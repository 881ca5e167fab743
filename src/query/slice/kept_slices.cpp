#include "query/slice/kept_slices.h"

#include <algorithm>

#include "base/squeeze.h"
#include "trace/index/index_place.h"
#include "trace/state.h"

namespace vestige {

namespace {

constexpr size_t kMostSlices = 64;
constexpr size_t kMostRows = size_t{1} << 19;  // statements of all of them

void encode(const Trace& trace, const KeptSlice& kept, ByteWriter& out) {
  out.varint(kept.key.statement);
  out.varint(kept.key.thread);
  out.varint(kept.key.time);
  out.varint(kept.key.depth);
  out.u8(kept.key.kind);
  out.varint(kept.slice.count);
  for (const uint64_t count : kept.slice.unresolved) out.varint(count);
  out.varint(kept.slice.statements.size());
  uint64_t next = 0;
  for (const SliceStatement& statement : kept.slice.statements) {
    const uint64_t id = statement_id(trace, statement.statement);
    out.varint(id - next);
    out.varint(statement.instances);
    next = id + 1;
  }
}

// False: it makes no sense.
bool decode(const Trace& trace, ByteReader& in, KeptSlice& kept) {
  kept.key.statement = in.varint32();
  kept.key.thread = in.varint32();
  kept.key.time = in.varint();
  kept.key.depth = in.varint32();
  kept.key.kind = in.u8();
  kept.slice.thread = kept.key.thread;
  kept.slice.count = in.varint();
  for (uint64_t& count : kept.slice.unresolved) count = in.varint();
  kept.slice.statements.resize(in.count(2));
  uint64_t next = 0;
  for (SliceStatement& row : kept.slice.statements) {
    const uint64_t id = next + in.varint();
    row.instances = in.varint();
    const auto ref = id < next ? std::nullopt : statement_by_id(trace, id);
    if (in.failed() || !ref) return false;
    row.statement = *ref;
    next = id + 1;
  }
  return !in.failed();
}

std::vector<KeptSlice> all_kept(const Trace& trace) {
  for (const std::string& place : cache_places(trace, kSliceCache)) {
    const auto cache = CacheReader::open(place, kSliceCache, trace.state().store.identity());
    if (!cache) continue;
    if (auto slices = decode_kept(trace, cache->table())) return std::move(*slices);
  }
  return {};
}

}  // namespace

Bytes encode_kept(const Trace& trace, const std::vector<KeptSlice>& slices) {
  ByteWriter out;
  out.varint(slices.size());
  for (const KeptSlice& kept : slices) encode(trace, kept, out);
  return squeeze(out.take());
}

Result<std::vector<KeptSlice>> decode_kept(const Trace& trace, ByteView table) {
  const auto raw = unsqueeze(table, "table of slices");
  if (!raw) return std::unexpected(raw.error());
  ByteReader in(*raw);
  std::vector<KeptSlice> slices(std::min(in.count(), kMostSlices));
  for (KeptSlice& kept : slices)
    if (!decode(trace, in, kept)) in.fail();
  if (in.failed() || in.remaining() != 0)
    return fail(ErrorKind::corrupt, trace.file() + ": its table of slices makes no sense");
  return slices;
}

SliceKey key_of(const Trace& trace, const SliceOptions& options, const CriterionPlace& place) {
  SliceKey key;
  key.statement = static_cast<uint32_t>(statement_id(trace, options.statement));
  key.thread = place.thread;
  key.time = place.time;
  key.depth = options.depth;
  key.kind = static_cast<uint8_t>(options.forward | options.copies_only << 1 |
                                  options.memory_only << 2 | options.data_only << 3);
  return key;
}

std::optional<Slice> find_kept(const Trace& trace, const SliceKey& key) {
  for (KeptSlice& kept : all_kept(trace))
    if (kept.key == key) return std::move(kept.slice);
  return std::nullopt;
}

void keep(const Trace& trace, const SliceKey& key, const Slice& slice) {
  std::vector<KeptSlice> slices = all_kept(trace);
  slices.push_back({key, slice});
  // The oldest go first.
  size_t rows = 0, first = slices.size();
  while (first > 0 && slices.size() - first < kMostSlices) {
    rows += slices[first - 1].slice.statements.size();
    if (rows > kMostRows) break;
    --first;
  }
  slices.erase(slices.begin(), slices.begin() + static_cast<ptrdiff_t>(first));
  if (slices.empty()) return;
  auto writer = create_cache(trace, kSliceCache);
  if (!writer) return;
  (void)(*writer)->finish(kSliceCache, trace.state().store.identity(), encode_kept(trace, slices));
}

}  // namespace vestige
