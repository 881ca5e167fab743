// Where sections of a trace begin: every so many rows, and once more near the end of a long trace.
//
// Who reads a trace's end (what led to a crash) wants it at once, and a record at a section's end
// is reached last. So the last hundredth of a long trace is a section of its own. To begin anew
// costs about as much as half a million rows do; that is why short traces have none. Their length
// shows only when the end is in sight, so a plan says how far to look ahead.
#pragma once

#include <algorithm>
#include <cstdint>

#include "codec/record_codec.h"

namespace vestige {

struct SectionPlan {
  static constexpr uint64_t kNever = UINT64_MAX;
  // A section this long is decoded in three quarters of a second at worst. A single column goes
  // four times as fast.
  static constexpr uint64_t kRows = uint64_t{5} << 20;
  static constexpr uint64_t kLongSections = 12, kLastPart = 100;
  static constexpr uint64_t kMostAhead = uint64_t{32} << 20;  // bytes

  uint64_t rows = kRows;
  uint64_t long_from = kNever;  // rows of a trace whose end is a section of its own
  uint64_t most_last = 0;       // rows of that section

  static SectionPlan usual(const RecordLayout& layout) {
    SectionPlan plan;
    plan.rows = layout.fields.size() == 1 ? 4 * kRows : kRows;
    plan.long_from = kLongSections * plan.rows;
    plan.most_last = std::min(plan.rows / 5, kMostAhead / std::max<uint64_t>(layout.width(), 1));
    return plan;
  }

  // With so many rows behind, whether the last section may begin before that many more are.
  bool looks_ahead(uint64_t done, uint64_t most) const {
    return long_from != kNever && done + most + most_last >= long_from;
  }
  // Behind so many rows, of which so many are left in all: how many of those come before the last
  // section, 0 where it begins. kNever: none begins any more.
  uint64_t before_last(uint64_t done, uint64_t left) const {
    const uint64_t all = done + left;
    const uint64_t last = std::min((all + kLastPart - 1) / kLastPart, most_last);
    return all < long_from || last == 0 || left < last ? kNever : left - last;
  }
};

}  // namespace vestige
