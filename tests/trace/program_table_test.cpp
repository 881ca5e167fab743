// What is found of a program when its trace is opened.
#include "trace/program_table.h"

#include <gtest/gtest.h>

#include "program/control_dependence.h"
#include "program/numbering.h"
#include "program/record.h"

namespace vestige {
namespace {

// B0 → B1; B1 → B2, B3; both → B1: a loop that never ends, as older compilers described it.
Function server(bool can_end) {
  Function f;
  f.name = "server";
  f.types = {"void"};
  f.blocks.resize(5);
  const std::vector<std::vector<uint32_t>> successors = {{1}, {2, 3}, {1}, {1}, {}};
  for (uint32_t b = 0; b < f.blocks.size(); ++b) f.blocks[b].successors = successors[b];
  if (can_end) f.blocks[3].successors = {1, 4};
  f.blocks[1].control_parents = {1};
  f.blocks[3].control_parents = {1};
  Segment segment;
  segment.start = SegmentStart::entry;
  segment.end = SegmentEnd::ret;
  f.segments = {segment};
  f.path_count = number_paths(f.segments)->path_count;
  return f;
}

Function opened(const Function& f) {
  ModuleChunk module;
  module.name = "a.out";
  module.functions.push_back({0, encode_function(f)});
  const auto table = ProgramTable::build({module});
  EXPECT_TRUE(table);
  return table->functions()[0];
}

TEST(ProgramTable, MendsControlDependencesInLoopsThatNeverEnd) {
  const Function f = opened(server(false));
  EXPECT_TRUE(f.blocks[1].control_parents.empty());
  for (const uint32_t b : {2, 3}) {
    ASSERT_EQ(f.blocks[b].control_parents.size(), 1u);
    EXPECT_EQ(f.blocks[b].control_parents[0], 1u);
  }
}

TEST(ProgramTable, LeavesControlDependencesElsewhereAsRecorded) {
  const Function f = opened(server(true));
  EXPECT_EQ(f.blocks[1].control_parents.size(), 1u);
  EXPECT_TRUE(f.blocks[2].control_parents.empty());
}

}  // namespace
}  // namespace vestige
