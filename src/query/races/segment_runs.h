// The accesses of one segment, by statement, folded into runs as they come (access_runs.h).
#pragma once

#include <vector>

#include "query/races/access_runs.h"

namespace vestige::races {

class SegmentRuns {
 public:
  explicit SegmentRuns(size_t statements) : open_(2 * statements) {}

  // Slot: 2 × #ID, plus 1 when it writes.
  void add(uint32_t slot, uint64_t address, uint64_t bytes, uint64_t time) {
    Open& open = open_[slot];
    const int64_t stride = static_cast<int64_t>(address - open.last);
    if (open.count > 1 && stride == open.stride && open.bytes == bytes) [[likely]] {
      open.last = address;
      open.last_time = time;
      ++open.count;
      return;
    }
    begin(slot, open, address, bytes, time);
  }

  // The same as so many of them, a step and a unit of time from one to the next.
  void add_run(uint32_t slot, uint64_t address, uint64_t step, uint64_t count, uint64_t bytes,
               uint64_t time) {
    const Open& open = open_[slot];
    // Until they are a run of their own, or go on with one.
    for (; count != 0; --count, address += step, ++time) {
      if (open.count > 1 && open.stride == static_cast<int64_t>(step) && open.bytes == bytes &&
          open.last + step == address)
        break;
      add(slot, address, bytes, time);
    }
    if (count == 0) return;
    open_[slot].last += count * step;
    open_[slot].last_time = time + (count - 1);
    open_[slot].count += count;
  }

  // Appends what there is to `out`, as accesses of this segment, and is empty again.
  void finish(uint32_t segment, std::vector<AccessRun>& out);

 private:
  struct Open;
  // Apart, so that an access that goes on with its run saves no registers.
  [[gnu::noinline]] void begin(uint32_t slot, Open& open, uint64_t address, uint64_t bytes,
                               uint64_t time) {
    const auto stride = static_cast<int64_t>(address - open.last);
    if (open.count == 1 && open.bytes == bytes && near(stride)) {
      open.stride = stride;
      open.last = address;
      open.last_time = time;
      open.count = 2;
      return;
    }
    if (open.count == 0) {
      used_.push_back(slot);
    } else {
      close(slot, open);
    }
    open = {address, address, 0, 1, bytes, time, time};
  }

  // Consecutive accesses with one distance; a distance of 0 is one address again and again.
  struct Open {
    uint64_t first = 0, last = 0;
    int64_t stride = 0;
    uint64_t count = 0;  // 0: nothing
    uint64_t bytes = 0;
    uint64_t first_time = 0, last_time = 0;
  };
  struct Closed {
    uint32_t slot;
    StridedInterval where;
    uint64_t times;
    uint64_t first_time, last_time;
  };
  static constexpr size_t kMostClosed = 1 << 18;

  // Arithmetic on addresses stays far from its limits.
  static bool near(int64_t stride) {
    return stride < int64_t{1} << 40 && stride > -(int64_t{1} << 40);
  }
  void close(uint32_t slot, const Open& open);
  void pack();

  std::vector<Open> open_;  // by slot
  std::vector<uint32_t> used_;
  std::vector<Closed> closed_;
  size_t packed_ = 0;  // closed ones after the last packing
};

}  // namespace vestige::races
