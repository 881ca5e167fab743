// Files of every model of levels 4 to 6 stay readable, and the current one is written to the byte.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "archive/compression.h"
#include "archive/decompression.h"
#include "delta_codec.h"
#include "program_traces.h"

namespace vestige {
namespace {

Bytes boxed_values() {
  const auto kind =
      std::ranges::find(program_kinds(), std::string_view("boxed-values"),
                        [](const ProgramKind& k) { return std::string_view(k.name); });
  const RecordBlock block = program_trace(*kind, 5000, 300);
  ByteWriter raw;
  raw.u32(0x33637076);
  for (size_t i = 0; i < block.rows; ++i) {
    raw.u32(static_cast<uint32_t>(block.columns[0][i]));
    raw.u64(block.columns[1][i]);
  }
  return raw.take();
}
std::string path_of(const std::string& rules, int level) {
  return GOLDEN_FOLDER "/" + rules + "-rules-" + std::to_string(level) + ".vcz";
}
Bytes kept(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes{std::istreambuf_iterator<char>(in), {}};
}
void expect_golden(const std::string& path) {
  const Decompressed back = decompressed(kept(path), registered_codecs());
  EXPECT_EQ(back.problem, "") << path;
  EXPECT_TRUE(back.bytes == boxed_values()) << path;
}

TEST(Rules, FilesOfThoseBeforeAreRead) {
  for (const char* const rules : {"first", "second"})
    for (const int level : {4, 5, 6}) expect_golden(path_of(rules, level));
}

TEST(Rules, FilesOfTheThirdAreReadAndWritten) {
  for (const int level : {4, 5, 6}) {
    CompressOptions options;
    options.format = "vpc";
    options.level = level;
    const Bytes written = compressed(boxed_values(), options, registered_codecs());
    const std::string path = path_of("third", level);
    if (std::getenv("VESTIGE_UPDATE"))
      std::ofstream(path, std::ios::binary)
          .write(reinterpret_cast<const char*>(written.data()), std::ssize(written));
    expect_golden(path);
    EXPECT_TRUE(written == kept(path)) << path;
  }
}

}  // namespace
}  // namespace vestige
