// Sets of causes: which racing writes may have had a say in something. Equal sets are kept once.
//
// Causes are numbers (sites, racing_accesses.h), and those that go together have numbers that
// follow each other, so a set is a list of ranges. Set 0 is the empty one.
//
// One owner thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace vestige::races {

// Numbers from `first` up to `end` without it.
struct SiteRange {
  uint32_t first = 0, end = 0;
  auto operator<=>(const SiteRange&) const = default;
};

class CauseSets {
 public:
  using Id = uint32_t;
  // More ranges than this, in all sets together, or more unions, are too many.
  static constexpr size_t kMostRanges = size_t{1} << 23, kMostUnions = size_t{1} << 22;

  // With an order, a set keeps of each strand only what comes first in it: then there are few sets.
  struct Order {
    std::vector<uint32_t> strand;  // by number
    std::vector<uint64_t> rank;    // where in its strand
  };
  explicit CauseSets(std::optional<Order> order = std::nullopt);
  bool keeps_first() const { return order_.has_value(); }
  // Of ranges in any order.
  Id make(std::vector<SiteRange> ranges);
  Id join(Id a, Id b) { return a == b || b == 0 ? a : a == 0 ? b : join_different(a, b); }
  // By rising number, apart from each other.
  std::span<const SiteRange> ranges(Id set) const { return *sets_[set]; }
  // There are too many: what join() gives from now on is not complete.
  bool full() const { return kept_ > kMostRanges || joined_.size() > kMostUnions; }

 private:
  using Ranges = std::vector<SiteRange>;
  Id join_different(Id a, Id b);
  void keep_first(Ranges& ranges) const;

  const std::optional<Order> order_;

  std::map<Ranges, Id> numbers_;
  std::vector<const Ranges*> sets_;  // by number: keys of the map
  std::unordered_map<uint64_t, Id> joined_;
  size_t kept_ = 0;
};

}  // namespace vestige::races
