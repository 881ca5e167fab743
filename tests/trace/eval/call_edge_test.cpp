// What passes between caller and callee, and what the evaluator complains about.
#include <gtest/gtest.h>

#include "trace/eval/evaluator.h"
#include "trace/eval/sketch.h"

namespace vestige::sketch {
namespace {

struct Outcome {
  std::vector<EvaluationProblem> problems;
  std::vector<Observation> seen;
};
struct Collector : EvaluationObserver {
  std::vector<Observation> seen;
  void see(const Observation& o) override { seen.push_back(o); }
};

Outcome evaluate(const SketchProgram& program, std::vector<uint32_t> paths,
                 std::vector<ToldValue> told) {
  synthetic::Run run;
  run.paths = std::move(paths);
  const Trace trace = write_and_open(program, run);
  ListedToldValues told_values(std::move(told));
  Collector collector;
  auto evaluator = Evaluator::open(trace, 0, {&program.addresses, &told_values});
  EXPECT_TRUE(evaluator);
  evaluator->observe_all(collector);
  EXPECT_TRUE(evaluator->run());
  return {evaluator->problems().list(), collector.seen};
}

// caller(x) { return callee(x) }, where the callee takes and returns the given types.
SketchProgram pair(const std::string& passed, const std::string& taken, const std::string& given,
                   const std::string& awaited) {
  FunctionSketch caller("caller", {passed});
  caller.begin_block();
  const Operand result = caller.call(awaited, {caller.argument(0)}, caller.symbol("callee"));
  caller.add(Op::freeze, awaited, {result});
  caller.ret();
  FunctionSketch callee("callee", {taken});
  callee.begin_block();
  callee.add(Op::freeze, taken, {callee.argument(0)});
  callee.ret(callee.number(given, 5));
  std::vector<Function> functions;
  functions.push_back(caller.finish());
  functions.push_back(callee.finish());
  return assemble(std::move(functions));
}
std::vector<uint32_t> paths_of(const SketchProgram& program) {
  const auto& first = program.program.first_path;
  return {first[0], first[1], first[0] + 1};
}
constexpr uint32_t kCallerArgument = 3;  // statements of caller

TEST(CallEdge, PassesWhatFits) {
  const SketchProgram program = pair("i32", "i32", "i64", "i64");
  const Outcome outcome = evaluate(program, paths_of(program), {{1, kCallerArgument, 77}});
  EXPECT_TRUE(outcome.problems.empty());
  ASSERT_EQ(outcome.seen.size(), 3u);
  EXPECT_EQ(outcome.seen[0].value, 77u);
  EXPECT_TRUE(outcome.seen[1].has_value);
  EXPECT_EQ(outcome.seen[1].time, 1u);  // the call belongs to the path it ended
  EXPECT_EQ(outcome.seen[2].value, 5u);
}

TEST(CallEdge, DoesNotGuessWhatDoesNotFit) {
  const SketchProgram program = pair("i32", "i64", "i32", "i64");
  const Outcome outcome = evaluate(program, paths_of(program), {{1, kCallerArgument, 77}});
  EXPECT_TRUE(outcome.problems.empty());
  ASSERT_EQ(outcome.seen.size(), 3u);
  for (const Observation& seen : outcome.seen) EXPECT_FALSE(seen.has_value);
}

TEST(CallEdge, PointersTravelAsIntegers) {
  const SketchProgram program = pair("ptr", "i64", "i64", "ptr");
  const Outcome outcome = evaluate(program, paths_of(program), {{1, kCallerArgument, 77}});
  ASSERT_EQ(outcome.seen.size(), 3u);
  for (const Observation& seen : outcome.seen) EXPECT_TRUE(seen.has_value);
}

TEST(CallEdge, UnknownAddressesGiveUnknownValues) {
  SketchProgram program = pair("i32", "i32", "i64", "i64");
  program.addresses[0].symbols[0] = 0;
  const Outcome outcome = evaluate(program, paths_of(program), {{1, kCallerArgument, 77}});
  ASSERT_EQ(outcome.seen.size(), 3u);
  for (const Observation& seen : outcome.seen) EXPECT_FALSE(seen.has_value);
  // Unless they are told.
  const Outcome told =
      evaluate(program, paths_of(program), {{1, kCallerArgument, 77}, {2, 2, 78}, {3, 0, 79}});
  EXPECT_TRUE(told.problems.empty());
  EXPECT_EQ(told.seen[0].value, 78u);
  EXPECT_EQ(told.seen[2].value, 79u);
}

using Kind = EvaluationProblem::Kind;

TEST(Problems, OfTellingWrong) {
  const SketchProgram program = pair("i32", "i32", "i64", "i64");
  const auto kinds = [&](std::vector<ToldValue> told) {
    std::vector<Kind> list;
    for (const auto& problem : evaluate(program, paths_of(program), std::move(told)).problems)
      list.push_back(problem.kind);
    return list;
  };
  EXPECT_EQ(kinds({{1, 1, 7}}), std::vector{Kind::not_taken});
  EXPECT_EQ(kinds({{1, kCallerArgument, 0}}), std::vector{Kind::needless});
  EXPECT_EQ(kinds({{1, kCallerArgument, uint64_t{1} << 40 | 1}}), std::vector{Kind::too_wide});
  EXPECT_EQ(kinds({{1, kCallerArgument, 7}, {0, 1, 7}}), std::vector{Kind::out_of_order});
  EXPECT_EQ(kinds({{1, kCallerArgument, 7}, {9, 1, 7}}), std::vector{Kind::not_taken});
}

TEST(Problems, OfBranches) {
  FunctionSketch f("f", {"i64"});
  f.begin_block();
  const Operand low = f.add(Op::icmp, "i1", {f.argument(0), f.number("i64", 10)}, {36});
  f.branch(low, 1, 2);
  f.begin_block();
  f.add(
      Op::switch_, "void",
      {f.argument(0), f.block(2), f.number("i64", 3), f.block(3), f.number("i64", 4), f.block(3)});
  for (int i = 0; i < 2; ++i) {
    f.begin_block();
    f.ret();
  }
  std::vector<Function> functions;
  functions.push_back(f.finish());
  const SketchProgram program = assemble(std::move(functions));
  // All ways, for all kinds of values: exactly one is right.
  const auto& paths = program.program.paths[0];
  for (const uint64_t value : {3u, 4u, 5u, 10u}) {
    int right = 0;
    for (uint32_t p = 0; p < paths.size(); ++p) {
      const Outcome outcome =
          evaluate(program, {program.program.first_path[0] + p}, {{1, 7 - 2, value}});
      const uint64_t wrong = static_cast<uint64_t>(
          std::ranges::count(outcome.problems, Kind::branch, &EvaluationProblem::kind));
      right += wrong == 0;
    }
    EXPECT_EQ(right, 1) << value;
  }
}

}  // namespace
}  // namespace vestige::sketch
