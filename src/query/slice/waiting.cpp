#include "query/slice/waiting.h"

#include <algorithm>
#include <tuple>

namespace vestige {

void Waiting::close() {
  if (open_ == SIZE_MAX) return;
  std::vector<WrittenNeed>& list = blocks_[open_];
  for (uint32_t path = 0; path < here_.size(); ++path) {
    for (uint32_t i = heads_[path]; i != kNone; i = linked_[i].next)
      list.push_back(linked_[i].need);
    if (!here_[path]) continue;
    WrittenNeed marker;
    marker.path = path;
    marker.item = kNone;
    list.push_back(marker);
    ++count_;
    elsewhere_[first_time_ + path] = here_[path];
  }
  if (!list.empty()) top_ = std::max(top_, open_ + 1);
  open_ = SIZE_MAX;
  first_time_ = UINT64_MAX;
}

void Waiting::open(size_t number) {
  close();
  open_ = number;
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
  static constexpr ByteRange kAll;
  const auto key = [&](const WrittenNeed& need) {
    const ByteRange& range = need.bytes == kNone ? kAll : ranges_[need.bytes];
    return std::tuple(need.path, need.item, range.first, range.length);
  };
  std::ranges::sort(list, [&](const WrittenNeed& a, const WrittenNeed& b) {
    return std::tuple_cat(key(a), std::tuple(a.token.depth)) <
           std::tuple_cat(key(b), std::tuple(b.token.depth));
  });
  const auto [first, last] = std::ranges::unique(
      list, [&](const WrittenNeed& a, const WrittenNeed& b) { return key(a) == key(b); });
  list.erase(first, last);
  list.reserve(std::max(before, 2 * list.size()));
  count_ -= before - list.size();
}

}  // namespace vestige
