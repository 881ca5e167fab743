#include "program/control_dependence.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "program/post_dominators.h"

namespace vestige {

namespace {

// A region with thousands of entries in a function of ten thousands of blocks: the other entries
// begin no round then. It bounds what a hostile record costs.
constexpr uint64_t kMostSteps = uint64_t{1} << 26;

struct Region {
  std::vector<uint32_t> blocks, entries;
};
struct Regions {
  std::vector<Region> list;
  std::vector<uint32_t> of;  // by block; kNone: it is in none
};

// The endless regions: components that are strongly connected, that nothing leaves, and whose
// blocks all go on (Tarjan, Depth-First Search and Linear Graph Algorithms, 1972).
class RegionSearch {
 public:
  explicit RegionSearch(std::span<const Block> blocks)
      : blocks_(blocks),
        number_(blocks.size(), kNone),
        lowest_(blocks.size()),
        component_(blocks.size(), kNone) {
    regions_.of.assign(blocks.size(), kNone);
  }

  Regions run() {
    search(0);
    const uint32_t reached = next_;
    for (uint32_t b = 1; b < blocks_.size(); ++b)
      if (number_[b] == kNone) search(b);
    find_entries(reached);
    return std::move(regions_);
  }

 private:
  struct Open {
    uint32_t block;
    size_t next;
  };

  void enter(uint32_t block) {
    number_[block] = lowest_[block] = next_++;
    stack_.push_back(block);
    open_.push_back({block, 0});
  }
  void search(uint32_t from) {
    enter(from);
    while (!open_.empty()) {
      const uint32_t block = open_.back().block;
      const auto& successors = blocks_[block].successors;
      if (open_.back().next < successors.size()) {
        const uint32_t to = successors[open_.back().next++];
        if (number_[to] == kNone)
          enter(to);
        else if (component_[to] == kNone)
          lowest_[block] = std::min(lowest_[block], number_[to]);
        continue;
      }
      open_.pop_back();
      if (!open_.empty()) {
        uint32_t& above = lowest_[open_.back().block];
        above = std::min(above, lowest_[block]);
      }
      if (lowest_[block] == number_[block]) take(block);
    }
  }
  // The component of which this block was met first.
  void take(uint32_t first) {
    Region region;
    for (uint32_t block = kNone; block != first; stack_.pop_back()) {
      block = stack_.back();
      component_[block] = first;
      region.blocks.push_back(block);
    }
    for (const uint32_t block : region.blocks) {
      const auto& successors = blocks_[block].successors;
      if (successors.empty()) return;
      for (const uint32_t to : successors)
        if (component_[to] != first) return;
    }
    for (const uint32_t block : region.blocks)
      regions_.of[block] = static_cast<uint32_t>(regions_.list.size());
    regions_.list.push_back(std::move(region));
  }
  // Blocks with a number below `reached` can run. A region that no run can enter begins anywhere.
  void find_entries(uint32_t reached) {
    std::vector<bool> entry(blocks_.size());
    entry[0] = true;
    for (uint32_t b = 0; b < blocks_.size(); ++b)
      if (number_[b] < reached)
        for (const uint32_t to : blocks_[b].successors)
          if (regions_.of[to] != regions_.of[b]) entry[to] = true;
    for (Region& region : regions_.list) {
      std::ranges::sort(region.blocks);
      std::ranges::copy_if(region.blocks, std::back_inserter(region.entries),
                           [&](uint32_t b) { return entry[b]; });
      if (region.entries.empty()) region.entries.push_back(region.blocks.front());
    }
  }

