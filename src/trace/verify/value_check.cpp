#include "trace/verify/value_check.h"

#include <bit>
#include <cmath>
#include <memory>
#include <new>

#include "trace/eval/evaluator.h"
#include "trace/told/process_addresses.h"
#include "trace/told/told.h"

namespace vestige {

namespace {

constexpr size_t kMostPerThread = 10;

// Holds what is observed against what the program gave, one after the other.
class Comparison final : public EvaluationObserver {
 public:
  Comparison(const Trace& trace, uint32_t thread, ValueCheck& check)
      : trace_(trace),
        thread_(thread),
        check_(check),
        kept_(trace.functions().size()),
        given_(trace.state(), thread, ToldValues::Which::checked) {
    more_ = given_.next(ahead_);
    while (more_ && ahead_.index == kPathAbandoned) more_ = given_.next(ahead_);
  }

  bool has_any() const { return more_; }
  void see(const Observation& seen) override {
    const Function& function = trace_.functions()[seen.function];
    const Statement& statement = function.statements[seen.statement];
    if (statement.op == Op::store) return;
    const Kept& kept = kept_of(seen.function);
    const std::vector<Part>& parts = kept.types.parts(statement.type);
    if (kept.types.simple(statement.type))
      compare(seen, seen.statement, parts[0],
              seen.has_value ? std::optional(seen.value) : std::nullopt);
    else
      for (uint32_t p = 0; p < parts.size() && seen.wide && !lost_; ++p)
        compare(seen, p == 0 ? seen.statement : kept.indices.statements[seen.statement] + p,
                parts[p], seen.wide->parts[p]);
  }
  bool wants_wide() const override { return true; }

 private:
  struct Kept {
    explicit Kept(const Function& function) : types(function), indices(function, types) {}
    KeptTypes types;
    PartIndices indices;
  };
  const Kept& kept_of(uint32_t function) {
    auto& kept = kept_[function];
    if (!kept) kept = std::make_unique<Kept>(trace_.functions()[function]);
    return *kept;
  }
  // A simple value, or a part of another.
  void compare(const Observation& seen, uint32_t index, const Part& part,
               std::optional<uint64_t> derived) {
    if (lost_ || (next_ == group_.size() && !load())) return;
    const ToldValue& given = group_[next_++];
    if (given.index != index) {
      lost_ = true;
      return complain(seen, "the program gave the value of #" + std::to_string(given.index));
    }
    ++check_.compared;
    if (!derived || *derived == given.value) return;
    if (is_nan(part.type, *derived) && is_nan(part.type, given.value)) return;
    complain(seen, "derived " + std::to_string(*derived) + ", but the program had " +
                       std::to_string(given.value));
  }
  // What came up in one path. A path that was abandoned has no observations.
  bool load() {
    group_.clear();
    next_ = 0;
    const uint64_t time = ahead_.time;
    for (; more_ && ahead_.time == time; more_ = given_.next(ahead_))
      if (ahead_.index == kPathAbandoned)
        group_.clear();
      else if (ahead_.index != kValuesLost)
        group_.push_back(ahead_);
    return !group_.empty() || (more_ && load());
  }
  // The bits of derived NaNs are not promised.
  static bool is_nan(const SimpleType& type, uint64_t bits) {
    if (type.kind == SimpleType::Kind::float64) return std::isnan(std::bit_cast<double>(bits));
    return type.kind == SimpleType::Kind::float32 &&
           std::isnan(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  void complain(const Observation& seen, const std::string& what) {
    if (++complaints_ > kMostPerThread) return;
    const Function& function = trace_.functions()[seen.function];
    check_.problems.push_back(
        "thread " + std::to_string(thread_) + ", time " + std::to_string(seen.time) + ", " +
        function.name + " #" + std::to_string(seen.statement) + " (" +
        std::string(op_name(function.statements[seen.statement].op)) + "): " + what);
  }

  const Trace& trace_;
  const uint32_t thread_;
  ValueCheck& check_;
  std::vector<std::unique_ptr<Kept>> kept_;  // by function
  ToldValues given_;
  ToldValue ahead_;
  bool more_ = false;
  bool lost_ = false;  // the two do not run side by side any longer
  std::vector<ToldValue> group_;
  size_t next_ = 0;
  size_t complaints_ = 0;
};

Result<void> check_thread(const Trace& trace, uint32_t thread, const ProcessAddresses& addresses,
                          ValueCheck& check) {
  const auto tells = tells_values(trace.state(), thread);
  if (!tells) return std::unexpected(tells.error());
  if (!*tells) return {};
  ToldValues told(trace.state(), thread);
  auto evaluator = Evaluator::open(trace, thread, addresses.inputs(thread, &told));
  if (!evaluator) return std::unexpected(std::move(evaluator.error()));
  if (auto begun = evaluator->inherit(); !begun) return begun;
  Comparison comparison(trace, thread, check);
  if (comparison.has_any()) evaluator->observe_all(comparison);
  if (const auto paths = evaluator->run(); !paths) return std::unexpected(paths.error());
  if (told.error()) return std::unexpected(*told.error());
  size_t shown = 0;
  for (const EvaluationProblem& problem : evaluator->problems().list())
    if (++shown <= kMostPerThread)
      check.problems.push_back("thread " + std::to_string(thread) + ", " +
                               describe(problem, trace.functions()));
  return {};
}

}  // namespace

Result<ValueCheck> check_values(const std::string& path) {
  ValueCheck check;
  const auto trace = Trace::open(path);
  if (!trace) return std::unexpected(trace.error());
  if (trace->state().value_rows.empty()) return check;
  const ProcessAddresses addresses(*trace);
  for (uint32_t thread = 0; thread < trace->threads().size(); ++thread) {
    const auto name = [&] { return "thread " + std::to_string(thread) + ": "; };
    try {
      // A limit of the evaluator is no fault of the trace.
      if (auto checked = check_thread(*trace, thread, addresses, check); !checked)
        (checked.error().kind == ErrorKind::unsupported ? check.notes : check.problems)
            .push_back(name() + checked.error().message);
    } catch (const std::bad_alloc&) {
      check.problems.push_back(name() + "there is not enough memory to evaluate it");
    }
  }
  return check;
}

}  // namespace vestige
