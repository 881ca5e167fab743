// Any records through vpc and vpc2 and back. The first bytes choose a layout, a list of predictors,
// a range and how often the rest is repeated, each time a bit further on; the rest are the values,
// each of one byte, or of two where the first is odd.

#include "codec/record/vpc/vpc.h"
#include "fuzz.h"

namespace vestige {
namespace {

const RecordLayout kLayouts[] = {
    {{{"pc", 4, true}, {"data", 8, false}}},
    {{{"event", 4, false}}},
    {{{"address", 8, false}, {"pc", 8, true}, {"kind", 1, false}}},
    {{{"x", 3, false}, {"y", 5, false}}},
};
constexpr const char* kLists[] = {"", "stride", "last2,fcm1,dfcm2.2,global", "last6,fcm2,dfcm1.4"};

std::vector<RecordBlock> blocks_of(const RecordLayout& layout, ByteReader in, unsigned repeats) {
  std::vector<uint64_t> values;
  while (in.remaining() > 0 && values.size() < 400) {
    const uint64_t byte = in.u8();
    values.push_back(byte % 2 == 0 ? byte : (byte | uint64_t{in.u8()} << 8) * 0x0102040810204081);
  }
  std::vector<RecordBlock> blocks;
  for (unsigned round = 0; round <= repeats; ++round) {
    RecordBlock& block = blocks.emplace_back();
    block.rows = values.size() / layout.fields.size();
    for (size_t field = 0; field < layout.fields.size(); ++field) {
      auto& column = block.columns.emplace_back();
      const unsigned spare = 64 - 8 * layout.fields[field].width;
      for (size_t row = 0; row < block.rows; ++row) {
        const uint64_t value = values[row * layout.fields.size() + field] + round * field * 8;
        column.push_back(value << spare >> spare);
      }
    }
  }
  return blocks;
}

}  // namespace
}  // namespace vestige

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vestige;
  ByteReader in({data, size});
  const RecordLayout& layout = kLayouts[in.u8() % std::size(kLayouts)];
  RecordCodecOptions options;
  options.predictors = kLists[in.u8() % std::size(kLists)];
  const uint8_t range = in.u8();
  if (range > 0) options.preamble = {range, range, 0, 0};
  const uint8_t mode = in.u8();
  const bool second_stage = mode % 16 == 0;  // slow to set up
  options.explain = mode & 64;
  auto encoder = make_vpc_encoder(layout, options, second_stage);
  require(encoder.has_value(), "no encoder");
  auto decoder = make_vpc_decoder(layout, (*encoder)->parameters(), second_stage);
  require(decoder.has_value(), "no decoder");
  for (const RecordBlock& block : blocks_of(layout, in, mode / 16 % 4)) {
    RecordBlock read;
    read.rows = block.rows;
    const auto decoded = (*decoder)->decode((*encoder)->encode(block), read);
    require(decoded.has_value(), "what was written is not read");
    require(read.columns == block.columns, "other values");
  }
  return 0;
}
