#include "spmd/table_bytes.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace vestige::spmd {

namespace {

constexpr size_t kRecent = 8;
constexpr uint64_t kPlaces = 16;
constexpr uint64_t kJump = 9;
constexpr unsigned kMostZeros = 32;

// The differences seen lately, the last one first; but a new one comes last, since most never come
// again.
class Recent {
 public:
  // From 1; 0: it is not among them.
  size_t place(uint64_t difference) const {
    const auto found = std::ranges::find(all_, difference);
    return found == all_.end() ? 0 : static_cast<size_t>(found - all_.begin()) + 1;
  }
  size_t size() const { return all_.size(); }
  uint64_t at(size_t place) const { return all_[place - 1]; }
  void see(uint64_t difference) {
    if (const size_t there = place(difference)) {
      std::rotate(all_.begin(), all_.begin() + static_cast<ptrdiff_t>(there - 1),
                  all_.begin() + static_cast<ptrdiff_t>(there));
      return;
    }
    if (all_.size() == kRecent) all_.pop_back();
    all_.push_back(difference);
  }

 private:
  std::vector<uint64_t> all_;
};

}  // namespace

void put_table(std::span<const uint64_t> values, ByteWriter& out) {
  Recent recent;
  uint64_t steady = 0;
  size_t last_place = 0;
  const size_t size = values.size();
  const auto difference = [&](size_t i) { return values[i] - (i == 0 ? 0 : values[i - 1]); };
  // How many from `i` on have this place; the list goes on with them.
  const auto run = [&](size_t i, size_t place, Recent& list) {
    uint64_t count = 0;
    for (; i < size && list.place(difference(i)) == place; ++i, ++count) list.see(difference(i));
    return count;
  };
  std::optional<unsigned> zeros;  // of the unit of jumps
  for (size_t i = 0; i < size;) {
    if (last_place != 0) {
      // Behind as many as go on as before, a jump, if what follows goes on as if there were none.
      Recent then = recent;
      const uint64_t count = run(i, last_place, then);
      if (const size_t at = i + count; at < size && then.place(difference(at)) == 0) {
        const uint64_t expected = then.at(last_place);
        const auto jump = static_cast<int64_t>(difference(at) - expected);
        then.see(expected);
        const auto fine =
            std::min<unsigned>(std::countr_zero(static_cast<uint64_t>(jump)), kMostZeros);
        if ((at + 1 == size || difference(at + 1) == then.at(last_place)) &&
            (!zeros || fine >= *zeros)) {
          out.varint(kPlaces * count + kJump);
          if (!zeros) out.varint(*(zeros = fine));
          out.svarint(jump >> *zeros);
          steady = expected;
          recent = std::move(then);
          i = at + 1;
          continue;
        }
      }
    }
    const size_t place = recent.place(difference(i));
    if (place == 0) {
      out.varint(0);
      out.svarint(static_cast<int64_t>(difference(i) - steady));
      recent.see(difference(i));
      ++i;
      continue;
    }
    const uint64_t count = run(i, place, recent);
    i += count;
    steady = difference(i - 1);
    last_place = place;
    out.varint(kPlaces * (count - 1) + place);
  }
}

bool get_table(ByteReader& in, size_t count, std::vector<uint64_t>& values) {
  Recent recent;
  uint64_t last = 0, steady = 0;
  size_t last_place = 0;
  std::optional<uint64_t> zeros;
  const auto go_on = [&](uint64_t jump) {
    steady = recent.at(last_place);
    recent.see(steady);
    values.push_back(last += steady + jump);
  };
  while (values.size() < count) {
    const uint64_t token = in.varint(), place = token % kPlaces, rest = token / kPlaces;
    if (in.failed()) return false;
    if (place == 0) {
      if (rest != 0) return false;
      const uint64_t difference = steady + static_cast<uint64_t>(in.svarint());
      recent.see(difference);
      values.push_back(last += difference);
      continue;
    }
    if ((place == kJump ? last_place == 0 : place > recent.size()) || rest >= count - values.size())
      return false;
    if (place != kJump) last_place = place;
    for (uint64_t i = 0; i < rest; ++i) go_on(0);
    if (place != kJump) {
      go_on(0);
      continue;
    }
    if (!zeros) zeros = in.varint();
    if (*zeros > kMostZeros) return false;
    go_on(static_cast<uint64_t>(in.svarint()) << *zeros);
  }
  return !in.failed();
}

}  // namespace vestige::spmd
