// DFCM, the differential finite context method (VPC paper, section 2.2): an FCM over strides, the
// differences of consecutive values of a line. It predicts the last value plus the stride that
// followed the last kOrder strides.
//
// A table line holds the last kValues distinct strides met in this context, the most recent first,
// and predicts with each of them. There is no hysteresis: the older values take its place. (A line
// starts as zeros, which are not distinct, and change nothing.)
#pragma once

#include "codec/record/vpc/predictor.h"

namespace vestige::vpc {

template <unsigned kOrder, unsigned kValues>
class DfcmPredictor {
 public:
  static constexpr unsigned kPredictions = kValues;

  explicit DfcmPredictor(size_t) : table_(lines_of_order(kOrder) * kValues, Pages::small) {}

  template <class History>
  void locate(const History& history) {
    line_ = table_.data() + history.stride_index(kOrder) * kValues;
    __builtin_prefetch(line_);
  }
  template <class History>
  uint64_t prediction(const History& history, unsigned nth) const {
    return (history.last_value() + line_[nth]) & history.mask();
  }
  template <class History>
  void update(const History& history) {
    move_to_front(line_, kValues, history.stride());
  }
  size_t table_bytes() const { return table_.bytes(); }

 private:
  ZeroedTable<uint64_t> table_;
  uint64_t* line_ = nullptr;  // of the row being coded
};

inline constexpr unsigned kMostDfcmValues = 8;
inline constexpr std::string_view kDfcmSpellings[] = {"dfcm#", "dfcm#.#", "dfcm#x#", "dfcm#/#",
                                                      "dfcm#:#"};

inline constexpr PredictorFamily kDfcm = {
    .number = 4,
    .stem = "dfcm",
    .help = "dfcm1 … dfcm8, with 2 … 8 values per line dfcm4.2",
    .spellings = kDfcmSpellings,
    .most_size = kMostOrder,
    .most_values = kMostDfcmValues,
    .predictions = [](const PredictorSpec& spec) -> unsigned { return spec.values; },
    .bias = [](const PredictorSpec& spec,
               unsigned nth) { return std::max(1u, 8u * spec.size >> 2 * nth); },
    .need =
        [](const PredictorSpec& spec, HistoryNeeds& needs) {
          needs.stride_order = std::max<unsigned>(needs.stride_order, spec.size);
        },
    .table_bytes = [](const PredictorSpec& spec,
                      size_t) { return lines_of_order(spec.size) * spec.values * 8; },
    .make =
        [](const PredictorSpec& spec, size_t lines) {
          return [&]<unsigned... k>(std::integer_sequence<unsigned, k...>) {
            static constexpr std::array make = {
                &boxed<DfcmPredictor<k / kMostDfcmValues + 1, k % kMostDfcmValues + 1>>...};
            return make[(spec.size - 1) * kMostDfcmValues + spec.values - 1](lines);
          }(std::make_integer_sequence<unsigned, kMostOrder * kMostDfcmValues>());
        },
};

}  // namespace vestige::vpc
