#include "query/slice/waiting.h"

#include <algorithm>

namespace vestige {

void Waiting::open(size_t number) {
  const BlockPlace& place = cursor_.places()[number];
  first_time_ = place.first_time;
  todo_.assign(place.paths / 64 + 1, 0);
  word_ = todo_.size() - 1;
  heads_.assign(place.paths, kNone);
  here_.assign(place.paths, nullptr);
  linked_.clear();
  std::vector<WrittenNeed> list = std::move(blocks_[number]);
  blocks_[number] = {};
  for (const WrittenNeed& need : list) {
    put(need);
    if (need.item != kNone) continue;
    --count_;
    const auto found = elsewhere_.find(place.first_time + need.path);
    if (found == elsewhere_.end()) continue;
    here_[need.path] = found->second;
    elsewhere_.erase(found);
  }
}

ActivationNeeds* Waiting::take(uint32_t path, std::vector<WrittenNeed>& needs) {
  todo_[path / 64] &= ~(uint64_t{1} << (path % 64));
  needs.clear();
  for (uint32_t i = std::exchange(heads_[path], kNone); i != kNone; i = linked_[i].next)
    needs.push_back(linked_[i].need);
  count_ -= needs.size();
  return std::exchange(here_[path], nullptr);
}

void Waiting::merge(std::vector<WrittenNeed>& list) {
  const size_t before = list.size();
  std::ranges::sort(list, [](const WrittenNeed& a, const WrittenNeed& b) {
    if (a.path != b.path) return a.path < b.path;
    if (a.item != b.item) return a.item < b.item;
    if (a.bytes != b.bytes) return a.bytes < b.bytes;
    return a.token.depth < b.token.depth;
  });
  const auto [first, last] =
      std::ranges::unique(list, [](const WrittenNeed& a, const WrittenNeed& b) {
        return a.path == b.path && a.item == b.item && a.bytes == b.bytes;
      });
  list.erase(first, last);
  list.reserve(std::max(before, 2 * list.size()));
  count_ -= before - list.size();
}

}  // namespace vestige
