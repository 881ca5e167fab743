// FCM, the finite context method (VPC paper, section 2.2): the value that followed the last kOrder
// values when they were met before. The line is found by hash and not checked.
//
// A line holds a value and a saturating counter, nine bytes as in section 5.3. A right prediction
// counts up to kMostConfidence; a wrong one counts down, and at zero replaces the value. So a value
// that was right is replaced only after being wrong twice in a row.
#pragma once

#include <cstring>

#include "codec/record/vpc/predictor.h"

namespace vestige::vpc {

template <unsigned kOrder>
class FcmPredictor {
 public:
  static constexpr unsigned kPredictions = 1;
  static constexpr size_t kTableBytes = lines_of_order(kOrder) * 9;

  explicit FcmPredictor(size_t) : table_(kTableBytes, Pages::small) {}

  template <class History>
  void locate(const History& history) {
    line_ = table_.data() + history.value_index(kOrder) * 9;
    __builtin_prefetch(line_);
  }
  template <class History>
  uint64_t prediction(const History&, unsigned) const {
    uint64_t value;
    std::memcpy(&value, line_, sizeof value);
    return value;
  }
  template <class History>
  void update(const History& history) {
    const uint64_t value = history.value();
    uint8_t& confidence = line_[8];
    if (prediction(history, 0) == value)
      confidence = kMostConfidence;
    else if (confidence > 0)
      --confidence;
    else
      std::memcpy(line_, &value, sizeof value);
  }
  size_t table_bytes() const { return table_.bytes(); }

 private:
  static constexpr uint8_t kMostConfidence = 1;

  ZeroedTable<uint8_t> table_;
  uint8_t* line_ = nullptr;  // of the row being coded
};

inline constexpr std::string_view kFcmSpellings[] = {"fcm#"};

inline constexpr PredictorFamily kFcm = {
    .number = 3,
    .stem = "fcm",
    .help = "fcm1 … fcm8",
    .spellings = kFcmSpellings,
    .most_size = kMostOrder,
    .bias = [](const PredictorSpec& spec, unsigned) { return 4u * spec.size; },
    .need =
        [](const PredictorSpec& spec, HistoryNeeds& needs) {
          needs.value_order = std::max<unsigned>(needs.value_order, spec.size);
        },
    .table_bytes = [](const PredictorSpec& spec, size_t) { return lines_of_order(spec.size) * 9; },
    .make =
        [](const PredictorSpec& spec, size_t lines) {
          return [&]<unsigned... k>(std::integer_sequence<unsigned, k...>) {
            static constexpr std::array make = {&boxed<FcmPredictor<k + 1>>...};
            return make[spec.size - 1](lines);
          }(std::make_integer_sequence<unsigned, kMostOrder>());
        },
};

}  // namespace vestige::vpc
