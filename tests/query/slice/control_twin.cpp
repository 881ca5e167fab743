#include "control_twin.h"

#include <algorithm>

namespace vestige {

namespace {

using Set = std::vector<bool>;

// Blocks that can be reached in one step or more.
Set reached(const Function& f, uint32_t from) {
  Set seen(f.blocks.size());
  std::vector<uint32_t> open = {from};
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    for (const uint32_t to : f.blocks[at].successors)
      if (!seen[to]) {
        seen[to] = true;
        open.push_back(to);
      }
  }
  return seen;
}

// By block: what is on every way from it to the end. An edge for which `ends` holds is an end.
template <class Ends>
std::vector<Set> on_every_way(const Function& f, const Ends& ends) {
  const size_t n = f.blocks.size();
  std::vector<Set> all(n, Set(n, true));
  for (bool more = true; more;) {
    more = false;
    for (auto b = static_cast<uint32_t>(n); b-- > 0;) {
      Set now(n, !f.blocks[b].successors.empty());
      for (const uint32_t to : f.blocks[b].successors)
        for (size_t k = 0; k < n; ++k) now[k] = now[k] && !ends(b, to) && all[to][k];
      now[b] = true;
      if (now == all[b]) continue;
      all[b] = now;
      more = true;
    }
  }
  return all;
}

}  // namespace

ControlTwin control_twin(const Function& f) {
  const auto n = static_cast<uint32_t>(f.blocks.size());
  ControlTwin out;
  out.parents.resize(n);
  out.rounds.assign(n, kNone);
  // Endless regions: whatever a block reaches leads back to it, and it goes on.
  std::vector<Set> reach;
  for (uint32_t b = 0; b < n; ++b) reach.push_back(reached(f, b));
  std::vector<uint32_t> region(n, kNone);  // its least block
  std::vector<std::vector<uint32_t>> entries(n);
  size_t most = 1;
  for (uint32_t a = 0; a < n; ++a) {
    bool endless = reach[a][a];
    for (uint32_t b = 0; b < n; ++b) endless = endless && (!reach[a][b] || reach[b][a]);
    if (!endless || region[a] != kNone) continue;
    out.endless = true;
    for (uint32_t b = 0; b < n; ++b)
      if (reach[a][b]) region[b] = a;
    for (uint32_t b = 0; b < n; ++b) {
      if (region[b] != a) continue;
      bool entry = b == 0;
      for (uint32_t c = 0; c < n; ++c)
        entry = entry || ((c == 0 || reach[0][c]) && !reach[a][c] &&
                          std::ranges::count(f.blocks[c].successors, b) != 0);
      if (entry) entries[a].push_back(b);
    }
    if (entries[a].empty()) entries[a].push_back(a);
    most = std::max(most, entries[a].size());
  }
  // Where rounds may begin, in turn.
  for (size_t turn = 0; turn < most; ++turn) {
    const auto begin = [&](uint32_t r) { return entries[r][turn % entries[r].size()]; };
    const auto ends = [&](uint32_t from, uint32_t to) {
      return region[from] != kNone && to == begin(region[from]);
    };
    const std::vector<Set> always = on_every_way(f, ends);
    for (uint32_t a = 0; a < n; ++a) {
      const auto& to = f.blocks[a].successors;
      for (uint32_t b = 0; to.size() > 1 && b < n; ++b) {
        const auto on_way = [&](uint32_t k) { return !ends(a, k) && always[k][b]; };
        if (std::ranges::any_of(to, on_way) && !std::ranges::all_of(to, on_way))
          out.parents[b].insert(a);
      }
    }
    for (uint32_t b = 0; b < n; ++b) {
      const uint32_t r = region[b];
      if (r != kNone && entries[r].size() == 1 && b != entries[r][0] && always[entries[r][0]][b])
        out.rounds[b] = entries[r][0];
    }
  }
  return out;
}

}  // namespace vestige
