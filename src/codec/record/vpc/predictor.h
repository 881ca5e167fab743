// Value predictors, and what there is to know about a kind of them.
//
// A predictor is a class with
//     kPredictions         how many values it predicts with
//     Predictor(lines)     lines of the first level (value_history.h)
//     locate(history)      finds its table line for the row, and starts fetching it
//     prediction(history, nth)     cut to the field's width
//     update(history)      the history now knows the row's value
//     table_bytes()        of its own tables, without the history's
// called in this order for each row, prediction() any number of times. History is a template
// parameter, so that the paper's lists compile into one piece of straight code; any other list goes
// through AnyPredictor.
//
// A new kind is one file with such a class and a PredictorKind, and its line in predictor_kinds.h:
// names, disk format, limits, table sizes and reports all come from the PredictorKind.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "codec/record/vpc/value_history.h"

namespace vestige::vpc {

using AnyHistory = ValueHistory<HistoryNeeds>;

// A predictor chosen at run time.
class AnyPredictor {
 public:
  virtual ~AnyPredictor() = default;
  virtual void locate(const AnyHistory& history) = 0;
  virtual uint64_t prediction(const AnyHistory& history, unsigned nth) const = 0;
  virtual void predict(const AnyHistory& history, uint64_t* predictions) const = 0;  // all of them
  virtual void update(const AnyHistory& history) = 0;
  virtual size_t table_bytes() const = 0;
};

template <class Predictor>
class BoxedPredictor final : public AnyPredictor {
 public:
  explicit BoxedPredictor(size_t lines) : predictor_(lines) {}
  void locate(const AnyHistory& history) override { predictor_.locate(history); }
  uint64_t prediction(const AnyHistory& history, unsigned nth) const override {
    return predictor_.prediction(history, nth);
  }
  void predict(const AnyHistory& history, uint64_t* predictions) const override {
    for (unsigned nth = 0; nth < Predictor::kPredictions; ++nth)
      predictions[nth] = predictor_.prediction(history, nth);
  }
  void update(const AnyHistory& history) override { predictor_.update(history); }
  size_t table_bytes() const override { return predictor_.table_bytes(); }

 private:
  Predictor predictor_;
};

template <class Predictor>
std::unique_ptr<AnyPredictor> boxed(size_t lines) {
  return std::make_unique<BoxedPredictor<Predictor>>(lines);
}

struct PredictorFamily;

// One predictor of a list, such as dfcm4.2. Numbers a kind does not take are 0.
struct PredictorSpec {
  const PredictorFamily* kind = nullptr;
  uint8_t size = 0;    // the order, or the n of last-n
  uint8_t values = 0;  // per line of the table

  friend bool operator==(const PredictorSpec&, const PredictorSpec&) = default;
  std::string name() const;                         // "dfcm4.2"
  std::string prediction_name(unsigned nth) const;  // "dfcm4.2[0]"
};

struct PredictorFamily {
  uint8_t number;  // on disk: append, never renumber
  // A name is the stem, then size, then "." and values where there are several.
  std::string_view stem;
  std::string_view help;  // for messages: "fcm1 … fcm8"
  // All spellings, without hyphens; # stands for a number: size, then values. A number left out
  // is 1.
  std::span<const std::string_view> spellings;
  uint8_t most_size = 0;     // 0: takes none
  uint8_t most_values = 0;   // 0: takes none
  bool needs_lines = false;  // makes no sense where there is one line for all rows
  unsigned (*predictions)(const PredictorSpec&) = [](const PredictorSpec&) { return 1u; };
  // The frequency that the nth prediction's code starts with.
  uint32_t (*bias)(const PredictorSpec&, unsigned nth);
  void (*need)(const PredictorSpec&, HistoryNeeds&) = [](const PredictorSpec&, HistoryNeeds&) {};
  size_t (*table_bytes)(const PredictorSpec&, size_t lines);
  std::unique_ptr<AnyPredictor> (*make)(const PredictorSpec&, size_t lines);
};

}  // namespace vestige::vpc
