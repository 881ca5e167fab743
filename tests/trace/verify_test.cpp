// The verifier: silent on good traces, and finds what was planted.
#include <gtest/gtest.h>

#include "trace/state.h"
#include "trace/synthetic.h"

namespace vestige {
namespace {

using namespace synthetic;

VerifyReport verified(const TraceFile& file) {
  auto report = verify(file.path);
  EXPECT_TRUE(report) << report.error().message;
  return report ? *report : VerifyReport{};
}

void expect_problem(const TraceFile& file, const std::string& text) {
  const VerifyReport report = verified(file);
  EXPECT_FALSE(report.ok);
  bool found = false;
  std::string all;
  for (const std::string& problem : report.problems) {
    found |= problem.find(text) != std::string::npos;
    all += problem + "\n";
  }
  EXPECT_TRUE(found) << "not found: " << text << "\nin: " << all;
}

void encode_again(TraceFile& file, size_t chunk) {
  ControlChunk& c = file.chunks[0][chunk];
  auto encoder = make_word_encoder(WordCodec::packed);
  encoder->append({file.runs[0].paths.data() + c.first_time - 1, c.path_count});
  c.words = encoder->finish();
}

TEST(Verify, GoodTracesPass) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const TraceFile file =
        make_trace(seed, {.paths = 3000, .unwind = 0.02, .outer_frames = seed % 2 == 1});
    const VerifyReport report = verified(file);
    EXPECT_TRUE(report.ok) << "seed " << seed << ": " << report.problems.front();
    EXPECT_EQ(report.paths, 6000u);
    auto trace = Trace::open(file.path);
    ASSERT_TRUE(trace);
    EXPECT_EQ(report.statements, trace->counts()->statements);
    EXPECT_EQ(report.chunks, trace->state().store.rows().size() + 1);
  }
}

TEST(Verify, FindsAPathThatCannotFollow) {
  TraceFile file = make_trace(30, {.paths = 2000, .unwind = 0}, 1);
  auto& paths = file.runs[0].paths;
  // Behind a completed loop iteration of main (cut edge to B1), main's resumption of B2 cannot
  // come.
  for (size_t i = 1; i + 1 < paths.size(); ++i) {
    const auto& before = file.program.path(paths[i - 1]);
    if (file.program.function_of(paths[i - 1]) != 0 || before.cut_target != 1) continue;
    for (uint32_t n = 0; n < file.program.paths[0].size(); ++n)
      if (file.program.paths[0][n].segments.front() == 4) paths[i] = file.program.first_path[0] + n;
    break;
  }
  encode_again(file, 0);
  write_trace(file);
  expect_problem(file, "cannot follow");
}

TEST(Verify, FindsACallThatNobodyMade) {
  TraceFile file = make_trace(31, {.paths = 2000, .unwind = 0}, 1);
  auto& paths = file.runs[0].paths;
  for (size_t i = 1; i < paths.size(); ++i) {
    if (file.program.last_segment(paths[i - 1]).end != SegmentEnd::sync) continue;
    paths[i] = file.program.first_path[4];
    break;
  }
  encode_again(file, 0);
  write_trace(file);
  expect_problem(file, "cannot follow");
}

TEST(Verify, FindsAnUnknownPath) {
  TraceFile file = make_trace(32);
  file.runs[0].paths[0] = 77;
  encode_again(file, 0);
  write_trace(file);
  expect_problem(file, "no function has path id 77");
}

TEST(Verify, FindsAWrongStack) {
  TraceFile file = make_trace(33);
  for (ControlChunk& chunk : file.chunks[0])
    if (!chunk.stack.frames.empty()) ++chunk.stack.frames.back().time;
  write_trace(file);
  expect_problem(file, "its call stack");
}

TEST(Verify, FindsAStackThatKeepsTooMuch) {
  TraceFile file = make_trace(34);
  file.chunks[0][2].stack.keep += 1000;
  write_trace(file);
  expect_problem(file, "its call stack keeps");
}

TEST(Verify, FindsWrongCounts) {
  TraceFile file = make_trace(35);
  file.chunks[0].back().path_count += 1;
  write_trace(file);
  expect_problem(file, "paths but says");
}

TEST(Verify, FindsAHole) {
  TraceFile file = make_trace(36);
  file.chunks[0].erase(file.chunks[0].begin() + 1);
  write_trace(file);
  expect_problem(file, "goes on at time");
}

TEST(Verify, FindsAThreadThatEndsTooEarly) {
  TraceFile file = make_trace(37);
  file.chunks[0].pop_back();
  const TraceFile shorter = file;
  write_trace(shorter);
  EXPECT_TRUE(verified(shorter).ok) << "the ends written here follow the chunks";
  // An event behind the last path of its chunk.
  Event late;
  late.kind = format::EventKind::abandoned;
  late.time = 5000;
  file.chunks[0].back().events.push_back(late);
  write_trace(file);
  expect_problem(file, "behind the chunk's last path");
}

TEST(Verify, FindsAnEventOfNoModule) {
  TraceFile file = make_trace(38);
  Event event;
  event.kind = format::EventKind::module_load;
  event.numbers = {9};
  file.chunks[0].front().events.insert(file.chunks[0].front().events.begin(), event);
  write_trace(file);
  expect_problem(file, "names a module that is not there");
}

}  // namespace
}  // namespace vestige
