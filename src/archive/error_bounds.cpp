#include "archive/error_bounds.h"

#include <algorithm>

#include "base/check.h"

namespace vestige {

namespace {

uint64_t most_of(unsigned width) { return ~uint64_t{0} >> (64 - 8 * width); }

std::string field_names(const RecordLayout& layout) {
  std::string names;
  for (const RecordField& field : layout.fields) names += (names.empty() ? "" : ", ") + field.name;
  return names;
}

}  // namespace

Result<std::vector<uint64_t>> error_bounds(const RecordLayout& layout,
                                           const std::map<std::string, uint64_t>& wanted) {
  std::vector<uint64_t> bounds(layout.fields.size());
  for (const auto& [name, bound] : wanted) {
    bool found = false;
    for (size_t f = 0; f < layout.fields.size(); ++f) {
      const RecordField& field = layout.fields[f];
      if (field.name != name && (name != "value" || field.is_pc)) continue;
      found = true;
      if (field.is_pc)
        return fail(ErrorKind::usage, "the PC, field \"" + name + "\", is always exact");
      if (bound > most_of(field.width) / 2)
        return fail(ErrorKind::usage, "a bound of " + std::to_string(bound) +
                                          " leaves nothing of field \"" + field.name + "\"");
      bounds[f] = bound;
    }
    if (!found)
      return fail(ErrorKind::usage,
                  "no field \"" + name + "\" in this format; there are: " + field_names(layout));
  }
  return bounds;
}

void round_values(const RecordLayout& layout, std::span<const uint64_t> bounds,
                  RecordBlock& block) {
  for (size_t f = 0; f < block.columns.size(); ++f) {
    const uint64_t bound = bounds[f];
    if (bound == 0) continue;
    const uint64_t most = most_of(layout.fields[f].width);
    const uint64_t step = 2 * bound + 1;
    for (uint64_t& value : block.columns[f]) {
      const uint64_t first = value - value % step;
      const uint64_t rounded = most - first < bound ? most : first + bound;
      VESTIGE_CHECK(std::max(rounded, value) - std::min(rounded, value) <= bound);
      value = rounded;
    }
  }
}

std::map<std::string, uint64_t> bounds_by_name(const RecordLayout& layout,
                                               std::span<const uint64_t> bounds) {
  std::map<std::string, uint64_t> named;
  for (size_t f = 0; f < bounds.size(); ++f)
    if (bounds[f] != 0) named[layout.fields[f].name] = bounds[f];
  return named;
}

}  // namespace vestige
