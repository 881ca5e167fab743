// Control flow there and back: what an imported trace says is what the events said.
#include <gtest/gtest.h>

#include <filesystem>

#include "plain_reading.h"
#include "vestige/compress.h"
#include "vestige/exchange.h"
#include "vestige/query.h"

namespace vestige {
namespace {

constexpr uint32_t entry(uint32_t f) { return kEntryEvent | f; }

class CfImport : public testing::Test {
 protected:
  void TearDown() override {
    std::filesystem::remove(out_);
    std::filesystem::remove(in_);
  }
  ImportReport import(const std::vector<uint32_t>& events, const ImportOptions& options = {}) {
    in_ = write_events("cf_events", events);
    const auto report = import_control_flow(in_, out_, options);
    EXPECT_TRUE(report) << report.error().message;
    if (!report) return {};
    EXPECT_EQ(report->events, events.size());
    const auto verified = verify(out_);
    EXPECT_TRUE(verified && verified->ok)
        << (verified ? verified->problems.front() : verified.error().message);
    return *report;
  }
  std::string in_;
  const std::string out_ = testing::TempDir() + "cf_trace" + std::to_string(::getpid());
};

TEST_F(CfImport, RandomTraces) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const auto events = random_events(random, random() % 200);
    import(events);
    if (!HasFailure()) expect_same(events, out_, 1000);
  }
}

TEST_F(CfImport, SeveralChunks) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 3 && !HasFailure(); ++round) {
    const auto events = random_events(random, 700'000);
    ImportOptions options;
    options.chunk_paths = 1;
    const ImportReport report = import(events, options);
    EXPECT_GT(report.paths, 131'072u);
    expect_same(events, out_, 1000);
  }
}

TEST_F(CfImport, DeepRecursion) {
  std::vector<uint32_t> events;
  for (int i = 0; i < 200'000; ++i) events.insert(events.end(), {entry(7), 0, 1});
  for (int i = 0; i < 150'000; ++i) events.insert(events.end(), {2, kExitEvent});
  import(events);
  expect_same(events, out_, 100);
}

TEST_F(CfImport, LoopsAreFewPaths) {
  std::vector<uint32_t> events = {entry(1), 0};
  for (int i = 0; i < 1000; ++i) events.insert(events.end(), {1, 2, 3, 4});
  events.insert(events.end(), {5, kExitEvent});
  EXPECT_EQ(import(events).paths, 1000u);
  expect_same(events, out_, 10);
}

TEST_F(CfImport, NothingAtAll) {
  EXPECT_EQ(import({}).functions, 0u);
  expect_same({}, out_, 0);
}

TEST_F(CfImport, ShortTraces) {
  const std::vector<std::vector<uint32_t>> all = {
      {0},
      {kExitEvent},
      {entry(3)},
      {entry(3), kExitEvent},
      {entry(3), entry(3)},
      {entry(3), 5},
      {entry(3), 0, 0, 0},
      {kExitEvent, 4, kExitEvent, kExitEvent, 4},
      {4, entry(1), 0, kExitEvent},
      {entry(1), 0, kExitEvent, 4, entry(1), 0, kExitEvent, kExitEvent, 4}};
  for (const auto& events : all) {
    SCOPED_TRACE(testing::PrintToString(events));
    import(events);
    expect_same(events, out_, 100);
  }
}

TEST_F(CfImport, NamesAreTheIds) {
  const uint32_t huge = (1u << 30) - 1;
  import({kExitEvent, entry(12), 0, 7, entry(huge), 0, kExitEvent, kExitEvent});
  const auto trace = Trace::open(out_);
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->functions().size(), 3u);  // by id, and unknown
  EXPECT_EQ(trace->functions()[0].name, "f12");
  EXPECT_EQ(trace->functions()[1].name, "f1073741823");
  EXPECT_EQ(trace->functions()[2].name, "unknown");
  EXPECT_EQ(find_function(*trace, "f12").value_or(9), 0u);
  const auto bare = find_function(*trace, "12");
  ASSERT_FALSE(bare);
  EXPECT_NE(bare.error().message.find("near: f12"), std::string::npos) << bare.error().message;
  // Block 7 is entry 7 of the list; 1 … 6 never ran.
  EXPECT_EQ(trace->functions()[0].blocks.size(), 8u);
  EXPECT_EQ(trace->functions()[0].blocks[0].successors, std::vector<uint32_t>{7});
  EXPECT_EQ(trace->meta("imported"), "cf");
  const auto counts = trace->counts();
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->blocks, 3u);
  EXPECT_EQ(counts->statements, 0u);
}

TEST_F(CfImport, Archives) {
  std::mt19937_64 random(8);
  const auto events = random_events(random, 5000);
  const std::string plain = write_events("cf_plain", events);
  in_ = plain + ".vcz";
  CompressOptions options;
  options.format = "cf";
  ASSERT_TRUE(compress(plain, in_, options));
  ASSERT_TRUE(import_control_flow(in_, out_, {}));
  expect_same(events, out_, 100);
  options.format = "u64";
  ASSERT_TRUE(compress(plain, in_, options));
  const auto wrong = import_control_flow(in_, out_, {});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::corrupt);
  std::filesystem::remove(plain);
}

}  // namespace
}  // namespace vestige
