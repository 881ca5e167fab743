// Paths that were left in their middle, by a jump out of a signal handler or by the thread's death.
#include <gtest/gtest.h>

#include "trace/eval/evaluator.h"
#include "trace/eval/sketch.h"

namespace vestige::sketch {
namespace {

struct Collector : EvaluationObserver {
  std::vector<uint64_t> values;
  void see(const Observation& o) override { values.push_back(o.value); }
};

// f() { return arena[0] + arena[1] }
SketchProgram two_loads() {
  FunctionSketch f("f", {});
  f.begin_block();
  const Operand a = f.add(Op::load, "i64", {f.symbol("arena")}, {8, 3, 0, 0});
  const Operand b = f.add(Op::load, "i64", {f.symbol("arena", 8)}, {8, 3, 0, 0});
  f.ret(f.add(Op::add, "i64", {a, b}));
  std::vector<Function> functions;
  functions.push_back(f.finish());
  return assemble(std::move(functions));
}

TEST(Abandoned, WhatItWasToldIsDropped) {
  const SketchProgram program = two_loads();
  synthetic::Run run;
  run.paths.assign(3, program.program.first_path[0]);
  Event event;
  event.kind = format::EventKind::abandoned;
  event.time = 2;
  run.events = {event};
  const Trace trace = write_and_open(program, run);
  // The abandoned path saw 7 instead of 5; behind it the shadow is empty, and 0 needs no telling.
  // The thread died in a fourth path, which saw 9.
  ListedToldValues told_values(
      {{1, 0, 5}, {1, 1, 6}, {3, 0, 7}, {3, kPathAbandoned, 0}, {3, 0, 8}, {4, 0, 9}});
  Collector collector;
  auto evaluator = Evaluator::open(trace, 0, {&program.addresses, &told_values});
  ASSERT_TRUE(evaluator);
  evaluator->observe_all(collector);
  ASSERT_TRUE(evaluator->run());
  EXPECT_EQ(evaluator->problems().count(), 0u);
  EXPECT_EQ(collector.values, (std::vector<uint64_t>{5, 6, 11, 5, 6, 11, 8, 0, 8}));
}

}  // namespace
}  // namespace vestige::sketch
