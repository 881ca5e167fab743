// Stretches: how a stream of numbers is written as functions of where they came up.
//
// A stretch is a number of entries that all are constant + the sum of slope × coordinate
// (arithmetic modulo 2^64). Stretches that repeat, with count and constant moving by fixed steps,
// fold into nests (vestige/section.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/section.h"

namespace vestige::spmd {

struct Stretch {
  uint64_t count = 0;  // of entries; 0: all that follow (only the last stretch of a stream)
  uint64_t constant = 0;
  std::vector<uint64_t> slopes = {};                  // outermost coordinate first
  std::vector<std::array<uint64_t, 2>> strides = {};  // by level: of count, of constant
  bool operator==(const Stretch&) const = default;
};

struct StretchEvents {
  static bool match(const Stretch& a, const Stretch& b) { return a.slopes == b.slopes; }
  static bool merge(Stretch& first, const Stretch& next, uint64_t number, size_t level) {
    for (size_t l = 0; l < level; ++l)
      if (first.strides[l] != next.strides[l]) return false;
    if (first.strides.size() > level) {
      const auto& [count, constant] = first.strides[level];
      return next.count == first.count + number * count &&
             next.constant == first.constant + number * constant;
    }
    first.strides.push_back({next.count - first.count, next.constant - first.constant});
    return true;
  }
  static Stretch at(const Stretch& stretch, std::span<const uint64_t> numbers) {
    Stretch out{stretch.count, stretch.constant, stretch.slopes};
    for (size_t l = 0; l < numbers.size() && l < stretch.strides.size(); ++l) {
      out.count += numbers[l] * stretch.strides[l][0];
      out.constant += numbers[l] * stretch.strides[l][1];
    }
    return out;
  }
};

using StretchList = SectionList<Stretch, StretchEvents>;
using StretchSection = Section<Stretch>;

}  // namespace vestige::spmd
