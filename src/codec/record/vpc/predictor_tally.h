// Counts which prediction was right how often, in all and per PC, for reports (record_codec.h).
#pragma once

#include <unordered_map>

#include "codec/record/vpc/vpc_plan.h"
#include "codec/record_codec.h"

namespace vestige::vpc {

class PredictorTally {
 public:
  PredictorTally(const RecordLayout& layout, const VpcPlan& plan);

  // `prediction` as FieldCoder::encode gives it.
  void count(size_t field, unsigned prediction) { ++explanation_[field].counts[prediction]; }
  void count(size_t field, unsigned prediction, uint64_t pc);
  // `bits` went into the field.
  void spend(size_t field, uint64_t bits);
  const Explanation& explanation() const { return explanation_; }

 private:
  // Finds a PC's row faster than the report's ordered map does; nodes of that map stay where they
  // are.
  using Rows = std::unordered_map<uint64_t, std::vector<uint64_t>*>;
  Explanation explanation_;
  std::vector<Rows> rows_;      // by field
  std::vector<uint64_t> bits_;  // by field
};

}  // namespace vestige::vpc
