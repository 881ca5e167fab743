// Evaluations that do not begin at the beginning: what they say they know must be true.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "trace/eval/evaluator.h"
#include "trace/eval/random_program.h"
#include "trace/eval/twin.h"

namespace vestige::sketch {
namespace {

using Instance = std::tuple<uint64_t, uint32_t, uint32_t>;

struct Checker : EvaluationObserver {
  explicit Checker(const Twin& twin) {
    for (const Seen& seen : twin.seen) truth[{seen.time, seen.function, seen.statement}] = seen;
  }
  void see(const Observation& o) override {
    ++all;
    const auto at = truth.find({o.time, o.function, o.statement});
    if (at == truth.end()) {
      ++wrong;
      return;
    }
    if (o.has_value) {
      ++known;
      wrong += at->second.value != o.value;
    }
    if (o.has_address) wrong += at->second.address != o.address;
  }
  std::map<Instance, Seen> truth;
  uint64_t all = 0, known = 0, wrong = 0;
};

Twin make_twin(const SketchProgram& program, uint64_t seed) {
  std::mt19937_64 random(seed);
  Twin twin(program, seed);
  twin.throws = 0.05;
  for (int i = 0; i < 10 && twin.run.paths.size() < 600; ++i) {
    const auto f = static_cast<uint32_t>(random() % program.addresses.size());
    twin.call_from_outside(f, random_arguments(program.program.functions[f], random));
  }
  return twin;
}

TEST(Unknown, BehindAHole) {
  uint64_t known = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    std::mt19937_64 random(seed);
    const SketchProgram program = random_program(2 + seed % 4, random);
    const Twin twin = make_twin(program, seed);
    if (twin.run.paths.size() < 20) continue;
    const uint64_t from = 2 + random() % (twin.run.paths.size() - 2);
    synthetic::TraceFile file;
    file.program = program.program;
    file.path = synthetic::temporary_name();
    file.runs = {twin.run};
    auto chunks = synthetic::make_chunks(program.program, 0, twin.run, {1, from});
    chunks.erase(chunks.begin());
    file.chunks = {chunks};
    synthetic::write_trace(file);
    const auto trace = Trace::open(file.path);
    ASSERT_TRUE(trace) << trace.error().message;

    ListedToldValues told_values(twin.told_values);
    Checker checker(twin);
    auto evaluator = Evaluator::open(*trace, 0, {&program.addresses, &told_values});
    ASSERT_TRUE(evaluator);
    evaluator->observe_all(checker);
    const auto paths = evaluator->run();
    ASSERT_TRUE(paths) << paths.error().message;
    EXPECT_EQ(*paths, twin.run.paths.size() + 1 - from);
    EXPECT_EQ(checker.wrong, 0u) << "seed " << seed;
    for (const EvaluationProblem& problem : evaluator->problems().list())
      ADD_FAILURE() << describe(problem, trace->functions());
    known += checker.known;
  }
  EXPECT_GT(known, 1000u);
}

TEST(Unknown, WhereNothingIsTold) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    const SketchProgram program = random_program(3, random);
    const Twin twin = make_twin(program, seed);
    const Trace trace = write_and_open(program, twin.run);
    Checker checker(twin);
    auto evaluator = Evaluator::open(trace, 0, {&program.addresses, nullptr});
    ASSERT_TRUE(evaluator);
    evaluator->observe_all(checker);
    ASSERT_TRUE(evaluator->run());
    EXPECT_EQ(checker.wrong, 0u) << "seed " << seed;
    EXPECT_LT(checker.known, checker.all);
  }
}

TEST(Unknown, AddressesThatAreMissing) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    const SketchProgram program = random_program(3, random);
    const Twin twin = make_twin(program, seed);
    const Trace trace = write_and_open(program, twin.run);
    auto addresses = program.addresses;
    for (auto& function : addresses)
      for (uint64_t& symbol : function.symbols)
        if (random() % 3 == 0) symbol = 0;
    if (seed % 2 == 0) addresses.resize(1);
    ListedToldValues told_values(twin.told_values);
    Checker checker(twin);
    auto evaluator = Evaluator::open(trace, 0, {&addresses, &told_values});
    ASSERT_TRUE(evaluator);
    evaluator->observe_all(checker);
    ASSERT_TRUE(evaluator->run());
    EXPECT_EQ(checker.wrong, 0u) << "seed " << seed;
    for (const EvaluationProblem& problem : evaluator->problems().list())
      ADD_FAILURE() << describe(problem, trace.functions());
  }
}

TEST(Unknown, BehindLostValues) {
  uint64_t known = 0, unknown = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    std::mt19937_64 random(seed);
    const SketchProgram program = random_program(2 + seed % 4, random);
    const Twin twin = make_twin(program, seed);
    if (twin.told_values.size() < 20) continue;
    const Trace trace = write_and_open(program, twin.run);
    // The path of the last one that is left may have had more.
    std::vector<ToldValue> kept(
        twin.told_values.begin(),
        twin.told_values.begin() + 1 + random() % (twin.told_values.size() - 1));
    const uint64_t lost = kept.back().time;
    while (!kept.empty() && kept.back().time == lost) kept.pop_back();
    kept.push_back({lost, kValuesLost, 0});
    ListedToldValues told_values(std::move(kept));
    Checker checker(twin);
    auto evaluator = Evaluator::open(trace, 0, {&program.addresses, &told_values});
    ASSERT_TRUE(evaluator);
    evaluator->observe_all(checker);
    const auto paths = evaluator->run();
    ASSERT_TRUE(paths) << paths.error().message;
    EXPECT_TRUE(evaluator->lost());
    EXPECT_EQ(*paths, twin.run.paths.size());
    EXPECT_EQ(checker.wrong, 0u) << "seed " << seed;
    for (const EvaluationProblem& problem : evaluator->problems().list())
      ADD_FAILURE() << describe(problem, trace.functions());
    known += checker.known;
    unknown += checker.all - checker.known;
  }
  EXPECT_GT(known, 1000u);
  EXPECT_GT(unknown, 1000u);
}

}  // namespace
}  // namespace vestige::sketch
