#include "spmd/table_bytes.h"

#include <algorithm>

namespace vestige::spmd {

namespace {

constexpr size_t kRecent = 8;
constexpr uint64_t kPlaces = 16;

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

void put_table(const std::vector<uint64_t>& values, ByteWriter& out) {
  Recent recent;
  uint64_t last = 0, steady = 0;
  for (size_t i = 0; i < values.size();) {
    const size_t place = recent.place(values[i] - last);
    if (place == 0) {
      out.varint(0);
      out.svarint(static_cast<int64_t>(values[i] - last - steady));
      recent.see(values[i] - last);
      last = values[i++];
      continue;
    }
    uint64_t count = 0;
    for (; i < values.size() && recent.place(values[i] - last) == place; ++i, ++count) {
      steady = values[i] - last;
      recent.see(steady);
      last = values[i];
    }
    out.varint(kPlaces * (count - 1) + place);
  }
}

bool get_table(ByteReader& in, size_t count, std::vector<uint64_t>& values) {
  Recent recent;
  uint64_t last = 0, steady = 0;
  while (values.size() < count) {
    const uint64_t token = in.varint(), place = token % kPlaces;
    const uint64_t same = place == 0 ? 1 : token / kPlaces + 1;
    if (in.failed() || place > recent.size() || same > count - values.size() ||
        (place == 0 && token != 0))
      return false;
    for (uint64_t i = 0; i < same; ++i) {
      const uint64_t difference =
          place == 0 ? steady + static_cast<uint64_t>(in.svarint()) : recent.at(place);
      if (place != 0) steady = difference;
      recent.see(difference);
      last += difference;
      values.push_back(last);
    }
  }
  return !in.failed();
}

}  // namespace vestige::spmd
