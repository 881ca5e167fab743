// The twin of hot_subpaths.h: counts every sequence of every length of the expanded stream, then
// looks for the minimal ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "query/hot/hot_subpaths.h"

namespace vestige {

using Facts = std::function<TerminalFacts(uint64_t)>;

inline HotSubpathReport naive_hot_subpaths(const std::vector<uint64_t>& stream, const Facts& facts,
                                           const HotSubpathOptions& options) {
  HotSubpathReport report;
  report.length = stream.size();
  for (const uint64_t value : stream) report.weight += facts(value).weight;
  report.threshold =
      options.cost
          ? options.cost
          : static_cast<uint64_t>(std::ceil(options.share * static_cast<double>(report.weight)));
  report.threshold = std::max<uint64_t>(report.threshold, 1);
  struct Count {
    uint64_t occurrences = 0, first = 0, weight = 0;
  };
  std::map<std::vector<uint64_t>, Count> counts;
  for (size_t begin = 0; begin < stream.size(); ++begin) {
    std::vector<uint64_t> sequence;
    uint64_t weight = 0;
    for (size_t end = begin; end < stream.size() && sequence.size() < options.max_length; ++end) {
      if (facts(stream[end]).breaks) break;
      sequence.push_back(stream[end]);
      weight += facts(stream[end]).weight;
      if (sequence.size() < options.min_length) continue;
      Count& count = counts[sequence];
      if (count.occurrences++ == 0) count.first = begin;
      count.weight = weight;
    }
  }
  const auto hot = [&](const std::vector<uint64_t>& sequence) {
    const auto found = counts.find(sequence);
    return found != counts.end() &&
           found->second.occurrences * found->second.weight >= report.threshold;
  };
  for (const auto& [sequence, count] : counts) {
    if (!hot(sequence)) continue;
    bool minimal = true;
    for (size_t begin = 0; begin < sequence.size() && minimal; ++begin)
      for (size_t end = begin + options.min_length; end <= sequence.size() && minimal; ++end)
        if (end - begin < sequence.size())
          minimal = !hot({sequence.begin() + static_cast<ptrdiff_t>(begin),
                          sequence.begin() + static_cast<ptrdiff_t>(end)});
    if (minimal)
      report.subpaths.push_back({sequence, count.occurrences, count.weight,
                                 count.occurrences * count.weight, count.first});
  }
  report.found = report.subpaths.size();
  return report;
}

// In an order that does not depend on ties.
using Row = std::tuple<std::vector<uint64_t>, uint64_t, uint64_t, uint64_t, uint64_t>;
inline std::vector<Row> rows(const HotSubpathReport& report) {
  std::vector<Row> out;
  for (const HotSubpath& s : report.subpaths)
    out.emplace_back(s.terminals, s.occurrences, s.weight, s.cost, s.first);
  std::ranges::sort(out);
  return out;
}

}  // namespace vestige
