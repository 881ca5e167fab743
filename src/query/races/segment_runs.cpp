#include "query/races/segment_runs.h"

#include <algorithm>
#include <tuple>

namespace vestige::races {

void SegmentRuns::close(uint32_t slot, const Open& open) {
  if (open.stride == 0) {
    closed_.push_back(
        {slot, {open.first, 0, 1, open.bytes}, open.count, open.first_time, open.last_time});
  } else if (open.count == 2) {
    for (const uint64_t address : {open.first, open.last})
      closed_.push_back({slot, {address, 0, 1, open.bytes}, 1, open.first_time, open.last_time});
  } else {
    const bool up = open.stride > 0;
    const auto distance = static_cast<uint64_t>(up ? open.stride : -open.stride);
    closed_.push_back({slot,
                       {up ? open.first : open.last, distance, open.count, open.bytes},
                       1,
                       open.first_time,
                       open.last_time});
  }
  if (closed_.size() > packed_ + kMostClosed) pack();
}

void SegmentRuns::pack() {
  std::ranges::sort(closed_, {}, [](const Closed& run) {
    return std::tuple(run.slot, run.where.bytes, run.where.count, run.where.stride,
                      run.where.start);
  });
  // Equal ones are one; then single addresses with one distance between them.
  size_t end = 0;
  for (const Closed& run : closed_) {
    if (end > 0 && closed_[end - 1].slot == run.slot && closed_[end - 1].where == run.where) {
      Closed& before = closed_[end - 1];
      before.times += run.times;
      before.first_time = std::min(before.first_time, run.first_time);
      before.last_time = std::max(before.last_time, run.last_time);
    } else {
      closed_[end++] = run;
    }
  }
  closed_.resize(end);
  const auto alike = [](const Closed& a, const Closed& b) {
    return a.slot == b.slot && a.where.bytes == b.where.bytes && a.where.count == 1 &&
           b.where.count == 1 && a.times == b.times &&
           near(static_cast<int64_t>(b.where.start - a.where.start));
  };
  size_t out = 0;
  for (size_t i = 0; i < closed_.size();) {
    size_t next = i + 1;
    if (next < closed_.size() && alike(closed_[i], closed_[next])) {
      const uint64_t stride = closed_[next].where.start - closed_[i].where.start;
      while (next < closed_.size() && alike(closed_[i], closed_[next]) &&
             closed_[next].where.start - closed_[next - 1].where.start == stride)
        ++next;
    }
    if (next - i < 3) {
      closed_[out++] = closed_[i++];
      continue;
    }
    Closed whole = closed_[i];
    whole.where.stride = closed_[i + 1].where.start - closed_[i].where.start;
    whole.where.count = next - i;
    for (size_t k = i + 1; k < next; ++k) {
      whole.first_time = std::min(whole.first_time, closed_[k].first_time);
      whole.last_time = std::max(whole.last_time, closed_[k].last_time);
    }
    closed_[out++] = whole;
    i = next;
  }
  closed_.resize(out);
  packed_ = out;
}

void SegmentRuns::finish(uint32_t segment, std::vector<AccessRun>& out) {
  for (const uint32_t slot : used_) {
    close(slot, open_[slot]);
    open_[slot].count = 0;
  }
  used_.clear();
  pack();
  for (const Closed& run : closed_)
    out.push_back({{run.slot / 2, run.slot % 2 == 1, false},
                   run.where,
                   segment,
                   0,
                   run.times,
                   run.first_time,
                   run.last_time});
  closed_.clear();
  packed_ = 0;
}

}  // namespace vestige::races
