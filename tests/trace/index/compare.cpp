#include "trace/index/compare.h"

#include <algorithm>
#include <map>
#include <optional>

namespace vestige::windows_test {

namespace {

struct Collector : EvaluationObserver {
  std::vector<Observation> seen;
  void see(const Observation& observation) override { seen.push_back(observation); }
  // As one more observation of the call; the length is its value.
  void transfer(const Transfer& t) override {
    seen.push_back({.time = t.time,
                    .function = t.function,
                    .statement = t.statement,
                    .has_value = t.has_length,
                    .has_address = t.has_to,
                    .has_source = t.has_from,
                    .value = t.length,
                    .address = t.to,
                    .source = t.from});
  }
  bool wants_wide() const override { return true; }
};

bool has_unknown_part(const WideValue& value) {
  return std::ranges::any_of(value.parts, [](const auto& part) { return !part; });
}

bool same(const Observation& a, const Observation& b) {
  return a.time == b.time && a.function == b.function && a.statement == b.statement &&
         a.has_value == b.has_value && a.has_address == b.has_address &&
         a.has_source == b.has_source && (!a.has_value || a.value == b.value) &&
         (!a.has_address || a.address == b.address) && (!a.has_source || a.source == b.source) &&
         (a.wide && b.wide ? *a.wide == *b.wide : !a.wide && !b.wide);
}

bool same(const EvaluationProblem& a, const EvaluationProblem& b) {
  return a.kind == b.kind && a.time == b.time && a.function == b.function &&
         a.statement == b.statement && a.expected == b.expected && a.found == b.found;
}

std::string text(const Observation& o) {
  const auto number = [](bool has, uint64_t value) {
    return has ? std::to_string(value) : std::string("?");
  };
  return "time " + std::to_string(o.time) + " function " + std::to_string(o.function) +
         " statement " + std::to_string(o.statement) + " value " + number(o.has_value, o.value) +
         " address " + number(o.has_address, o.address);
}

class ThreadComparison {
 public:
  ThreadComparison(const Trace& trace, const Windows& windows, uint32_t thread, Comparison& result)
      : trace_(trace), windows_(windows), thread_(thread), result_(result) {}

  void run(const std::function<bool()>& wanted) {
    ToldValues told(trace_.state(), thread_);
    const ProcessAddresses all(trace_);
    auto walk = Evaluator::open(trace_, thread_, all.inputs(thread_, &told));
    if (!walk) return differ(walk.error().message);
    if (auto begun = walk->inherit(); !begun) return differ(begun.error().message);
    walk->observe_all(walked_);
    const auto spans = windows_.of(thread_);
    for (size_t w = 0; w < spans.size() && result_.difference.empty(); ++w) {
      ++result_.windows;
      walked_.seen.clear();
      counts_.clear();
      const uint64_t problems_before = walk->problems().count();
      const size_t listed_before = walk->problems().list().size();
      auto failed = walk_through(*walk, spans[w]);
      if (!failed) failed = told.error();
      if (!wanted()) continue;
      ++result_.compared;
      where_ = "thread " + std::to_string(thread_) + ", window " + std::to_string(w) + " of " +
               std::to_string(spans.size()) + ": ";
      alone(w, failed.has_value());
      if (!result_.difference.empty() || failed) continue;
      compare_observations();
      compare_problems(*walk, problems_before, listed_before);
      compare_counts(w);
    }
  }

 private:
  std::optional<Error> walk_through(Evaluator& walk, const Window& window) {
    auto cursor = trace_.walk(thread_);
    cursor->skip_damage();
    cursor->stand_before(window.first_time);
    uint64_t paths = 0;
    while (cursor->next() && cursor->time() <= window.last_time) {
      ++counts_[cursor->path().id];
      ++paths;
    }
    const auto ran = walk.run(window.last_time == UINT64_MAX ? UINT64_MAX : paths);
    if (!ran) return ran.error();
    if (*ran != paths) differ("the walk has other paths");
    return std::nullopt;
  }

  void alone(size_t w, bool fails) {
    alone_.seen.clear();
    if (evaluation_ && result_.compared % 2 == 0) {
      if (auto there = windows_.go_to(*evaluation_, w); !there)
        return differ(there.error().message);
    } else {
      auto begun = windows_.begin(thread_, w);
      if (!begun) return differ(begun.error().message);
      evaluation_ = std::make_unique<WindowEvaluation>(std::move(*begun));
      evaluation_->evaluator().observe_all(alone_);
    }
    const auto ran = evaluation_->run();
    if (ran.has_value() == fails)
      differ(fails ? "alone it does not fail" : "alone it fails: " + ran.error().message);
  }

  void compare_observations() {
    result_.observations += walked_.seen.size();
    for (const Observation& o : walked_.seen)
      result_.unknown += o.wide ? has_unknown_part(*o.wide) : !o.has_value && !o.has_address;
    const size_t both = std::min(walked_.seen.size(), alone_.seen.size());
    for (size_t i = 0; i < both; ++i)
      if (!same(walked_.seen[i], alone_.seen[i]))
        return differ("observation " + std::to_string(i) + ": " + text(walked_.seen[i]) +
                      "; alone: " + text(alone_.seen[i]));
    if (walked_.seen.size() != alone_.seen.size())
      differ(std::to_string(walked_.seen.size()) +
             " observations; alone: " + std::to_string(alone_.seen.size()));
  }

  void compare_problems(const Evaluator& walk, uint64_t before, size_t listed_before) {
    const auto& all = walk.problems().list();
    const auto& own = evaluation_->evaluator().problems().list();
    const uint64_t count = walk.problems().count() - before;
    result_.problems += count;
    if (evaluation_->evaluator().problems().count() != count)
      return differ(std::to_string(count) + " problems; alone: " +
                    std::to_string(evaluation_->evaluator().problems().count()));
    for (size_t i = 0; i < own.size() && listed_before + i < all.size(); ++i)
      if (!same(all[listed_before + i], own[i]))
        return differ("problem: " + describe(all[listed_before + i], trace_.functions()) +
                      "; alone: " + describe(own[i], trace_.functions()));
  }

  void compare_counts(size_t w) {
    const auto counts = windows_.counts(thread_, w);
    if (!counts) return differ(counts.error().message);
    std::vector<PathCount> walked;
    for (const auto& [path, count] : counts_) walked.push_back({path, count});
    if (*counts != walked) differ("path counts");
  }

  void differ(const std::string& how) {
    if (result_.difference.empty()) result_.difference = where_ + how;
  }

  const Trace& trace_;
  const Windows& windows_;
  const uint32_t thread_;
  Comparison& result_;
  std::string where_;
  Collector walked_, alone_;
  std::map<uint32_t, uint64_t> counts_;
  std::unique_ptr<WindowEvaluation> evaluation_;
};

}  // namespace

Comparison compare_windows(const Trace& trace, const Windows& windows,
                           const std::function<bool()>& wanted) {
  Comparison result;
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread)
    if (!windows.of(thread).empty()) ThreadComparison(trace, windows, thread, result).run(wanted);
  return result;
}

}  // namespace vestige::windows_test
