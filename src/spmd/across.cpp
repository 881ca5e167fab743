#include "spmd/across.h"

#include <algorithm>
#include <numeric>

namespace vestige::spmd {

Labels::Labels(uint32_t threads) {
  Label place;
  for (uint32_t t = 0; t < threads; ++t) {
    place.threads.push_back(t);
    place.values.push_back(t);
  }
  labels_.push_back(std::move(place));
}

std::optional<Across> Labels::fit_label(const Label& label, const ThreadSet& threads,
                                        std::span<const uint64_t> values) {
  // The label's value for each thread, walking both rising lists at once.
  std::vector<uint64_t> here;
  here.reserve(threads.size());
  size_t at = 0;
  for (const uint32_t thread : threads) {
    while (at < label.threads.size() && label.threads[at] < thread) ++at;
    if (at == label.threads.size() || label.threads[at] != thread) return std::nullopt;
    here.push_back(label.values[at]);
  }
  Across out;
  size_t other = 1;
  while (other < here.size() && here[other] == here[0]) ++other;
  if (other == here.size()) return std::nullopt;
  const auto distance = static_cast<int64_t>(here[other] - here[0]);
  const auto difference = static_cast<int64_t>(values[other] - values[0]);
  if (distance == -1) {
    out.b = -static_cast<uint64_t>(difference);
  } else {
    if (difference % distance != 0) return std::nullopt;
    out.b = static_cast<uint64_t>(difference / distance);
  }
  out.a = values[0] - out.b * here[0];
  for (size_t i = 0; i < here.size(); ++i)
    if (out.a + out.b * here[i] != values[i]) return std::nullopt;
  return out;
}

Across Labels::fit(const ThreadSet& threads, std::span<const uint64_t> values) {
  if (std::ranges::all_of(values, [&](uint64_t value) { return value == values[0]; }))
    return {0, values[0], 0};
  for (size_t l = 0; l < labels_.size(); ++l) {
    if (auto across = fit_label(labels_[l], threads, values)) {
      across->label = static_cast<uint32_t>(l + 1);
      return *across;
    }
  }
  uint64_t common = 0;
  for (const uint64_t value : values) {
    const auto d = static_cast<int64_t>(value - values[0]);
    common = std::gcd(common, d < 0 ? -static_cast<uint64_t>(d) : static_cast<uint64_t>(d));
  }
  Label label{threads, {}};
  for (const uint64_t value : values) {
    // The common divisor may be 2^63: its sign does not matter there.
    const auto d = static_cast<int64_t>(value - values[0]);
    const uint64_t size = (d < 0 ? -static_cast<uint64_t>(d) : static_cast<uint64_t>(d)) / common;
    label.values.push_back(d < 0 ? -size : size);
  }
  labels_.push_back(std::move(label));
  return {static_cast<uint32_t>(labels_.size()), values[0], common};
}

}  // namespace vestige::spmd
