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

TEST(Golden, Version_1_0) {
  const std::string path = GOLDEN_FOLDER "/v1.0.vcz";
  CompressOptions options;
  options.format = "vpc";
  options.level = 1;
  const Bytes written = compressed(golden_trace(), options);
  if (std::getenv("VESTIGE_UPDATE"))
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(written.data()), std::ssize(written));
  std::ifstream in(path, std::ios::binary);
  const Bytes kept{std::istreambuf_iterator<char>(in), {}};
  const Decompressed back = decompressed(kept);
  EXPECT_EQ(back.problem, "");
  EXPECT_EQ(back.bytes, golden_trace());
  EXPECT_EQ(written, kept);
}

}  // namespace
}  // namespace vestige
