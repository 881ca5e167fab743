// Last n values (VPC paper, section 2.2): each of the n most recent distinct values of a line. The
// values are the shared history's, which moves the latest to the front.
#pragma once

#include "codec/record/vpc/predictor.h"

namespace vestige::vpc {

template <unsigned kCount>
class LastValuesPredictor {
 public:
  static constexpr unsigned kPredictions = kCount;

  explicit LastValuesPredictor(size_t) {}

  template <class History>
  void locate(const History&) {}
  template <class History>
  uint64_t prediction(const History& history, unsigned nth) const {
    return history.recent()[nth];
  }
  template <class History>
  void update(const History&) {}
  size_t table_bytes() const { return 0; }
};

inline constexpr unsigned kMostLastValues = 16;
inline constexpr std::string_view kLastValuesSpellings[] = {
    "last#", "last#value", "last#values", "last#v", "l#v", "last", "lastvalue", "lv"};

inline constexpr PredictorFamily kLastValues = {
    .number = 1,
    .stem = "last",
    .help = "last1 … last16",
    .spellings = kLastValuesSpellings,
    .most_size = kMostLastValues,
    .predictions = [](const PredictorSpec& spec) -> unsigned { return spec.size; },
    .bias = [](const PredictorSpec&, unsigned) { return 1u; },
    .need =
        [](const PredictorSpec& spec, HistoryNeeds& needs) {
          needs.last_values = std::max<unsigned>(needs.last_values, spec.size);
        },
    .table_bytes = [](const PredictorSpec&, size_t) { return size_t{0}; },
    .make =
        [](const PredictorSpec& spec, size_t lines) {
          return [&]<unsigned... k>(std::integer_sequence<unsigned, k...>) {
            static constexpr std::array make = {&boxed<LastValuesPredictor<k + 1>>...};
            return make[spec.size - 1](lines);
          }(std::make_integer_sequence<unsigned, kMostLastValues>());
        },
};

}  // namespace vestige::vpc
