// The paper's own configuration: how many predictions, and what its tables take (section 5.3).
#include <gtest/gtest.h>

#include "codec/record/vpc/field_coder.h"
#include "codec/record/vpc/predictor_set.h"
#include "record_shapes.h"

namespace vestige::vpc {
namespace {

constexpr size_t kKiB = 1024;

VpcPlan paper_plan() { return *plan_for(vpc_layout(), {}); }

TEST(VpcTables, TenAndTwentySevenPredictions) {
  const VpcPlan plan = paper_plan();
  EXPECT_EQ(plan.fields[0].predictions(), 10u);
  EXPECT_EQ(plan.fields[1].predictions(), 27u);
  EXPECT_EQ(PaperPcSet::kPredictions, 10u);
  EXPECT_EQ(PaperDataSet::kPredictions, 27u);
}

TEST(VpcTables, SizesOfThePaper) {
  const VpcPlan plan = paper_plan();
  const size_t pc = make_field_coder(plan.fields[0], 0)->table_bytes();
  const size_t data = make_field_coder(plan.fields[1], 0)->table_bytes();
  // 22.5 MiB of second-level tables, and the first level: 24 bytes of the stride predictor, 2 × 12
  // of folded values.
  EXPECT_EQ(pc, 22 * kKiB * kKiB + 512 * kKiB + 24 + 12 + 12);
  // last-6, strides, folded values and strides, FCM, DFCM, global/local: 26.5 MB rounded.
  EXPECT_EQ(data, (768 + 256 + 2 * 192 + (144 + 288 + 576 + 4608) +
                   (4 * 128 + 4 * 256 + 2 * 512 + 1024 + 4 * 4096) + 128) *
                      kKiB);
  EXPECT_NEAR(static_cast<double>(data) / (kKiB * kKiB), 26.5, 0.05);
  EXPECT_NEAR(static_cast<double>(pc + data) / (kKiB * kKiB), 49, 0.05);
}

TEST(VpcTables, PlansForeseeWhatIsAllocated) {
  for (const RecordLayout& layout : record_layouts())
    for (const char* list : {"", "last3,fcm2,dfcm4.3,stride,global", "fcm1", "dfcm8.2", "stride"}) {
      RecordCodecOptions options;
      options.predictors = list;
      const auto plan = plan_for(layout, options);
      ASSERT_TRUE(plan);
      for (const FieldPlan& field : plan->fields)
        EXPECT_EQ(make_field_coder(field, 0)->table_bytes(), field.table_bytes());
    }
}

TEST(VpcTables, WideLayoutsGetSmallerTables) {
  RecordLayout layout{{{"pc", 8, true}}};
  for (int i = 0; i < 200; ++i) layout.fields.push_back({"f" + std::to_string(i), 8, false});
  const auto plan = plan_for(layout, {});
  ASSERT_TRUE(plan);
  size_t bytes = 0;
  for (const FieldPlan& field : plan->fields) bytes += field.table_bytes();
  EXPECT_LE(bytes, kMostTableBytes);
}

TEST(VpcTables, IndexTakesFourteenBitsAndOneMorePerOrder) {
  ValueHistory<FixedHistoryNeeds<1, 8, 8>> history(1, 8, {});
  uint32_t seen[9] = {};
  for (uint64_t value = 1; value < 200'000; value = value * 5 / 4 + 1) {
    history.open(0);
    for (unsigned order = 1; order <= 8; ++order) {
      EXPECT_LT(history.value_index(order), lines_of_order(order));
      seen[order] |= static_cast<uint32_t>(history.value_index(order));
    }
    history.arrive(value * 0x9e3779b97f4a7c15);
    history.close();
  }
  for (unsigned order = 1; order <= 8; ++order) EXPECT_EQ(seen[order], lines_of_order(order) - 1);
}

}  // namespace
}  // namespace vestige::vpc
