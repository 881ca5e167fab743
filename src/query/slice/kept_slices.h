// Slices that took long to make, in the file T.vst.slc (cache_file.h, docs/index-format.md): asked
// again, they cost nothing.
//
// What is kept is the slice without its members: how often each statement is in it, and where it
// ends. Those made last stay; the file remains small. Whoever changes what is in a slice changes the
// version below.
#pragma once

#include <optional>
#include <vector>

#include "base/bytes.h"
#include "query/slice/criterion.h"
#include "trace/index/cache_file.h"

namespace vestige {

inline constexpr CacheKind kSliceCache = {
    {'\x89', 'V', 'S', 'S', '\r', '\n', '\x1a', '\n'}, 1, ".slc"};

// All that a slice without members depends on.
struct SliceKey {
  uint32_t statement = 0;  // #ID
  uint32_t thread = 0;
  uint64_t time = 0;
  uint32_t depth = kNone;
  uint8_t kind = 0;  // bits: forward, copies only, memory only, data only
  bool operator==(const SliceKey&) const = default;
};

struct KeptSlice {
  SliceKey key;
  Slice slice;  // without criterion and members
};

// The table of the file.
Bytes encode_kept(const Trace& trace, const std::vector<KeptSlice>& slices);
Result<std::vector<KeptSlice>> decode_kept(const Trace& trace, ByteView table);

// Of a slice without members.
SliceKey key_of(const Trace& trace, const SliceOptions& options, const CriterionPlace& place);
std::optional<Slice> find_kept(const Trace& trace, const SliceKey& key);
// Nothing happens when it cannot be written.
void keep(const Trace& trace, const SliceKey& key, const Slice& slice);

}  // namespace vestige
