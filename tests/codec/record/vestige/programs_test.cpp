// The default level beside the VPC paper's vpc2 on programs of every kind: never larger, pointer
// chasing included.
#include <gtest/gtest.h>

#include "codec/record/vestige/levels.h"
#include "program_traces.h"
#include "record_shapes.h"

namespace vestige {
namespace {

size_t compressed_size(RecordEncoder& encoder, const RecordBlock& whole) {
  size_t bytes = 0;
  for (size_t first = 0; first < whole.rows; first += encoder.block_rows()) {
    RecordBlock block;
    block.rows = std::min(encoder.block_rows(), whole.rows - first);
    for (const auto& column : whole.columns)
      block.columns.emplace_back(column.begin() + static_cast<std::ptrdiff_t>(first),
                                 column.begin() + static_cast<std::ptrdiff_t>(first + block.rows));
    bytes += encoder.encode(block).size();
  }
  return bytes;
}

class Programs : public testing::TestWithParam<size_t> {};

TEST_P(Programs, TheDefaultIsNoLargerThanVpc2) {
  const ProgramKind& kind = program_kinds()[GetParam()];
  // As many passes as the large traces have, over less.
  const RecordBlock block = program_trace(kind, 150'000, kind.size > 5000 ? kind.size / 10 : 0);
  const RecordCodecOptions options;
  const auto ours = *make_level_encoder(kLayouts[0], options);
  const auto vpc2 = *make_record_encoder(RecordCodec::vpc2, kLayouts[0], options);
  EXPECT_LE(compressed_size(*ours, block), compressed_size(*vpc2, block)) << kind.name;
}

INSTANTIATE_TEST_SUITE_P(AllKinds, Programs, testing::Range<size_t>(0, program_kinds().size()),
                         [](const auto& info) {
                           std::string name = program_kinds()[info.param].name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace vestige
