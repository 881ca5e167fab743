// Stride 2-delta (VPC paper, section 2.2): the last value plus a stride. Each line keeps the latest
// stride and the one in use; a stride comes into use when it occurs twice in a row. The last value
// is the shared history's.
#pragma once

#include "codec/record/vpc/predictor.h"

namespace vestige::vpc {

class StridePredictor {
 public:
  struct Line {
    uint64_t latest, used;
  };
  static constexpr unsigned kPredictions = 1;

  explicit StridePredictor(size_t lines) : table_(lines, Pages::small) {}

  template <class History>
  void locate(const History& history) {
    line_ = &table_[history.line()];
    __builtin_prefetch(line_);
  }
  template <class History>
  uint64_t prediction(const History& history, unsigned) const {
    return (history.last_value() + line_->used) & history.mask();
  }
  template <class History>
  void update(const History& history) {
    if (line_->latest == history.stride()) line_->used = history.stride();
    line_->latest = history.stride();
  }
  size_t table_bytes() const { return table_.bytes(); }

 private:
  ZeroedTable<Line> table_;
  Line* line_ = nullptr;  // of the row being coded
};

inline constexpr std::string_view kStrideSpellings[] = {
    "stride", "stride2", "stride2delta", "stride2d", "st", "st2d", "st2delta", "s2d"};

inline constexpr PredictorFamily kStride = {
    .number = 2,
    .stem = "stride",
    .help = "stride",
    .spellings = kStrideSpellings,
    .bias = [](const PredictorSpec&, unsigned) { return 4u; },
    .table_bytes = [](const PredictorSpec&,
                      size_t lines) { return lines * sizeof(StridePredictor::Line); },
    .make = [](const PredictorSpec&, size_t lines) { return boxed<StridePredictor>(lines); },
};

}  // namespace vestige::vpc
