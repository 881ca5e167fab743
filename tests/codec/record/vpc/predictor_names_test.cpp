#include "codec/record/vpc/predictor_names.h"

#include <gtest/gtest.h>

#include "codec/record/vpc/vpc_plan.h"
#include "record_shapes.h"

namespace vestige::vpc {
namespace {

std::string names_of(const PredictorList& list) {
  std::string names;
  for (const PredictorSpec& spec : list) names += (names.empty() ? "" : ",") + spec.name();
  return names;
}

Result<VpcPlan> plan_with(std::string_view predictors, const RecordLayout& layout = vpc_layout()) {
  RecordCodecOptions options;
  options.predictors = predictors;
  return plan_for(layout, options);
}

TEST(PredictorNames, Spellings) {
  const std::pair<const char*, const char*> spellings[] = {{"last6", "last6"},
                                                           {"last-6", "last6"},
                                                           {"last-6-value", "last6"},
                                                           {"Last_6_Values", "last6"},
                                                           {"l6v", "last6"},
                                                           {"L16V", "last16"},
                                                           {"lv", "last1"},
                                                           {"last", "last1"},
                                                           {"last-value", "last1"},
                                                           {"stride", "stride"},
                                                           {"stride2", "stride"},
                                                           {"stride-2", "stride"},
                                                           {"st2d", "stride"},
                                                           {"stride-2-delta", "stride"},
                                                           {"fcm3", "fcm3"},
                                                           {"fcm-3", "fcm3"},
                                                           {"FCM8", "fcm8"},
                                                           {"dfcm4", "dfcm4"},
                                                           {"dfcm-4", "dfcm4"},
                                                           {"dfcm4.1", "dfcm4"},
                                                           {"dfcm4.2", "dfcm4.2"},
                                                           {"dfcm4x2", "dfcm4.2"},
                                                           {"dfcm4/2", "dfcm4.2"},
                                                           {"dfcm4:2", "dfcm4.2"},
                                                           {"dfcm-4-2", "dfcm4.2"},
                                                           {"global", "global"},
                                                           {"gllv", "global"},
                                                           {"global-local", "global"},
                                                           {"global/local", "global"},
                                                           {"global-local-last-value", "global"}};
  for (const auto& [spelling, name] : spellings) {
    const auto spec = predictor_named(spelling);
    ASSERT_TRUE(spec) << spelling;
    EXPECT_EQ(spec->name(), name) << spelling;
  }
}

TEST(PredictorNames, WhatDoesNotExistSaysWhatDoes) {
  for (const char* name : {"", "x", "fcm", "fcm0", "fcm9", "fcm3.2", "dfcm", "dfcm4.0", "dfcm4.9",
                           "dfcm9.2", "dfcm99999999999999999999", "last0", "last17", "stride3delta",
                           "stride9", "#", "fcm#", "last##", "best"}) {
    const auto spec = predictor_named(name);
    ASSERT_FALSE(spec) << name;
    EXPECT_EQ(spec.error().kind, ErrorKind::usage);
    for (const char* stem : {"last1", "stride", "fcm1", "dfcm1", "global"})
      EXPECT_NE(spec.error().message.find(stem), std::string::npos) << spec.error().message;
  }
}

TEST(PredictorNames, ListsForFields) {
  const std::string pc = names_of(paper_pc_predictors()), data = names_of(paper_data_predictors());
  const struct {
    const char* list;
    std::string pc, data;
  } cases[] = {
      {"", pc, data},
      {" ", pc, data},
      {"fcm3,dfcm4,last6", "fcm3,dfcm4,last6", "fcm3,dfcm4,last6"},
      {" fcm3 , , stride ", "fcm3,stride", "fcm3,stride"},
      {"data=lv", pc, "last1"},
      {"pc=stride,fcm6;data=last-6", "stride,fcm6", "last6"},
      {"stride;data=fcm1;", "stride", "fcm1"},
      {"fcm2,global", "fcm2", "fcm2,global"},  // no sense in one line for all rows
      {"global", pc, "global"},
      {"pc=global", "global", data},  // but where it is asked for by name
  };
  for (const auto& c : cases) {
    const auto plan = plan_with(c.list);
    ASSERT_TRUE(plan) << c.list << ": " << plan.error().message;
    EXPECT_EQ(names_of(plan->fields[0].predictors), c.pc) << c.list;
    EXPECT_EQ(names_of(plan->fields[1].predictors), c.data) << c.list;
  }
}

TEST(PredictorNames, FieldsOfALayout) {
  const RecordLayout layout{{{"site", 8, true}, {"address", 8, false}, {"kind", 1, false}}};
  auto plan = plan_with("data=fcm1;kind=lv;pc=stride", layout);
  ASSERT_TRUE(plan);
  EXPECT_EQ(names_of(plan->fields[0].predictors), "stride");
  EXPECT_EQ(names_of(plan->fields[1].predictors), "fcm1");
  EXPECT_EQ(names_of(plan->fields[2].predictors), "last1");
  plan = plan_with("size=fcm1", layout);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::usage);
  EXPECT_NE(plan.error().message.find("site, address, kind"), std::string::npos);
}

TEST(PredictorNames, RefusedLists) {
  for (const char* list : {"pc=", "fcm3,nothing", "data=;pc=fcm1", "data=fcm1,,fcm77",
                           "last16,last16,last16,lv",  // too many predictions
                           "dfcm8.8,dfcm8.8,dfcm8.8,dfcm8.8,dfcm8.8,dfcm7.8"}) {  // too much memory
    const auto plan = plan_with(list);
    ASSERT_FALSE(plan) << list;
    EXPECT_EQ(plan.error().kind, ErrorKind::usage);
  }
}

TEST(PredictorNames, RefusedLayouts) {
  for (const RecordLayout& layout : {RecordLayout{}, RecordLayout{{{"x", 0, false}}},
                                     RecordLayout{{{"pc", 4, true}, {"x", 9, false}}}}) {
    const auto plan = plan_for(layout, {});
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().kind, ErrorKind::usage);
  }
}

TEST(PredictorNames, PlansReadBack) {
  for (const RecordLayout& layout : record_layouts())
    for (const char* list : {"", "stride", "dfcm3.4,last9", "data=fcm1,gllv"}) {
      RecordCodecOptions options;
      options.predictors = list;
      options.preamble = {0x10, 0x27, 0, 0};
      const auto plan = plan_for(layout, options);
      if (!plan) continue;  // "data" of a PC alone
      EXPECT_EQ(plan->range, 10000u);
      const Bytes bytes = plan->bytes();
      const auto read = read_plan(layout, bytes);
      ASSERT_TRUE(read);
      EXPECT_EQ(read->bytes(), bytes);
      EXPECT_EQ(read->range, plan->range);
      for (size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(read_plan(layout, ByteView(bytes).first(size)));
      Bytes longer = bytes;
      longer.push_back(0);
      EXPECT_FALSE(read_plan(layout, longer));
    }
}

}  // namespace
}  // namespace vestige::vpc
