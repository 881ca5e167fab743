// Counts which predictor was right, for --explain. Off the hot path: a model holds a pointer that
// is null unless someone asked.
#pragma once

#include <cstdint>
#include <vector>

#include "codec/record_codec.h"

namespace vestige {

class PredictionTally {
 public:
  PredictionTally(FieldExplanation& field, const std::vector<const char*>& predictors)
      : field_(field) {
    for (const char* name : predictors) field_.predictors.push_back(name);
    field_.predictors.push_back("none");
    field_.counts.assign(field_.predictors.size(), 0);
  }
  // `predictor` counts from 0; one past the last means none.
  void saw(uint64_t pc, size_t predictor) {
    ++field_.counts[predictor];
    auto at = field_.by_pc.find(pc);
    if (at == field_.by_pc.end()) {
      if (field_.by_pc.size() >= kExplainedPcs) return;
      at = field_.by_pc.emplace(pc, std::vector<uint64_t>(field_.counts.size(), 0)).first;
    }
    ++at->second[predictor];
  }
  size_t none() const { return field_.counts.size() - 1; }

 private:
  FieldExplanation& field_;
};

}  // namespace vestige
