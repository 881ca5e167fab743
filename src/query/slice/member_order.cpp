#include "query/slice/member_order.h"

#include "base/spill_sort.h"

namespace vestige {

namespace {

struct OrderKey {
  uint64_t order = 0;
  uint32_t place = 0;
};

// The numbers of members' paths, for those who ask for one behind the other.
class PathNumbers {
 public:
  explicit PathNumbers(const Interleaving& interleaving) : interleaving_(interleaving) {}
  uint64_t of(const FoundMember& member) {
    if (run_ && run_->thread == member.thread && member.time >= run_->first_time &&
        member.time < run_->end_time())
      return run_->first_order + (member.time - run_->first_time);
    const uint64_t order = interleaving_.order(member.thread, member.time);
    run_ = interleaving_.run_of(order);
    return order;
  }

 private:
  const Interleaving& interleaving_;
  const ThreadRun* run_ = nullptr;
};

}  // namespace

MemberOrder MemberOrder::of(bool forward, const Interleaving& interleaving, FoundMembers& members) {
  MemberOrder order;
  order.size_ = members.size();
  order.backward_ = !forward;
  PathNumbers numbers(interleaving);
  // Whoever comes before one that was met already is out of order.
  SpillArray<OrderKey> others;
  uint64_t latest = 0;
  for (uint64_t i = 0; i < order.size_; ++i) {
    const uint32_t place = order.at(i);
    const uint64_t number = numbers.of(members.at(place));
    if (number < latest)
      others.append({number, place});
    else
      latest = number;
  }
  if (others.empty()) return order;
  const auto before = [forward](const OrderKey& a, const OrderKey& b) {
    if (a.order != b.order) return a.order < b.order;
    return forward ? a.place < b.place : a.place > b.place;
  };
  others = spill_sorted(std::move(others), before);
  SpillArray<uint32_t> places;
  uint64_t next = 0;
  latest = 0;
  for (uint64_t i = 0; i < order.size_; ++i) {
    const uint32_t place = order.at(i);
    const OrderKey key{numbers.of(members.at(place)), place};
    if (key.order < latest) continue;
    latest = key.order;
    for (; next < others.size() && before(others.at(next), key); ++next)
      places.append(others.at(next).place);
    places.append(place);
  }
  for (; next < others.size(); ++next) places.append(others.at(next).place);
  order.places_ = std::move(places);
  order.listed_ = true;
  return order;
}

MemberOrder MemberOrder::of_thread(MemberOrder& all, FoundMembers& members, uint32_t thread) {
  MemberOrder order;
  order.listed_ = true;
  for (uint64_t i = 0; i < all.size(); ++i)
    if (const uint32_t place = all.at(i); members.at(place).thread == thread)
      order.places_.append(place);
  order.size_ = order.places_.size();
  return order;
}

}  // namespace vestige
