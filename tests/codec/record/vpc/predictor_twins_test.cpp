// The fast predictors, from lists and fixed at compile time, against naive ones: every prediction
// in every row.
#include <gtest/gtest.h>

#include "codec/record/vpc/predictor_set.h"
#include "naive_predictors.h"
#include "record_shapes.h"

namespace vestige::vpc {
namespace {

FieldPlan field_plan(FieldRole role, uint8_t width, const PredictorList& predictors) {
  return {role, width, predictors};
}

template <class Set>
void compare(const FieldPlan& plan, const RecordShape& shape, size_t rows) {
  Set set(plan);
  std::vector<std::unique_ptr<NaivePredictor>> naive;
  for (const PredictorSpec& spec : plan.predictors)
    naive.push_back(
        make_naive_predictor(spec.name(), static_cast<uint32_t>(plan.lines()), plan.width));
  const RecordLayout layout{{{"pc", 8, true}, {"value", plan.width, false}}};
  const RecordBlock block = shaped_block(layout, shape, rows, 7 + plan.width);
  std::vector<uint64_t> predictions(set.predictions());
  for (size_t row = 0; row < rows; ++row) {
    const auto line = static_cast<uint32_t>(block.columns[0][row] % plan.lines());
    const uint64_t value = block.columns[1][row];
    set.locate(line);
    set.predict(predictions.data());
    std::vector<uint64_t> expected;
    for (auto& predictor : naive)
      for (const uint64_t prediction : predictor->predict(line)) expected.push_back(prediction);
    ASSERT_EQ(predictions, expected) << shape.name << ", row " << row;
    for (unsigned i = 0; i < predictions.size(); ++i) ASSERT_EQ(set.prediction(i), expected[i]);
    set.update(value);
    for (auto& predictor : naive) predictor->update(line, value);
  }
}

TEST(PredictorTwins, PapersListOfPcPredictors) {
  for (const RecordShape& shape : record_shapes()) {
    compare<PaperPcSet>(field_plan(FieldRole::pc, 4, paper_pc_predictors()), shape, 3000);
    compare<ListedPredictorSet>(field_plan(FieldRole::pc, 4, paper_pc_predictors()), shape, 300);
  }
}

TEST(PredictorTwins, PapersListOfDataPredictors) {
  for (const RecordShape& shape : record_shapes()) {
    compare<PaperDataSet>(field_plan(FieldRole::data, 8, paper_data_predictors()), shape, 3000);
    compare<PaperDataSet>(field_plan(FieldRole::data, 3, paper_data_predictors()), shape, 300);
    compare<ListedPredictorSet>(field_plan(FieldRole::data, 8, paper_data_predictors()), shape,
                                300);
  }
}

TEST(PredictorTwins, EveryPredictorOnItsOwn) {
  std::vector<std::string> names = {"stride", "global"};
  for (int n = 1; n <= 16; ++n) names.push_back("last" + std::to_string(n));
  for (int order = 1; order <= 8; ++order) {
    names.push_back("fcm" + std::to_string(order));
    for (int values = 1; values <= 8; values += order % 3 + 1)
      names.push_back("dfcm" + std::to_string(order) + "." + std::to_string(values));
  }
  for (const std::string& name : names) {
    const auto list = predictors_named(name);
    ASSERT_TRUE(list);
    SCOPED_TRACE(name);
    for (const uint8_t width : {1, 2, 5, 8})
      for (const FieldRole role : {FieldRole::data, FieldRole::global})
        compare<ListedPredictorSet>(field_plan(role, width, *list), record_shapes()[6], 500);
  }
}

// Several predictors of a kind share one history, which is as long as the longest asks for.
TEST(PredictorTwins, SharedHistory) {
  const auto list =
      predictors_named("last2,dfcm2.3,fcm1,last9,fcm7,dfcm8,stride,last1,dfcm1,global");
  ASSERT_TRUE(list);
  for (const RecordShape& shape : record_shapes())
    for (const FieldRole role : {FieldRole::data, FieldRole::pc})
      compare<ListedPredictorSet>(field_plan(role, 8, *list), shape, 500);
}

}  // namespace
}  // namespace vestige::vpc
