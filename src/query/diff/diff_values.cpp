#include "query/diff/diff_values.h"

#include <optional>
#include <unordered_set>

#include "query/rows/statement_set.h"
#include "trace/windows/windows.h"
#include "vestige/values.h"

namespace vestige {

namespace {

std::vector<StatementRef> compared(const Trace& trace) {
  std::vector<StatementRef> out;
  for (const StatementRef& ref : all_values(trace))
    if (has_compared_value(trace.functions()[ref.function], ref.statement)) out.push_back(ref);
  return out;
}

// One run's paths with what became known while each was done.
class ObservedPaths final : public EvaluationObserver {
 public:
  ObservedPaths(const Windows& windows, const StatementSet& set, uint32_t thread)
      : windows_(windows), set_(set), thread_(thread) {}

  Result<bool> next() {
    rows_.clear();
    while (true) {
      if (evaluation_) {
        const auto paths = evaluation_->run(1);
        if (!paths) return std::unexpected(paths.error());
        if (*paths == 1) return true;
      }
      const auto opened = open_window();
      if (!opened || !*opened) return opened;
    }
  }
  const Path& path() const { return evaluation_->evaluator().path(); }
  uint64_t time() const { return evaluation_->evaluator().time(); }
  std::span<const Observation> rows() const { return rows_; }

  void see(const Observation& row) override { rows_.push_back(row); }
  bool wants_wide() const override { return true; }

 private:
  Result<bool> open_window() {
    if (next_window_ >= windows_.of(thread_).size()) return false;
    const size_t window = next_window_++;
    if (evaluation_) {
      if (auto gone = windows_.go_to(*evaluation_, window); !gone)
        return std::unexpected(std::move(gone.error()));
      return true;
    }
    auto evaluation = windows_.begin(thread_, window);
    if (!evaluation) return std::unexpected(std::move(evaluation.error()));
    evaluation_.emplace(std::move(*evaluation));
    evaluation_->evaluator().observe_only(*this, set_.bits());
    return true;
  }

  const Windows& windows_;
  const StatementSet& set_;
  const uint32_t thread_;
  size_t next_window_ = 0;
  std::optional<WindowEvaluation> evaluation_;
  std::vector<Observation> rows_;
};

// What has been learned of where things lie in the two runs.
class AddressPairs {
 public:
  // Pointers are the same when both are addresses.
  bool same_pointer(uint64_t a, uint64_t b) {
    if (a == b) return true;
    if (!is_address(a) || !is_address(b)) return false;
    learn(a, b);
    return true;
  }
  bool same_integer(uint64_t a, uint64_t b) const {
    return a == b || (is_address(a) && is_address(b) && distances_.contains(b - a) &&
                      pages_a_.contains(a >> kPageBits) && pages_b_.contains(b >> kPageBits));
  }
  void learn(uint64_t a, uint64_t b) {
    if (a == b || distances_.size() > kMost) return;
    distances_.insert(b - a);
    pages_a_.insert(a >> kPageBits);
    pages_b_.insert(b >> kPageBits);
  }

 private:
  static constexpr unsigned kPageBits = 16;
  static constexpr size_t kMost = 1 << 16;
  static bool is_address(uint64_t bits) { return bits >= 1 << 16 && bits < uint64_t{1} << 47; }
  std::unordered_set<uint64_t> distances_, pages_a_, pages_b_;
};

class ValueComparison {
 public:
  ValueComparison(const Trace& a, const Trace& b, const std::vector<uint32_t>& twins,
                  ThreadDiff& diff, DifferingExecutions* all)
      : a_(a), b_(b), twins_(twins), diff_(diff), all_(all) {
    for (const Function& function : a.functions())
      for (uint32_t s = 0; s < function.statements.size(); ++s) {
        types_.push_back(value_type(function, s));
        wide_.push_back(types_.back().bits == 0 ? wide_items(function, s)
                                                : std::vector<WideItem>());
      }
  }

  Result<void> run() {
    auto windows_a = Windows::open(a_), windows_b = Windows::open(b_);
    if (!windows_a) return std::unexpected(std::move(windows_a.error()));
    if (!windows_b) return std::unexpected(std::move(windows_b.error()));
    const StatementSet set_a(a_, compared(a_)), set_b(b_, compared(b_));
    ObservedPaths paths_a(*windows_a, set_a, diff_.thread),
        paths_b(*windows_b, set_b, diff_.thread);
    later_ = b_.threads()[diff_.thread].first_time - a_.threads()[diff_.thread].first_time;
    const uint64_t parting = diff_.control ? 1 : 0;
    for (uint64_t done = 0; done < diff_.common + parting; ++done) {
      const auto more_a = paths_a.next(), more_b = paths_b.next();
      if (!more_a) return std::unexpected(more_a.error());
      if (!more_b) return std::unexpected(more_b.error());
      // One of them has a hole, or no path more.
      if (!*more_a || !*more_b || paths_b.time() - paths_a.time() != later_) return {};
      compare(paths_a, paths_b, done < diff_.common ? SIZE_MAX : common_segments(paths_a, paths_b));
      if (!all_ && diff_.value) return {};
    }
    return {};
  }

