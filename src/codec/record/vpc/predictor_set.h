// All predictors of a field with the history they share: fixed at compile time, or from a list.
//
// A row goes: locate(line) – predict(), or prediction() – update(value). Predictions are numbered
// in the order of the list.
#pragma once

#include <tuple>
#include <vector>

#include "codec/record/vpc/predictor_kinds.h"
#include "codec/record/vpc/vpc_plan.h"

namespace vestige::vpc {

// The lists of the paper, as code.
template <class Needs, class... Predictors>
class FixedPredictorSet {
 public:
  static constexpr unsigned kPredictions = (Predictors::kPredictions + ...);

  explicit FixedPredictorSet(const FieldPlan& plan)
      : history_(plan.lines(), plan.width, Needs{}), predictors_(Predictors(plan.lines())...) {}

  static constexpr unsigned predictions() { return kPredictions; }
  uint64_t mask() const { return history_.mask(); }
  void locate(uint32_t line) {
    history_.open(line);
    std::apply([&](auto&... predictor) { (predictor.locate(history_), ...); }, predictors_);
  }
  void predict(uint64_t* out) const {
    const auto all_of = [&]<class Predictor>(const Predictor& predictor) {
      for (unsigned nth = 0; nth < Predictor::kPredictions; ++nth)
        *out++ = predictor.prediction(history_, nth);
    };
    std::apply([&](const auto&... predictor) { (all_of(predictor), ...); }, predictors_);
  }
  uint64_t prediction(unsigned number) const {
    uint64_t value = 0;
    const auto is_of = [&]<class Predictor>(const Predictor& predictor) {
      const bool found = number < Predictor::kPredictions;
      if (found) value = predictor.prediction(history_, number);
      number -= Predictor::kPredictions;
      return found;
    };
    std::apply([&](const auto&... predictor) { (void)(is_of(predictor) || ...); }, predictors_);
    return value;
  }
  void update(uint64_t value) {
    history_.arrive(value);
    std::apply([&](auto&... predictor) { (predictor.update(history_), ...); }, predictors_);
    history_.close();
  }
  size_t table_bytes() const {
    return std::apply(
        [&](const auto&... predictor) {
          return (history_.table_bytes() + ... + predictor.table_bytes());
        },
        predictors_);
  }

 private:
  ValueHistory<Needs> history_;
  std::tuple<Predictors...> predictors_;
};

// Any list.
class ListedPredictorSet {
 public:
  explicit ListedPredictorSet(const FieldPlan& plan)
      : history_(plan.lines(), plan.width, plan.needs()) {
    for (const PredictorSpec& spec : plan.predictors) {
      const unsigned count = spec.kind->predictions(spec);
      predictors_.push_back({spec.kind->make(spec, plan.lines()), predictions_});
      for (unsigned nth = 0; nth < count; ++nth) owners_.push_back(predictors_.size() - 1);
      predictions_ += count;
    }
  }

  unsigned predictions() const { return predictions_; }
  uint64_t mask() const { return history_.mask(); }
  void locate(uint32_t line) {
    history_.open(line);
    for (const Member& member : predictors_) member.predictor->locate(history_);
  }
  void predict(uint64_t* out) const {
    for (const Member& member : predictors_)
      member.predictor->predict(history_, out + member.first);
  }
  uint64_t prediction(unsigned number) const {
    const Member& member = predictors_[owners_[number]];
    return member.predictor->prediction(history_, number - member.first);
  }
  void update(uint64_t value) {
    history_.arrive(value);
    for (const Member& member : predictors_) member.predictor->update(history_);
    history_.close();
  }
  size_t table_bytes() const {
    size_t bytes = history_.table_bytes();
    for (const Member& member : predictors_) bytes += member.predictor->table_bytes();
    return bytes;
  }

 private:
  struct Member {
    std::unique_ptr<AnyPredictor> predictor;
    unsigned first;  // of its predictions
  };
  AnyHistory history_;
  std::vector<Member> predictors_;
  std::vector<size_t> owners_;  // by prediction
  unsigned predictions_ = 0;
};

// Section 5.3; vpc_plan.cpp spells the same lists in words.
using PaperPcSet = FixedPredictorSet<FixedHistoryNeeds<1, 6, 6>, StridePredictor, FcmPredictor<6>,
                                     DfcmPredictor<4, 2>, DfcmPredictor<5, 4>, DfcmPredictor<6, 2>>;
using PaperDataSet =
    FixedPredictorSet<FixedHistoryNeeds<6, 6, 6>, LastValuesPredictor<6>, StridePredictor,
                      FcmPredictor<1>, FcmPredictor<2>, FcmPredictor<3>, FcmPredictor<6>,
                      DfcmPredictor<1, 4>, DfcmPredictor<2, 4>, DfcmPredictor<3, 2>,
                      DfcmPredictor<4, 1>, DfcmPredictor<6, 4>, GlobalLocalPredictor>;

}  // namespace vestige::vpc
