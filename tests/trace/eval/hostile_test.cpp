// Any paths, any told values, any statements that the reader lets through: the evaluator ends, and
// does not crash. (Meant to run under the sanitizers as well.)
#include <gtest/gtest.h>

#include "trace/eval/evaluator.h"
#include "trace/eval/random_program.h"
#include "trace/eval/twin.h"

namespace vestige::sketch {
namespace {

struct Ignorer : EvaluationObserver {
  uint64_t sum = 0;
  void see(const Observation& o) override { sum += o.value + o.address + o.source; }
};

void spoil(Function& function, std::mt19937_64& random) {
  const auto below = [&](uint64_t n) { return static_cast<uint32_t>(random() % n); };
  for (int i = 0; i < 6; ++i) {
    Statement& statement = function.statements[below(function.statements.size())];
    switch (below(6)) {
      case 0:
        statement.op = static_cast<Op>(below(110));
        break;
      case 1:
        statement.type = below(function.types.size());
        break;
      case 2:
        statement.operands.resize(below(4));
        break;
      case 3:
        statement.attributes.resize(below(5));
        break;
      case 4:
        if (!function.symbols.empty()) statement.callee = below(function.symbols.size());
        break;
      default:
        if (!statement.operands.empty()) {
          Operand& operand = statement.operands[below(statement.operands.size())];
          operand.kind = static_cast<Operand::Kind>(below(5));
          const size_t limit = operand.kind == Operand::Kind::statement ? function.statements.size()
                               : operand.kind == Operand::Kind::argument ? function.arguments.size()
                               : operand.kind == Operand::Kind::constant ? function.constants.size()
                                                                         : function.blocks.size();
          if (limit == 0) operand.kind = Operand::Kind::none;
          operand.index = limit == 0 ? 0 : below(limit);
        }
    }
  }
}

TEST(Hostile, AnythingTheReaderAccepts) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    std::mt19937_64 random(seed);
    SketchProgram program = random_program(1 + seed % 4, random);
    for (Function& function : program.program.functions) spoil(function, random);
    synthetic::Run run;
    std::vector<ToldValue> told;
    uint64_t time = 0;
    for (int i = 0; i < 400; ++i) {
      const auto f = random() % program.program.functions.size();
      run.paths.push_back(program.program.first_path[f] +
                          static_cast<uint32_t>(random() % program.program.paths[f].size()));
      if (random() % 4 == 0) time = random() % 420;
      told.push_back({time++, static_cast<uint32_t>(random() >> (32 + random() % 32)), random()});
      if (random() % 40 == 0) {
        Event event;
        event.kind = random() % 3 == 0 ? format::EventKind::abandoned : format::EventKind::resync;
        event.reason = static_cast<format::ResyncReason>(random() % 3);
        event.time = run.paths.size();
        event.stack.keep = random() % 5;
        while (random() % 3 == 0)
          event.stack.frames.push_back(
              {random() % 2 ? run.paths[random() % run.paths.size()] : 0, random() % 100});
        if (event.kind == format::EventKind::abandoned) event.stack = {};
        run.events.push_back(event);
      }
    }
    const Trace trace = write_and_open(program, run);
    ListedToldValues told_values(told);
    Ignorer ignorer;
    auto evaluator = Evaluator::open(trace, 0, {&program.addresses, &told_values});
    ASSERT_TRUE(evaluator);
    if (seed % 2 == 0) evaluator->observe_all(ignorer);
    const auto paths = evaluator->run();
    ASSERT_TRUE(paths) << paths.error().message;
    EXPECT_EQ(*paths, run.paths.size());
    EXPECT_LE(evaluator->problems().list().size(), EvaluationProblems::kMost);
    for (const auto& problem : evaluator->problems().list())
      EXPECT_FALSE(describe(problem, trace.functions()).empty());
    for (uint32_t s = 0; s < 20; ++s) (void)evaluator->value(s);
  }
}

TEST(Hostile, EndlessRecursionIsRefused) {
  FunctionSketch f("f", {"i64"});
  f.begin_block();
  for (int i = 0; i < 2000; ++i) f.add(Op::add, "i64", {f.argument(0), f.number("i64", 1)});
  f.call("void", {f.argument(0)}, f.symbol("f"));
  f.ret();
  std::vector<Function> functions;
  functions.push_back(f.finish());
  const SketchProgram program = assemble(std::move(functions));
  synthetic::Run run;
  run.paths.assign(20000, program.program.first_path[0]);
  const Trace trace = write_and_open(program, run);
  auto evaluator = Evaluator::open(trace, 0, {&program.addresses, nullptr});
  ASSERT_TRUE(evaluator);
  const auto paths = evaluator->run();
  ASSERT_FALSE(paths);
  EXPECT_EQ(paths.error().kind, ErrorKind::unsupported);
}

}  // namespace
}  // namespace vestige::sketch
