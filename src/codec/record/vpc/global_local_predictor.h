// Global/local last value (VPC paper, section 2.2): the last value of some line, not always the
// row's own, so that any instruction may be tied to any other.
//
// Each line keeps which line it looks at and a saturating confidence in it. A right prediction
// counts up to kMostConfidence; a wrong one counts down, and at zero moves on to the next line,
// modulo the lines. At the start a line looks at itself: what is stored is the distance to the line
// looked at, so that a table of zeros says so.
#pragma once

#include "codec/record/vpc/predictor.h"

namespace vestige::vpc {

class GlobalLocalPredictor {
 public:
  struct Line {
    uint32_t distance, confidence;
  };
  static constexpr unsigned kPredictions = 1;

  explicit GlobalLocalPredictor(size_t lines)
      : mask_(static_cast<uint32_t>(lines - 1)), table_(lines, Pages::small) {}

  template <class History>
  void locate(const History& history) {
    line_ = &table_[history.line()];
    __builtin_prefetch(line_);
  }
  template <class History>
  uint64_t prediction(const History& history, unsigned) const {
    return history.last_value_of((history.line() + line_->distance) & mask_);
  }
  template <class History>
  void update(const History& history) {
    if (prediction(history, 0) == history.value())
      line_->confidence += line_->confidence < kMostConfidence;
    else if (line_->confidence > 0)
      --line_->confidence;
    else
      line_->distance = (line_->distance + 1) & mask_;
  }
  size_t table_bytes() const { return table_.bytes(); }

 private:
  static constexpr uint32_t kMostConfidence = 3;

  uint32_t mask_;
  ZeroedTable<Line> table_;
  Line* line_ = nullptr;  // of the row being coded
};

inline constexpr std::string_view kGlobalLocalSpellings[] = {
    "global",       "gllv",
    "globallocal",  "globallocallastvalue",
    "global/local", "global/locallastvalue"};

inline constexpr PredictorFamily kGlobalLocal = {
    .number = 5,
    .stem = "global",
    .help = "global",
    .spellings = kGlobalLocalSpellings,
    .needs_lines = true,
    .bias = [](const PredictorSpec&, unsigned) { return 1u; },
    .table_bytes = [](const PredictorSpec&,
                      size_t lines) { return lines * sizeof(GlobalLocalPredictor::Line); },
    .make = [](const PredictorSpec&, size_t lines) { return boxed<GlobalLocalPredictor>(lines); },
};

}  // namespace vestige::vpc
