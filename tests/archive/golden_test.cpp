// Containers of every version so far stay readable, and the current one is written to the byte. The
// codec in them is the tests' own, so that only the container can break this.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "delta_codec.h"

namespace vestige {
namespace {

Bytes golden_trace() {
  ByteWriter raw;
  raw.string("vpc");  // four bytes in front
  for (uint32_t i = 0; i < 16; ++i) {
    raw.u32(0x401000 + 4 * (i % 3));
    raw.u64(0x7fff'ffff'0000 - 8 * i);
  }
  raw.u16(0xbeef);
  return raw.take();
}

Bytes kept(const std::string& name) {
  std::ifstream in(GOLDEN_FOLDER "/" + name, std::ios::binary);
  return Bytes{std::istreambuf_iterator<char>(in), {}};
}

void expect_golden(ByteView file) {
  const Decompressed back = decompressed(file);
  EXPECT_EQ(back.problem, "");
  EXPECT_EQ(back.bytes, golden_trace());
}

TEST(Golden, Version_1_0) { expect_golden(kept("v1.0.vcz")); }

TEST(Golden, Version_2_0) {
  CompressOptions options;
  options.format = "vpc";
  options.level = 1;
  options.section = 10;
  const Bytes written = compressed(golden_trace(), options);
  if (std::getenv("VESTIGE_UPDATE"))
    std::ofstream(GOLDEN_FOLDER "/v2.0.vcz", std::ios::binary)
        .write(reinterpret_cast<const char*>(written.data()), std::ssize(written));
  expect_golden(kept("v2.0.vcz"));
  EXPECT_EQ(written, kept("v2.0.vcz"));
}

}  // namespace
}  // namespace vestige
