// Names of what can be right about a value, for --explain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/record/vestige/repeat/model.h"

namespace vestige::repeat {

// By kind; then values of rows before, of the table of values, and none. `shared`: of models with
// tables that all PCs share.
inline std::vector<const char*> outcome_names(bool rich, bool shared = false) {
  std::vector<const char*> names = {"repeat", "shifted",     "stride",
                                    "last",   "by-last-two", "before-last"};
  if (rich) names.insert(names.end(), {"by-previous", "by-third", "by-step", "by-strides"});
  if (shared) {
    names[kByLast] = "by-last";
    names[kByThree] = "by-three";
  }
  names.insert(names.end(), {"again", "cached"});
  return names;
}
// The place of what a favourite says was right among the names, `names` when none was.
inline size_t outcome_of(uint8_t favourite, size_t names) {
  if (favourite == kPlain) return names;
  if (favourite == kCached) return names - 1;
  if (favourite >= kFavourShiftedBy) return kShifted;
  if (favourite >= kFavourAgain) return names - 2;
  return favourite;
}

}  // namespace vestige::repeat
