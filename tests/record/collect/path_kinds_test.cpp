#include "record/collect/path_kinds.h"

#include <gtest/gtest.h>

#include "fake_program.h"
#include "program/record.h"

namespace vestige {
namespace {

using namespace test;

PathKinds with_fake_program(const RecordOptions& options, uint32_t first_path = 0x10000) {
  auto kinds = PathKinds::create(FunctionFilter(options));
  EXPECT_TRUE(kinds);
  ModuleChunk module;
  std::vector<uint32_t> counts;
  for (uint32_t n = 0; n < kFakeFunctions; ++n) {
    module.functions.push_back({first_path + n * kFakePaths, encode_function(fake_function(n))});
    counts.push_back(kFakePaths);
  }
  kinds->add(std::move(module), counts);
  return std::move(*kinds);
}

TEST(PathKinds, SaysWhatPathsDo) {
  PathKinds kinds = with_fake_program({});
  constexpr uint8_t common = path_kind::plain | path_kind::known;
  const uint8_t expected[] = {
      path_kind::enters, path_kind::enters | path_kind::leaves, 0, path_kind::leaves, 0,
      path_kind::leaves};
  for (uint32_t n = 0; n < kFakeFunctions; ++n)
    for (uint32_t p = 0; p < kFakePaths; ++p)
      EXPECT_EQ(kinds.resolve(fake_path(0x10000, n, static_cast<FakePath>(p))),
                expected[p] | common);
  EXPECT_EQ(kinds.table()[0x10000], expected[0] | common);
  EXPECT_EQ(kinds.resolve(0x10000 + kFakeFunctions * kFakePaths), 0);
  EXPECT_EQ(kinds.resolve(5), 0);
  EXPECT_EQ(kinds.resolve(0xffffffff), 0);
}

TEST(PathKinds, MarksExcludedFunctions) {
  RecordOptions options;
  options.include = {"fake_1*"};
  options.exclude = {"file_2.c"};
  PathKinds kinds = with_fake_program(options);
  for (uint32_t n = 0; n < kFakeFunctions; ++n) {
    const bool included = (n == 1 || n >= 10) && n % 3 != 2;
    EXPECT_EQ((kinds.resolve(fake_path(0x10000, n, resume_and_call)) & path_kind::excluded) == 0,
              included)
        << n;
  }
}

TEST(PathKinds, MarksEntriesOfTriggers) {
  RecordOptions options;
  options.start = "fake_3";
  options.stop = "fake_4";
  PathKinds kinds = with_fake_program(options);
  EXPECT_TRUE(kinds.resolve(fake_path(0x10000, 3, enter_and_call)) & path_kind::starts);
  EXPECT_FALSE(kinds.resolve(fake_path(0x10000, 3, resume_and_call)) & path_kind::starts);
  EXPECT_TRUE(kinds.resolve(fake_path(0x10000, 4, enter_and_return)) & path_kind::stops);
  EXPECT_TRUE(kinds.saw_start());
}

TEST(FunctionFilter, KnowsNamesInEverySpelling) {
  Function f;
  f.name = "_ZN3foo3barEiSt8functionIFvvEE";
  f.files = {"/src/lib/bar.cc"};
  f.file = 0;
  for (const char* pattern :
       {"_ZN3foo*", "foo::bar", "foo::bar(*", "foo::*", "bar.cc", "/src/lib/*"}) {
    RecordOptions options;
    options.exclude = {pattern};
    EXPECT_TRUE(FunctionFilter(options).judge(f).excluded) << pattern;
  }
  RecordOptions options;
  options.exclude = {"bar", "lib"};
  EXPECT_FALSE(FunctionFilter(options).judge(f).excluded);
}

TEST(FunctionFilter, TellsOfAPatternThatFitsNothing) {
  Function f;
  f.name = "work";
  RecordOptions options;
  options.include = {"work", "w*k", "play"};
  FunctionFilter filter(options);
  EXPECT_EQ(filter.unfitting(), "work");
  EXPECT_FALSE(filter.judge(f).excluded);
  EXPECT_EQ(filter.unfitting(), "play");
  f.name = "play";
  EXPECT_FALSE(filter.judge(f).excluded);
  EXPECT_EQ(filter.unfitting(), "");
  f.name = "rest";
  EXPECT_TRUE(filter.judge(f).excluded);
}

TEST(PathKinds, ADamagedRecordIsNoPath) {
  auto kinds = PathKinds::create({});
  ModuleChunk module;
  module.functions.push_back({0x10000, Bytes(20, 0xff)});
  kinds->add(std::move(module), {100});
  EXPECT_EQ(kinds->resolve(0x10005), 0);
}

}  // namespace
}  // namespace vestige
