// Bytes that no encoder wrote: an Error or other rows, never a crash.
#include <gtest/gtest.h>

#include "codec/record/vpc/vpc.h"
#include "record_shapes.h"

namespace vestige {
namespace {

struct Encoded {
  Bytes parameters;
  std::vector<Bytes> blocks;
};

Encoded encoded(bool second_stage, const RecordBlock& block) {
  auto encoder = make_vpc_encoder(vpc_layout(), {}, second_stage);
  Encoded out{(*encoder)->parameters(), {}};
  for (int i = 0; i < 2; ++i) out.blocks.push_back((*encoder)->encode(block));
  return out;
}

class VpcDamage : public testing::TestWithParam<bool> {
 protected:
  Result<void> decode(ByteView bytes, size_t rows) {
    auto decoder = make_vpc_decoder(vpc_layout(), data_.parameters, GetParam());
    EXPECT_TRUE(decoder);
    RecordBlock read;
    read.rows = rows;
    return (*decoder)->decode(bytes, read);
  }
  const RecordBlock block_ = shaped_block(vpc_layout(), record_shapes()[6], 40, 1);
  const Encoded data_ = encoded(GetParam(), block_);
};
INSTANTIATE_TEST_SUITE_P(Stages, VpcDamage, testing::Bool(),
                         [](const auto& info) { return info.param ? "vpc2" : "vpc"; });

TEST_P(VpcDamage, CutShort) {
  const Bytes& bytes = data_.blocks[0];
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto decoded = decode(ByteView(bytes).first(size), block_.rows);
    ASSERT_FALSE(decoded) << size;
    EXPECT_EQ(decoded.error().kind, ErrorKind::corrupt);
  }
}

TEST_P(VpcDamage, TooLong) {
  Bytes bytes = data_.blocks[0];
  bytes.push_back(0);
  // zstd takes the byte for the beginning of the next block; the archive's lengths are what tells.
  if (!GetParam()) {
    EXPECT_FALSE(decode(bytes, block_.rows));
  }
  EXPECT_FALSE(decode(data_.blocks[0], block_.rows - 5));
}

TEST_P(VpcDamage, MoreRowsThanBits) {
  EXPECT_FALSE(decode(data_.blocks[0], block_.rows + 1));
  EXPECT_FALSE(decode(data_.blocks[0], kVpcBlockRows));
  EXPECT_FALSE(decode(data_.blocks[0], kVpcBlockRows + 1));
  EXPECT_FALSE(decode(data_.blocks[0], ~size_t{0}));
  EXPECT_FALSE(decode({}, 1));
  EXPECT_TRUE(decode({}, 0));
}

TEST_P(VpcDamage, FlippedBits) {
  for (size_t bit = 0; bit < data_.blocks[0].size() * 8; ++bit) {
    Bytes bytes = data_.blocks[0];
    bytes[bit / 8] ^= 1 << bit % 8;
    (void)decode(bytes, block_.rows);
  }
}

TEST_P(VpcDamage, AnyParameters) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    Bytes parameters = data_.parameters;
    for (uint64_t n = 1 + random() % 3; n > 0; --n)
      parameters[random() % parameters.size()] = static_cast<uint8_t>(random() % 12);
    auto decoder = make_vpc_decoder(vpc_layout(), parameters, GetParam());
    if (!decoder || i % 50 != 0) continue;
    RecordBlock read;
    read.rows = block_.rows;
    (void)(*decoder)->decode(data_.blocks[0], read);
  }
}

}  // namespace
}  // namespace vestige
