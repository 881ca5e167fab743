#include <gtest/gtest.h>

#include <numeric>

#include "codec/record/vpc/vpc.h"
#include "record_shapes.h"

namespace vestige {
namespace {

TEST(VpcExplain, CountsEveryValueOnce) {
  for (const bool second_stage : {false, true})
    for (const RecordLayout& layout : record_layouts()) {
      RecordCodecOptions options;
      options.explain = true;
      auto encoder = make_vpc_encoder(layout, options, second_stage);
      ASSERT_TRUE(encoder);
      size_t bytes = 0;
      for (int i = 0; i < 3; ++i)
        bytes +=
            (*encoder)->encode(shaped_block(layout, record_shapes()[3], 1000, 1, i * 1000)).size();
      const Explanation* explanation = (*encoder)->explanation();
      ASSERT_NE(explanation, nullptr);
      ASSERT_EQ(explanation->size(), layout.fields.size());
      uint64_t told = 0;
      for (size_t i = 0; i < explanation->size(); ++i) {
        const FieldExplanation& field = (*explanation)[i];
        EXPECT_EQ(field.field, layout.fields[i].name);
        ASSERT_EQ(field.predictors.size(), field.counts.size());
        EXPECT_EQ(field.predictors.back(), "none");
        EXPECT_EQ(std::accumulate(field.counts.begin(), field.counts.end(), uint64_t{0}), 3000u);
        std::vector<uint64_t> sums(field.counts.size());
        for (const auto& [pc, counts] : field.by_pc) {
          ASSERT_EQ(counts.size(), sums.size());
          for (size_t k = 0; k < sums.size(); ++k) sums[k] += counts[k];
        }
        if (layout.pc_field())
          EXPECT_EQ(sums, field.counts);
        else
          EXPECT_TRUE(field.by_pc.empty());
        told += field.bytes;
      }
      if (second_stage)
        EXPECT_EQ(told, 0u);
      else
        EXPECT_NEAR(static_cast<double>(told), static_cast<double>(bytes),
                    3.0 + layout.fields.size());
    }
}

TEST(VpcExplain, NamesThePredictorThatFits) {
  RecordCodecOptions options;
  options.explain = true;
  options.predictors = "pc=stride;data=last2,stride,dfcm1.2";
  auto encoder = make_vpc_encoder(vpc_layout(), options, false);
  ASSERT_TRUE(encoder);
  // One instruction's values alternate, another's go up, a third's are random.
  RecordBlock block{3000, {{}, {}}};
  std::mt19937_64 random(1);
  for (uint64_t row = 0; row < 3000; ++row) {
    block.columns[0].push_back(0x100 + row % 3 * 0x10);
    block.columns[1].push_back(row % 3 == 0   ? (row % 2 == 0 ? 5 : 900)
                               : row % 3 == 1 ? row * 8
                                              : random());
  }
  (*encoder)->encode(block);
  const FieldExplanation& data = (*(*encoder)->explanation())[1];
  EXPECT_EQ(data.predictors, (std::vector<std::string>{"last2[0]", "last2[1]", "stride",
                                                       "dfcm1.2[0]", "dfcm1.2[1]", "none"}));
  ASSERT_EQ(data.by_pc.size(), 3u);
  const auto& alternating = data.by_pc.at(0x100);
  const auto& rising = data.by_pc.at(0x110);
  const auto& wild = data.by_pc.at(0x120);
  EXPECT_GT(alternating[1] + alternating[3] + alternating[4], 990u);
  EXPECT_GT(rising[2] + rising[3], 990u);
  EXPECT_GT(wild.back(), 990u);
}

TEST(VpcExplain, OnlyWhenAsked) {
  auto encoder = make_vpc_encoder(vpc_layout(), {}, false);
  ASSERT_TRUE(encoder);
  EXPECT_EQ((*encoder)->explanation(), nullptr);
}

}  // namespace
}  // namespace vestige