 private:
  size_t common_segments(const ObservedPaths& a, const ObservedPaths& b) const {
    const Path &one = a.path(), &other = b.path();
    if (twins_[one.function] != other.function || one.enters != other.enters) return 0;
    const auto ends = std::ranges::mismatch(one.segments, other.segments);
    return static_cast<size_t>(ends.in1 - one.segments.begin());
  }
  // Of the path itself only rows of its first segments.
  void compare(const ObservedPaths& a, const ObservedPaths& b, size_t segments) {
    const auto rows_b = b.rows();
    size_t next = 0;
    for (const Observation& row : a.rows()) {
      if (row.time == a.time() && segments != SIZE_MAX && !is_in(a.path(), segments, row.statement))
        return;
      // A row may be missing where nothing is known.
      size_t twin = next;
      while (twin < rows_b.size() && !are_twins(row, rows_b[twin])) ++twin;
      if (twin == rows_b.size()) continue;
      next = twin + 1;
      compare(row, rows_b[twin], a.time());
    }
  }
  bool are_twins(const Observation& a, const Observation& b) const {
    return a.statement == b.statement && twins_[a.function] == b.function &&
           b.time - a.time == later_;
  }
  bool is_in(const Path& path, size_t segments, uint32_t statement) const {
    const Function& function = a_.functions()[path.function];
    return std::ranges::any_of(std::span(path.segments).first(segments), [&](uint32_t s) {
      return statement - function.segments[s].first_statement <
             function.segments[s].statement_count;
    });
  }
  void compare(const Observation& a, const Observation& b, uint64_t now) {
    const StatementRef statement{a.function, a.statement};
    const uint64_t id = statement_id(a_, statement);
    if (a.has_address && b.has_address) placement_.learn(a.address, b.address);
    bool same = true;
    if (!wide_[id].empty())
      same = same_wide(wide_[id], a.wide, b.wide);
    else if (a.has_value && b.has_value)
      same = same_bits(types_[id], a.value, b.value);
    // What a load gives is its value, wherever that lay; what a store did depends on where.
    const Op op = a_.functions()[a.function].statements[a.statement].op;
    const bool is_read = op == Op::load && a.has_value && b.has_value;
    const bool same_raw = a.has_value == b.has_value && (!a.has_value || a.value == b.value) &&
                          a.has_address == b.has_address &&
                          (is_read || !a.has_address || a.address == b.address);
    if (same && same_raw && wide_[id].empty()) return;
    DifferingExecution one;
    one.statement = statement;
    one.time = a.time;
    one.order = order_++;
    if (a.has_value) one.a = a.value;
    if (b.has_value) one.b = b.value;
    one.counts = !same;
    if (all_ && (!same || !same_raw)) all_->add(one);
    if (same) return;
    ValueDifference found;
    found.time = a.time;
    found.made = now;
    found.statement = statement;
    found.a = one.a;
    found.b = one.b;
    found.wide_a = a.wide;
    found.wide_b = b.wide;
    if (!diff_.value) diff_.value = found;
    diff_.last = std::move(found);
  }
  bool same_bits(ValueType type, uint64_t a, uint64_t b) {
    if (type.kind == ValueType::Kind::pointer) return placement_.same_pointer(a, b);
    if (type.kind == ValueType::Kind::integer && type.bits == 64)
      return placement_.same_integer(a, b);
    return a == b;
  }
  // Unknown parts are not compared.
  bool same_wide(const std::vector<WideItem>& items, const WideRef& a, const WideRef& b) {
    if (!a || !b || a->parts.size() != b->parts.size()) return true;
    size_t part = 0;
    for (const WideItem& item : items)
      for (uint32_t i = 0; i < item.parts && part < a->parts.size(); ++i, ++part) {
        if (!a->parts[part] || !b->parts[part]) continue;
        const bool simple = item.kind == WideItem::Kind::simple;
        if (simple ? !same_bits(item.type, *a->parts[part], *b->parts[part])
                   : *a->parts[part] != *b->parts[part])
          return false;
      }
    return true;
  }

  const Trace& a_;
  const Trace& b_;
  const std::vector<uint32_t>& twins_;
  ThreadDiff& diff_;
  DifferingExecutions* const all_;
  std::vector<ValueType> types_;             // by #ID of A
  std::vector<std::vector<WideItem>> wide_;  // and those that are not simple
  AddressPairs placement_;
  uint64_t later_ = 0;  // how much higher B's times are
  uint64_t order_ = 0;
};

}  // namespace

bool has_compared_value(const Function& function, uint32_t statement) {
  // Pseudo statements (phis) are not shown by evaluations.
  return !function.statements[statement].pseudo &&
         (value_type(function, statement).bits != 0 || !wide_items(function, statement).empty());
}

Result<void> compare_values(const Trace& a, const Trace& b, const std::vector<uint32_t>& twins,
                            ThreadDiff& diff, DifferingExecutions* all) {
  for (const Trace* trace : {&a, &b}) {
    const auto has = has_values(*trace, diff.thread);
    if (!has || !*has) return {};
  }
  if (auto compared = ValueComparison(a, b, twins, diff, all).run(); !compared) return compared;
  if (all) all->sort();
  diff.values_compared = true;
  return {};
}

}  // namespace vestige