  std::span<const Block> blocks_;
  Regions regions_;
  std::vector<uint32_t> number_, lowest_, component_;  // by block; component: its first block
  std::vector<uint32_t> stack_;
  std::vector<Open> open_;
  uint32_t next_ = 0;
};

// Dependences when each region's rounds begin at one of its entries.
class RegionRounds {
 public:
  RegionRounds(std::span<Block> blocks, const Regions& regions, size_t number)
      : blocks_(blocks), regions_(regions), end_(static_cast<uint32_t>(blocks.size())) {
    for (const Region& region : regions.list)
      begin_.push_back(region.entries[std::min(number, region.entries.size() - 1)]);
    std::vector<std::vector<uint32_t>> predecessors(blocks.size() + 1);
    for (uint32_t b = 0; b < end_; ++b) {
      if (blocks[b].successors.empty()) predecessors[end_].push_back(b);
      for (const uint32_t to : blocks[b].successors)
        predecessors[ends_round(b, to) ? end_ : to].push_back(b);
    }
    above_ = post_dominators(predecessors, end_);
  }

  // For an edge a → b everything from b up the tree of post-dominators, below a's own, depends on
  // a's branch.
  bool add_parents(uint64_t most) {
    std::vector<uint32_t> last(blocks_.size(), kNone);  // the branch that was added last
    for (uint32_t a = 0; a < end_; ++a) {
      if (blocks_[a].successors.size() < 2) continue;
      for (const uint32_t b : blocks_[a].successors) {
        if (ends_round(a, b)) continue;
        // Where it was added, it was to all that is above.
        for (uint32_t at = b; at != above_[a] && at != end_ && last[at] != a; at = above_[at]) {
          if (most-- == 0) return false;
          last[at] = a;
          blocks_[at].control_parents.push_back(a);
        }
      }
    }
    return true;
  }

  void mark_rounds() {
    for (uint32_t r = 0; r < begin_.size(); ++r) {
      if (regions_.list[r].entries.size() != 1) continue;
      for (uint32_t at = above_[begin_[r]]; at != end_; at = above_[at])
        if (std::ranges::any_of(blocks_[at].control_parents,
                                [&](uint32_t parent) { return regions_.of[parent] == r; }))
          blocks_[at].round = begin_[r];
    }
  }

 private:
  bool ends_round(uint32_t from, uint32_t to) const {
    const uint32_t region = regions_.of[from];
    return region != kNone && begin_[region] == to;
  }

  std::span<Block> blocks_;
  const Regions& regions_;
  const uint32_t end_;
  std::vector<uint32_t> begin_;  // by region
  std::vector<uint32_t> above_;  // immediate post-dominators
};

}  // namespace

bool may_be_endless(std::span<const Block> blocks) {
  // Successors mostly stand behind a block, so that one sweep does.
  std::vector<bool> ends(blocks.size());
  size_t left = blocks.size();
  for (int sweep = 0; sweep < 4 && left != 0; ++sweep)
    for (size_t b = blocks.size(); b-- > 0;) {
      const auto& successors = blocks[b].successors;
      if (ends[b] || !(successors.empty() ||
                       std::ranges::any_of(successors, [&](uint32_t to) { return ends[to]; })))
        continue;
      ends[b] = true;
      --left;
    }
  return left != 0;
}

bool find_control_dependences(std::span<Block> blocks, uint64_t most) {
  for (Block& block : blocks) {
    block.control_parents.clear();
    block.round = kNone;
  }
  const Regions regions = RegionSearch(blocks).run();
  size_t passes = 1;
  uint64_t steps = blocks.size();
  for (const Block& block : blocks) steps += block.successors.size();
  for (const Region& region : regions.list) passes = std::max(passes, region.entries.size());
  passes = std::clamp<uint64_t>(passes, 1, std::max<uint64_t>(1, kMostSteps / steps));
  for (size_t pass = 0; pass < passes; ++pass) {
    RegionRounds rounds(blocks, regions, pass);
    if (!rounds.add_parents(most)) return false;
    if (pass == 0) {
      rounds.mark_rounds();
      continue;
    }
    for (Block& block : blocks) {
      auto& parents = block.control_parents;
      std::ranges::sort(parents);
      parents.resize(static_cast<size_t>(std::ranges::unique(parents).begin() - parents.begin()));
    }
  }
  return true;
}

}  // namespace vestige
