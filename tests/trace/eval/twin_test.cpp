// The evaluator against its naive twin: every value and every address of random programs.
#include "trace/eval/twin.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "trace/eval/evaluator.h"
#include "trace/eval/random_program.h"

namespace vestige::sketch {
namespace {

struct Collector : EvaluationObserver {
  std::vector<Seen> seen;
  void see(const Observation& o) override {
    Seen s{o.time, o.function, o.statement, std::nullopt, std::nullopt};
    if (o.has_value) s.value = o.value;
    if (o.has_address) s.address = o.address;
    seen.push_back(s);
  }
};

void compare(const SketchProgram& program, Twin& twin) {
  const Trace trace = write_and_open(program, twin.run);
  ListedToldValues told_values(twin.told_values);
  std::vector<FunctionAddresses> addresses = program.addresses;
  for (size_t f = 0; f < addresses.size(); ++f)
    if (twin.byval[f]) addresses[f].own = 0;
  Collector collector;
  auto evaluator = Evaluator::open(trace, 0, {&addresses, &told_values});
  ASSERT_TRUE(evaluator);
  evaluator->observe_all(collector);
  const auto paths = evaluator->run();
  ASSERT_TRUE(paths) << paths.error().message;
  EXPECT_EQ(*paths, twin.run.paths.size());
  for (const EvaluationProblem& problem : evaluator->problems().list())
    ADD_FAILURE() << describe(problem, trace.functions());
  std::ranges::sort(collector.seen);
  std::ranges::sort(twin.seen);
  ASSERT_EQ(collector.seen.size(), twin.seen.size());
  for (size_t i = 0; i < twin.seen.size(); ++i) {
    if (collector.seen[i] == twin.seen[i]) continue;
    const Seen& s = twin.seen[i];
    FAIL() << "time " << s.time << " function " << s.function << " statement " << s.statement << " "
           << op_name(program.program.functions[s.function].statements[s.statement].op)
           << ": value " << s.value.value_or(0) << " address " << s.address.value_or(0)
           << ", evaluator: time " << collector.seen[i].time << " statement "
           << collector.seen[i].statement << " value " << collector.seen[i].value.value_or(0)
           << " address " << collector.seen[i].address.value_or(0);
  }
}

TEST(EvaluatorTwin, StraightLines) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 random(seed);
    const SketchProgram program = straight_line(200, random);
    Twin twin(program, seed);
    for (int i = 0; i < 20; ++i)
      twin.call_from_outside(0, random_arguments(program.program.functions[0], random));
    SCOPED_TRACE("seed " + std::to_string(seed));
    compare(program, twin);
    if (HasFatalFailure()) return;
  }
}

TEST(EvaluatorTwin, LoopsAndCalls) {
  uint64_t exceptions = 0, told = 0, paths = 0;
  for (uint64_t seed = 1; seed <= 80; ++seed) {
    std::mt19937_64 random(seed);
    const SketchProgram program = random_program(1 + seed % 6, random);
    Twin twin(program, seed);
    twin.throws = seed % 3 == 0 ? 0.1 : 0;
    for (size_t f = 0; f < twin.byval.size(); ++f) twin.byval[f] = seed % 5 == 0 && f % 2 == 1;
    for (int i = 0; i < 10 && twin.run.paths.size() < 3000; ++i) {
      const auto f = static_cast<uint32_t>(random() % program.addresses.size());
      twin.call_from_outside(f, random_arguments(program.program.functions[f], random));
    }
    exceptions += twin.made_exceptions;
    told += twin.told_values.size();
    paths += twin.run.paths.size();
    SCOPED_TRACE("seed " + std::to_string(seed));
    compare(program, twin);
    if (HasFatalFailure()) return;
  }
  // The programs did what they are for.
  EXPECT_GT(exceptions, 10u);
  EXPECT_GT(told, 1000u);
  EXPECT_GT(paths, 10000u);
}

}  // namespace
}  // namespace vestige::sketch
