// The examples of the path-matching paper, as far as its text gives them: Figure 2 with the states
// of section 4.1 (an activation of F1 that calls F1 in the middle of the path), the path that must
// not be put together from two activations, and the string of the level flags, which begins in the
// middle of calls and ends in the middle of others.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "trace/synthetic.h"
#include "vestige/exchange.h"
#include "vestige/paths.h"
#include "vestige/query.h"

namespace vestige {
namespace {

constexpr uint32_t kExit = 0x80000000;
constexpr uint32_t enter(uint32_t function) { return 0x40000000 | function; }

class Paper : public testing::Test {
 protected:
  void SetUp() override { name_ = synthetic::temporary_name(); }
  void TearDown() override {
    for (const char* suffix : {".u32", ".vst", ".vst.wpp"}) std::filesystem::remove(name_ + suffix);
  }
  // How often each scheme finds the path; they must agree.
  uint64_t count(const std::vector<uint32_t>& events, const std::string& function,
                 const std::string& path) {
    TearDown();
    std::ofstream(name_ + ".u32", std::ios::binary)
        .write(reinterpret_cast<const char*>(events.data()),
               static_cast<std::streamsize>(events.size() * 4));
    const auto imported = import_control_flow(name_ + ".u32", name_ + ".vst", {});
    EXPECT_TRUE(imported) << imported.error().message;
    const auto trace = Trace::open(name_ + ".vst");
    EXPECT_TRUE(trace) << trace.error().message;
    const auto search = PathSearch::open(*trace);
    PatternOptions options;
    options.function = *find_function(*trace, function);
    options.text = path;
    const auto pattern = search->pattern(options);
    EXPECT_TRUE(pattern) << pattern.error().message;
    const uint64_t found = *search->count(*pattern, MatchScheme::unpack);
    for (const auto scheme : {MatchScheme::grammar, MatchScheme::chunks, MatchScheme::index})
      EXPECT_EQ(*search->count(*pattern, scheme), found);
    return found;
  }
  std::string name_;
};

TEST_F(Paper, Figure2) {
  // main calls F1; in B2 that calls F1 again, which goes B1 B2 and returns; then B3 follows B2 of
  // the first one. A later B3 of main follows nothing.
  const std::vector<uint32_t> events = {enter(0), 0, enter(1), 0, 1,     2, enter(1), 0,
                                        1,        2, kExit,    3, kExit, 3, kExit};
  EXPECT_EQ(count(events, "f1", "B1 B2 B3"), 1u);
  EXPECT_EQ(count(events, "f1", "B1 B2"), 2u);
  EXPECT_EQ(count(events, "f0", "B0 B3"), 1u);
  EXPECT_EQ(count(events, "f1", "B2 B2"), 0u);
}

TEST_F(Paper, InterruptedPathsOfSeveralActivations) {
  // F1 twice, each interrupted by F2 at another block; B2 of F2 is another block than that of F1.
  const std::vector<uint32_t> events = {enter(1), 0,        1, enter(2), 0,        2,    3,
                                        kExit,    2,        3, kExit,    enter(1), 0,    1,
                                        2,        enter(2), 0, kExit,    3,        kExit};
  EXPECT_EQ(count(events, "f1", "B1 B2 B3"), 2u);
  EXPECT_EQ(count(events, "f2", "B2 B3"), 1u);
  EXPECT_EQ(count(events, "f2", "B1 B2"), 0u);
}

TEST_F(Paper, LevelsBelowTheStart) {
  // aEbEcFdFgFh: two returns into activations that were there before, three calls.
  const std::vector<uint32_t> events = {5, kExit,    6, kExit,    7, enter(3),
                                        0, enter(3), 0, enter(3), 0};
  EXPECT_EQ(count(events, "f3", "B0"), 3u);
  EXPECT_EQ(count(events, "unknown", "B5"), 1u);
  EXPECT_EQ(count(events, "unknown", "B6 B7"), 0u);
}

}  // namespace
}  // namespace vestige
