// Places, events and ends in words.
#include <gtest/gtest.h>

#include <csignal>

#include "trace/synthetic.h"
#include "vestige/query.h"

namespace vestige {
namespace {

using namespace synthetic;

TEST(Text, Locations) {
  Function f;
  f.files = {"/src/bzip2.c", "/src/inline.h"};
  f.scopes = {"main", "_Z6helperi"};
  f.locations = {
      {0, 300, 9, 0, kNone}, {0, 120, 5, 1, 0}, {1, 7, 0, 1, 1}, {kNone, 4, 0, kNone, kNone}};
  EXPECT_EQ(location_text(f, 0), "bzip2.c:300:9");
  EXPECT_EQ(location_text(f, 1), "bzip2.c:120:5 (inlined into main at bzip2.c:300)");
  EXPECT_EQ(location_text(f, 2),
            "inline.h:7 (inlined into helper(int) at bzip2.c:120, into main at bzip2.c:300)");
  EXPECT_EQ(location_text(f, 0, true), "/src/bzip2.c:300:9");
  EXPECT_EQ(location_text(f, 3), "?:4");
  EXPECT_EQ(location_text(f, kNone), "");
  f.file = 0;
  f.line = 88;
  EXPECT_EQ(function_place(f), "bzip2.c:88");
}

TEST(Text, Demangling) {
  EXPECT_EQ(demangle("main"), "main");
  EXPECT_EQ(demangle("_ZN1a1bEi"), "a::b(int)");
  EXPECT_EQ(demangle("_Znonsense"), "_Znonsense");
  EXPECT_EQ(demangle(""), "");
}

TEST(Text, OpNames) {
  EXPECT_EQ(op_name(Op::get_element_ptr), "getelementptr");
  EXPECT_EQ(op_name(Op::br), "br");
  EXPECT_EQ(op_name(Op::freeze), "freeze");
  EXPECT_EQ(op_name(static_cast<Op>(250)), "unknown");
}

TEST(Text, Signals) {
  EXPECT_EQ(signal_name(SIGSEGV), "SIGSEGV");
  EXPECT_EQ(signal_name(0), "signal 0");
  EXPECT_EQ(signal_name(1'000'000'000'000), "signal 1000000000000");
  EXPECT_EQ(end_text(EndReason::exited, 3), "exited with status 3");
  EXPECT_EQ(end_text(EndReason::killed, SIGKILL), "was killed by SIGKILL");
}

// A run that dies somewhere: the event must name the activation it died in.
TEST(Text, FatalEventNamesTheBlock) {
  std::mt19937 random(1);
  TraceFile file;
  file.program = make_program();
  file.path = temporary_name();
  const auto& program = file.program;
  const auto main_path = [&](uint32_t first, uint32_t last) {
    for (uint32_t i = 0; i < program.paths[0].size(); ++i) {
      const auto& path = program.paths[0][i];
      if (path.segments.front() == first && path.segments.back() == last)
        return program.first_path[0] + i;
    }
    return 0u;
  };
  synthetic::Run run;
  run.paths = {main_path(0, 0), main_path(1, 3)};  // into the loop, through the sync operation
  Event fatal;
  fatal.kind = format::EventKind::fatal_signal;
  fatal.time = 2;
  fatal.numbers = {SIGSEGV, 0x401234, 0, program.first_path[1], 2};
  run.events = {fatal};
  fatal.numbers[3] = fatal.numbers[4] = kNone;
  run.events.push_back(fatal);
  file.runs = {run};
  file.chunks = {make_chunks(program, 0, run, {1})};
  write_trace(file);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  auto found = fatal_event(*trace, 0);
  ASSERT_TRUE(found);
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->function, 0u);
  EXPECT_EQ((*found)->block, 3u);
  const std::string guessed = event_text(*trace, **found);
  EXPECT_EQ(guessed.find("SIGSEGV at pc 0x401234, last seen in inlined_one (inlined.h:20), "
                         "inlined into main (synthetic.c:10), block B3"),
            0u)
      << guessed;
  const std::string known = event_text(*trace, trace->events(0).value().front());
  EXPECT_EQ(
      known.find("SIGSEGV at address 0x0, pc 0x401234, in inlined_one (inlined.h:45), inlined into "
                 "leaf(int) (synthetic.c:40), block B2"),
      0u)
      << known;
}

TEST(Text, EveryEventHasWords) {
  const TraceFile file = make_trace(2);
  auto trace = Trace::open(file.path);
  ASSERT_TRUE(trace);
  for (int kind = 0; kind <= static_cast<int>(TraceEvent::Kind::damaged); ++kind) {
    TraceEvent event;
    event.kind = static_cast<TraceEvent::Kind>(kind);
    EXPECT_FALSE(event_text(*trace, event).empty()) << kind;
    EXPECT_NE(event_name(event.kind), "unknown") << kind;
  }
}

}  // namespace
}  // namespace vestige
