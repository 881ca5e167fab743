// Bytes that are no control flow: an error that names the place, no output, no crash, little
// memory.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "plain_reading.h"
#include "vestige/exchange.h"

namespace vestige {
namespace {

class CfHostile : public testing::Test {
 protected:
  void TearDown() override {
    std::filesystem::remove(out_);
    std::filesystem::remove(in_);
  }
  Result<ImportReport> import(const std::vector<uint32_t>& events) {
    in_ = write_events("cf_hostile", events);
    return import_control_flow(in_, out_, {});
  }
  void refused(const Result<ImportReport>& report, const std::string& why) {
    ASSERT_FALSE(report) << why;
    EXPECT_EQ(report.error().kind, ErrorKind::corrupt);
    EXPECT_NE(report.error().message.find(why), std::string::npos) << report.error().message;
    EXPECT_FALSE(std::filesystem::exists(out_));
  }
  std::string in_;
  const std::string out_ = testing::TempDir() + "cf_never" + std::to_string(::getpid());
};

TEST_F(CfHostile, NoEvents) {
  refused(import({0, 1, 0xc0000000}), "event 3 (byte 8): 0xc0000000 is no event");
  refused(import({kExitEvent, 0x80000001}), "event 2 (byte 4): 0x80000001 is no event");
  refused(import({0xffffffff}), "event 1 (byte 0)");
}

TEST_F(CfHostile, HalfAnEvent) {
  in_ = write_events("cf_hostile", {0, 1});
  std::ofstream(in_, std::ios::binary | std::ios::app) << "abc";
  refused(import_control_flow(in_, out_, {}), "has 11 bytes");
}

TEST_F(CfHostile, HugeBlockIds) {
  refused(import({kEntryEvent | 5, 0, (1u << 30) - 1}), "event 3 (byte 8): block 1073741823 of f5");
  refused(import({1 << 22}), "block 4194304 of unknown");
  // Many functions that are large together.
  std::vector<uint32_t> events;
  for (uint32_t f = 0; f < 100; ++f) events.insert(events.end(), {kEntryEvent | f, 0, 1 << 16});
  refused(import(events), "at most 4194304 blocks together");
  // Large, and allowed.
  const std::vector<uint32_t> large = {kEntryEvent | 5, 0, 1 << 20, kExitEvent};
  ASSERT_TRUE(import(large));
  expect_same(large, out_, 9);
}

TEST_F(CfHostile, NoSuchFiles) {
  EXPECT_EQ(import_control_flow("/nowhere/at/all", out_, {}).error().kind, ErrorKind::io);
  in_ = write_events("cf_hostile", {0});
  EXPECT_EQ(import_control_flow(in_, in_, {}).error().kind, ErrorKind::usage);
  EXPECT_EQ(import_control_flow(in_, "/nowhere/at/all", {}).error().kind, ErrorKind::io);
  EXPECT_EQ(std::filesystem::file_size(in_), 4u);
}

TEST_F(CfHostile, RandomWords) {
  std::mt19937_64 random(9);
  size_t accepted = 0;
  for (int round = 0; round < 400 && !HasFailure(); ++round) {
    std::vector<uint32_t> events(random() % 60);
    const uint32_t mask = random() % 4 == 0 ? UINT32_MAX : (3u << 30 | ((1u << random() % 18) - 1));
    for (uint32_t& event : events) {
      event = static_cast<uint32_t>(random()) & mask;
      if (event >> 30 == 2 && random() % 8) event = kExitEvent;
      if (event >> 30 == 3 && random() % 64) event &= ~(3u << 30);
    }
    if (!import(events)) continue;
    ++accepted;
    const auto verified = verify(out_);
    EXPECT_TRUE(verified && verified->ok);
    expect_same(events, out_, 100);
  }
  EXPECT_GT(accepted, 100u);
  EXPECT_LT(accepted, 400u);
}

}  // namespace
}  // namespace vestige
