// The cache hierarchy once more, plainly: every set a list of lines, every byte with who wrote it
// last. Shares no code with src/query/machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace plain {

struct Level {
  uint64_t bytes, ways, line;
  bool tree = false, shared = false;
};

// One set: its ways, and the order of their use, or the arrows of the tree.
struct WaySet {
  std::vector<uint64_t> ways;     // UINT64_MAX: empty
  std::list<size_t> recent;       // most recently used first
  std::map<size_t, bool> arrows;  // node of the tree: whether it points to the right
};

struct OneCache {
  Level level;
  std::map<uint64_t, WaySet> sets;

  WaySet& set_of(uint64_t number) {
    WaySet& set = sets[number % (level.bytes / level.ways / level.line)];
    if (set.ways.empty()) set.ways.assign(level.ways, UINT64_MAX);
    return set;
  }
  bool missed(uint64_t address) {
    const uint64_t number = address / level.line;
    WaySet& set = set_of(number);
    size_t way =
        static_cast<size_t>(std::find(set.ways.begin(), set.ways.end(), number) - set.ways.begin());
    const bool missed = way == level.ways;
    if (missed) {
      way = static_cast<size_t>(std::find(set.ways.begin(), set.ways.end(), UINT64_MAX) -
                                set.ways.begin());
      if (way == level.ways) way = level.tree ? follow(set) : set.recent.back();
      set.ways[way] = number;
    }
    set.recent.remove(way);
    set.recent.push_front(way);
    // Arrows on the way point elsewhere.
    size_t low = 0, high = level.ways, node = 1;
    while (high - low > 1) {
      const size_t middle = (low + high) / 2;
      const bool right = way >= middle;
      set.arrows[node] = !right;
      (right ? low : high) = middle;
      node = 2 * node + right;
    }
    return missed;
  }
  size_t follow(WaySet& set) const {
    size_t low = 0, high = level.ways, node = 1;
    while (high - low > 1) {
      const size_t middle = (low + high) / 2;
      const bool right = set.arrows[node];
      (right ? low : high) = middle;
      node = 2 * node + right;
    }
    return low;
  }
  bool take_away(uint64_t address) {
    const uint64_t number = address / level.line;
    WaySet& set = set_of(number);
    const auto at = std::find(set.ways.begin(), set.ways.end(), number);
    if (at == set.ways.end()) return false;
    set.recent.remove(static_cast<size_t>(at - set.ways.begin()));
    *at = UINT64_MAX;
    return true;
  }
};

struct Outcome {
  std::vector<bool> missed;  // by level
  std::string why;           // of the first miss of the first level; empty: it hit
  bool upgrade = false;
};

// One process.
class Machine {
 public:
  Machine(std::vector<Level> levels, size_t threads) : levels_(levels) {
    for (const Level& level : levels)
      if (level.shared) shared_.push_back({level, {}});
    for (size_t t = 0; t < threads; ++t) {
      own_.emplace_back();
      for (const Level& level : levels)
        if (!level.shared) own_.back().push_back({level, {}});
    }
    had_.resize(threads);
    lost_.resize(threads);
  }

  Outcome refer(size_t thread, uint64_t address, uint64_t bytes, bool write) {
    Outcome out;
    out.missed.resize(levels_.size());
    bytes = std::max<uint64_t>(bytes, 1);
    const uint64_t size = levels_[0].line;
    for (uint64_t line = address / size * size; line < address + bytes; line += size) {
      std::set<uint64_t> used;
      for (uint64_t at = std::max(line, address); at < std::min(line + size, address + bytes); ++at)
        used.insert(at);
      size_t level = 0;
      bool hit = false;
      for (auto* caches : {&own_[thread], &shared_})
        for (OneCache& cache : *caches) {
          if (hit) continue;
          if (cache.missed(line))
            out.missed[level] = true;
          else
            hit = true;
          ++level;
        }
      const bool first_hit = hit && level == 1;
      if (!first_hit) {
        std::string why = "cold";
        if (had_[thread].contains(line)) {
          why = "replaced";
          if (const auto lost = lost_[thread].find(line); lost != lost_[thread].end()) {
            why = "false";
            for (const uint64_t at : used)
              if (lost->second.contains(at)) why = "true";
          }
        }
        if (out.why.empty()) out.why = why;
        had_[thread].insert(line);
        lost_[thread].erase(line);
      }
      if (!write) continue;
      bool shared = false;
      for (size_t t = 0; t < own_.size(); ++t) {
        if (t == thread) continue;
        bool had = false;
        for (OneCache& cache : own_[t]) had |= cache.take_away(line);
        if (had) lost_[t][line].clear();
        shared |= had;
        if (const auto lost = lost_[t].find(line); lost != lost_[t].end())
          lost->second.insert(used.begin(), used.end());
      }
      out.upgrade |= first_hit && shared;
    }
    return out;
  }

 private:
  std::vector<Level> levels_;
  std::vector<std::vector<OneCache>> own_;
  std::vector<OneCache> shared_;
  std::vector<std::set<uint64_t>> had_;
  std::vector<std::map<uint64_t, std::set<uint64_t>>> lost_;  // line: bytes that others wrote since
};

// By looking back over everything.
inline uint64_t reuse_distance(const std::vector<uint64_t>& lines, size_t at) {
  std::set<uint64_t> between;
  for (size_t i = at; i-- > 0;) {
    if (lines[i] == lines[at]) return between.size();
    between.insert(lines[i]);
  }
  return UINT64_MAX;
}

}  // namespace plain
