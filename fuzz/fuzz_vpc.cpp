// Hostile bytes for codecs vpc and vpc2:
//   u8 layout and mode: bits 0–1 the layout, bit 2 vpc2, bit 3 the blocks compressed here, so that
//     what lies behind zstd is reached, bit 4 parameters from the input
//   parameters: u8 length, bytes; or u8 choice of a list
//   blocks to the end: u16 rows, u8 length, bytes
#include <zstd.h>

#include <algorithm>

#include "codec/record/vpc/vpc.h"
#include "fuzz.h"

namespace vestige {
namespace {

const RecordLayout kLayouts[] = {
    {{{"pc", 4, true}, {"data", 8, false}}},
    {{{"event", 4, false}}},
    {{{"address", 8, false}, {"pc", 6, true}, {"kind", 1, false}}},
    {{{"x", 3, false}, {"y", 5, false}}},
};
constexpr const char* kLists[] = {"", "stride", "last3,fcm1,dfcm2.2", "pc=fcm2;data=global,dfcm1"};

Bytes parameters(const RecordLayout& layout, uint8_t choice) {
  RecordCodecOptions options;
  options.predictors = kLists[choice % std::size(kLists)];
  if (choice & 4) options.preamble = {choice, 1, 0, 0};
  auto encoder = make_vpc_encoder(layout, options, false);
  return encoder ? (*encoder)->parameters() : Bytes{};  // some lists name fields not all have
}

Bytes compressed(ByteView raw) {
  Bytes frame(ZSTD_compressBound(raw.size()));
  frame.resize(ZSTD_compress(frame.data(), frame.size(), raw.data(), raw.size(), 1));
  return frame;
}

}  // namespace
}  // namespace vestige

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vestige;
  ByteReader in({data, size});
  const unsigned mode = in.u8();
  const RecordLayout& layout = kLayouts[mode % 4];
  const bool second_stage = mode & 4, compress = mode & 8, given = mode & 16;
  Bytes plan;
  if (given) {
    const ByteView bytes = in.bytes(std::min<size_t>(in.u8(), in.remaining()));
    plan.assign(bytes.begin(), bytes.end());
  } else {
    plan = parameters(layout, in.u8());
  }
  auto decoder = make_vpc_decoder(layout, plan, second_stage);
  if (!decoder) return 0;
  while (in.remaining() > 0 && !in.failed()) {
    RecordBlock block;
    block.rows = in.u16();
    if (block.rows == 0xffff) block.rows = ~size_t{0};
    const ByteView bytes = in.bytes(std::min<size_t>(in.u8(), in.remaining()));
    const auto decoded = (*decoder)->decode(
        second_stage && compress ? compressed(bytes) : Bytes(bytes.begin(), bytes.end()), block);
    if (!decoded) {
      require(decoded.error().kind == ErrorKind::corrupt, "an error of another kind");
      return 0;
    }
    require(block.columns.size() == layout.fields.size(), "the number of columns");
    for (size_t i = 0; i < block.columns.size(); ++i) {
      require(block.columns[i].size() == block.rows, "the number of rows");
      for (const uint64_t value : block.columns[i])
        require(layout.fields[i].width == 8 || value >> 8 * layout.fields[i].width == 0, "a width");
    }
  }
  return 0;
}
