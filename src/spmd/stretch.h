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

#include "spmd/stream_plugin.h"
#include "vestige/section.h"

namespace vestige::spmd {

struct Stretch {
  uint64_t count = 0;  // of entries; 0: all that follow (only the last stretch of a stream)
  uint64_t constant = 0;
  std::vector<uint64_t> slopes = {};                  // outermost coordinate first
  std::vector<std::array<uint64_t, 2>> strides = {};  // by level: of count, of constant
  const StreamPlugin* plugin = nullptr;               // while it is folded, when there is one
  bool operator==(const Stretch&) const = default;
};

struct StretchEvents {
  static bool match(const Stretch& a, const Stretch& b) {
    return a.slopes == b.slopes && (!a.plugin || may_fold(a, b));
  }
  static bool merge(Stretch& first, const Stretch& next, uint64_t number, size_t level) {
    const vestige_verdict verdict = first.plugin ? ask(first, next, number, level) : VESTIGE_EXACT;
    if (verdict == VESTIGE_APART) return false;
    bool exact = true;
    for (size_t l = 0; l < level; ++l) {
      if (first.strides[l][0] != next.strides[l][0]) return false;
      exact &= first.strides[l][1] == next.strides[l][1];
    }
    if (first.strides.size() > level) {
      const auto& [count, constant] = first.strides[level];
      if (next.count != first.count + number * count) return false;
      exact &= next.constant == first.constant + number * constant;
    }
    if (!exact) {
      if (verdict != VESTIGE_LOSSY || first.plugin->stream != VESTIGE_ADDRESS) return false;
      *first.plugin->lossy = true;
    }
    if (first.strides.size() <= level)
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

 private:
  static vestige_stretch shown(const Stretch& stretch) {
    return {stretch.plugin->stream, stretch.plugin->statement, stretch.count,
            stretch.constant,       stretch.slopes.data(),     stretch.slopes.size()};
  }
  static bool may_fold(const Stretch& a, const Stretch& b) {
    const vestige_stretch left = shown(a), right = shown(b);
    return a.plugin->plugin->match(&left, &right) != VESTIGE_APART;
  }
  static vestige_verdict ask(const Stretch& first, const Stretch& next, uint64_t number,
                             size_t level) {
    const vestige_stretch left = shown(first), right = shown(next);
    uint64_t expected = 0;
    const bool known = first.strides.size() > level;
    if (known) expected = first.constant + number * first.strides[level][1];
    return first.plugin->plugin->merge(&left, &right, number, static_cast<uint32_t>(level),
                                       known ? &expected : nullptr);
  }
};

using StretchList = SectionList<Stretch, StretchEvents>;
using StretchSection = Section<Stretch>;

}  // namespace vestige::spmd
