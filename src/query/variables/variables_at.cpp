// What variables were at given executions: one evaluation of each thread, to its end, because what
// is read later may tell what was there before.
#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <unordered_map>

#include "query/names/naming.h"
#include "query/names/process_symbols.h"
#include "query/variables/variable_watch.h"
#include "trace/windows/windows.h"
#include "vestige/query.h"
#include "vestige/variables.h"

namespace vestige {

namespace {

// The bytes of one variable at an execution, as far as a value of its type needs them.
class Capture final : public VariableBytes {
 public:
  Capture(VariableWatch& watch, uint32_t copy, bool shared)
      : watch_(&watch), copy_(copy), shared_(shared) {}

  bool get(uint64_t at, uint8_t& value) const override {
    const Held& held = hold(at);
    const auto [is, known] = resolve(held);
    value = watch_->capturing() ? uint8_t{1} : is;  // a text goes on
    return watch_->capturing() || known;
  }
  std::string why(uint64_t at) const override {
    const Held& held = hold(at);
    if (!held.now.address) return held.now.because;
    if (!held.now.known) return watch_->origins().text(watch_->memory().origin_of(held.now.token));
    return shared_ && !watch_->awaited().found(held.awaited)
               ? "other threads may have written it"
               : "written by unrecorded code before it was read again";
  }

 private:
  struct Held {
    VariableWatch::ByteNow now;
    size_t awaited = 0;  // of one in memory
  };
  const Held& hold(uint64_t at) const {
    const auto [found, fresh] = held_.try_emplace(at);
    Held& held = found->second;
    if (!fresh) return held;
    held.now = watch_->byte(copy_, at);
    if (!held.now.address) return held;
    held.awaited = watch_->awaited().await(*held.now.address);
    if (!held.now.known) watch_->memory().note(held.now.token);
    return held;
  }
  std::pair<uint8_t, bool> resolve(const Held& held) const {
    if (!held.now.address) return {held.now.value, held.now.known};
    const auto& read = watch_->awaited().found(held.awaited);
    if (held.now.known) return {held.now.value, read ? *read == held.now.value : !shared_};
    if (read) return {*read, true};
    const auto value = watch_->memory().value_of(held.now.token);
    return {value.value_or(0), value.has_value()};
  }

  VariableWatch* watch_;
  uint32_t copy_;
  bool shared_;
  mutable std::unordered_map<uint64_t, Held> held_;
};

struct Nobody final : VariableRows {
  bool wanted() override { return false; }
  void add(VariableRow) override {}
};

// One of the names may be relative, to a folder that is not known.
bool is_same_file(std::string_view one, std::string_view other) {
  if (one.size() > other.size()) std::swap(one, other);
  while (one.starts_with("./") || one.starts_with("../")) one.remove_prefix(one.find('/') + 1);
  return !one.empty() && other.ends_with(one) &&
         (other.size() == one.size() || other[other.size() - one.size() - 1] == '/');
}

// Whether the variable belongs to the function of the statement, or to one of those that were
// inlined around it. Variables of other inlined calls are over, or have not begun.
bool is_around(const Function& function, uint32_t variable, uint32_t statement) {
  const uint32_t declared = function.variables[variable].location;
  const uint32_t site = declared == kNone ? kNone : function.locations[declared].inlined_at;
  if (site == kNone) return true;
  uint32_t at = function.statements[statement].location;
  while (at != kNone && function.locations[at].inlined_at != site)
    at = function.locations[at].inlined_at;
  return at != kNone;
}

// Stops at executions of a thread.
class ExecutionWatch final : public EvaluationObserver {
 public:
  struct Stop {
    size_t number = 0;  // of the executions asked for
    Execution at;
    std::vector<uint32_t> order;  // of statements on its path, by statement; 0: not on it
    VariableWatch::Innermost where;
    std::vector<std::pair<uint32_t, Capture>> captures;  // by copy
  };

  ExecutionWatch(const Trace& trace, VariableWatch& watch, std::vector<Stop> stops,
                 const std::vector<VariableWatch::Copy>& copies, const VariableQuestion& question,
                 bool named, bool shared)
      : trace_(trace),
        watch_(watch),
        stops_(std::move(stops)),
        copies_(copies),
        question_(question),
        named_(named),
        shared_(shared) {
    std::set<std::string> units;
    for (const Function& function : trace.functions()) units.insert(function.unit);
    for (const SourceVariable& variable : question.variables)
      included_.push_back(variable.global && !variable.file.empty() &&
                          std::ranges::none_of(units, [&](const std::string& unit) {
                            return is_same_file(unit, variable.file);
                          }));
  }

  void follow(const Evaluator& evaluator) { evaluator_ = &evaluator; }
  std::vector<Stop>& stops() { return stops_; }
  // All that was done up to this time has been seen.
  void stop_before(uint64_t time) {
    while (next_ < stops_.size() && stops_[next_].at.time < time) stop();
  }

  bool wants_wide() const override { return watch_.wants_wide(); }
  bool wants_calls() const override { return watch_.wants_calls(); }
  void see(const Observation& seen) override {
    stop_before(seen.time);
    stop_at(seen.time, seen.function, seen.statement);
    watch_.see(seen);
  }
  void transfer(const Transfer& transfer) override {
    stop_before(transfer.time);
    watch_.transfer(transfer);
  }
  void outside_call(const OutsideCall& call) override {
    stop_before(call.time);
    watch_.outside_call(call);
  }
  void entered_from_outside(uint32_t function,
                            std::span<const std::optional<uint64_t>> pointers) override {
    stop_before(evaluator_->time());
    watch_.entered_from_outside(function, pointers);
  }
  void copied_argument(uint32_t function, uint32_t argument, uint64_t to,
                       std::optional<uint64_t> from) override {
    stop_before(evaluator_->time());
    watch_.copied_argument(function, argument, to, from);
  }
  void enter(uint32_t function, uint64_t depth, uint64_t time) override {
    stop_before(evaluator_->time());
    watch_.enter(function, depth, time);
  }
  void pass(const Passage& passage) override {
    stop_before(passage.time);
    const Function& function = trace_.functions()[passage.function];
    const uint32_t position = function.bindings[passage.binding].position;
    if (next_ < stops_.size() && position != stops_[next_].at.statement)
      stop_at(passage.time, passage.function, position);
    watch_.pass(passage);
  }
  void leave(uint64_t depth) override {
    stop_before(evaluator_->time() + 1);
    watch_.leave(depth);
  }
  void cut(uint64_t depth) override {
    stop_before(evaluator_->time() + 1);
    watch_.cut(depth);
  }

 private:
  // The statement comes next.
  void stop_at(uint64_t time, uint32_t function, uint32_t statement) {
    for (; next_ < stops_.size(); stop()) {
      const Stop& next = stops_[next_];
      if (next.at.time != time || next.at.function != function) return;
      const uint32_t here = statement < next.order.size() ? next.order[statement] : 0;
      if (here == 0 || here < next.order[next.at.statement]) return;
    }
  }

  void stop() {
    Stop& stop = stops_[next_++];
    stop.where = watch_.innermost();
    const Function& function = trace_.functions()[stop.at.function];
    watch_.capture(true);
    for (uint32_t first = 0, end = 0; first < copies_.size(); first = end) {
      const uint32_t number = copies_[first].variable;
      while (end < copies_.size() && copies_[end].variable == number) ++end;
      const SourceVariable& variable = question_.variables[number];
      if (!variable.global) {
        for (uint32_t c = first; c < end; ++c)
          if (copies_[c].ref.function == stop.at.function &&
              is_around(function, copies_[c].ref.variable, stop.at.statement))
            take(c, stop);
      } else if (concerns(variable, function) || is_included(stop.at.function, first, end)) {
        if (const auto copy = copy_for(stop.at.function, first, end)) take(*copy, stop);
      }
    }
    watch_.capture(false);
  }

  void take(uint32_t copy, Stop& stop) {
    const VariableWatch::Copy& taken = copies_[copy];
    const bool global = question_.variables[taken.variable].global;
    stop.captures.emplace_back(copy, Capture(watch_, copy, shared_ && global));
    read_value(trace_.functions()[taken.ref.function], taken.asked, stop.captures.back().second);
  }

  // A static of a header is another one in each translation unit: the function's own counts. Of
  // copies of one and the same the first is described best.
  std::optional<uint32_t> copy_for(uint32_t function, uint32_t first, uint32_t end) const {
    const auto closeness = [&](uint32_t copy) {
      const uint32_t user = copies_[copy].ref.function;
      if (user == function) return 3;
      return trace_.functions()[user].unit == trace_.functions()[function].unit ? 2 : 1;
    };
    std::optional<uint32_t> closest;
    for (uint32_t c = first; c < end; ++c)
      if (watch_.is_there(c) && (!closest || closeness(c) > closeness(*closest))) closest = c;
    for (uint32_t c = first; closest && c < *closest; ++c)
      if (watch_.is_there(c) && watch_.home(c) == watch_.home(*closest)) return c;
    if (closest) return closest;
    // It is nowhere yet, and is shown as that.
    const auto nearer = [&](const auto& a, const auto& b) { return closeness(a) < closeness(b); };
    const auto numbers = std::views::iota(first, end);
    return *std::ranges::max_element(numbers, nearer);
  }

  // A global of a file that is no translation unit itself, a header, in this one.
  bool is_included(uint32_t function, uint32_t first, uint32_t end) const {
    const SourceVariable& variable = question_.variables[copies_[first].variable];
    if (!variable.scope.empty() || !included_[copies_[first].variable]) return false;
    return std::ranges::any_of(
        copies_.begin() + first, copies_.begin() + end, [&](const auto& copy) {
          return trace_.functions()[copy.ref.function].unit == trace_.functions()[function].unit;
        });
  }

  // A global of the function's file or translation unit, or a static of its own; by its name any
  // global.
  bool concerns(const SourceVariable& variable, const Function& function) const {
    if (!variable.scope.empty()) return variable.scope == function.name;
    if (named_) return true;
    if (variable.file.empty()) return false;
    if (function.file != kNone && variable.file == function.files[function.file]) return true;
    return is_same_file(function.unit, variable.file);
  }

  const Trace& trace_;
  VariableWatch& watch_;
  std::vector<Stop> stops_;  // by time
  const std::vector<VariableWatch::Copy>& copies_;
  const VariableQuestion& question_;
  const bool named_, shared_;
  std::vector<bool> included_;  // by variable: its file is no translation unit
  const Evaluator* evaluator_ = nullptr;
  size_t next_ = 0;
};

// The numbers of statements on the path, from 1.
std::vector<uint32_t> order_on(const Function& function, const Path& path) {
  std::vector<uint32_t> order(function.statements.size() + 1);
  uint32_t next = 1;
  for (const uint32_t number : path.segments) {
    const Segment& segment = function.segments[number];
    for (uint32_t s = 0; s < segment.statement_count; ++s)
      order[segment.first_statement + s] = next++;
  }
  return order;
}

class Snapshots {
 public:
  // Of these variables, and of each the part; `named` when somebody asked for them.
  Snapshots(const Trace& trace, const std::vector<Execution>& executions,
            std::vector<SourceVariable> variables, std::string_view part, bool named)
      : trace_(trace), executions_(executions), named_(named), out_(executions.size()) {
    std::set<uint32_t> functions;
    std::set<std::string> scopes;
    for (const Execution& one : executions) {
      const Function& function = trace.functions()[one.function];
      functions.insert(one.function);
      scopes.insert(function.name);
    }
    for (SourceVariable& variable : variables) {
      const bool wanted = variable.global
                              ? variable.scope.empty() || scopes.contains(variable.scope)
                              : std::ranges::any_of(variable.copies, [&](const VariableRef& copy) {
                                  return functions.contains(copy.function);
                                });
      if (wanted) question_.variables.push_back(std::move(variable));
    }
    for (uint32_t v = 0; v < question_.variables.size(); ++v)
      for (const VariableRef& ref : best_copies_first(trace.functions(), question_.variables[v]))
        if (question_.variables[v].global || functions.contains(ref.function)) {
          const Function& function = trace.functions()[ref.function];
          const auto asked = find_part(function, function.variables[ref.variable].type, part);
          if (asked) copies_.push_back({v, ref, *asked});
        }
  }

  Result<void> read(const Windows& windows, const ProcessAddresses& addresses, uint32_t thread) {
    std::vector<ExecutionWatch::Stop> stops;
    auto cursor = trace_.walk(thread);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    for (size_t e = 0; e < executions_.size(); ++e) {
      const Execution& at = executions_[e];
      if (at.thread != thread) continue;
      if (!cursor->seek(at.time) || cursor->path().function != at.function)
        return fail(ErrorKind::usage, trace_.file() + ": no such execution");
      stops.push_back({e, at, order_on(trace_.functions()[at.function], cursor->path()), {}, {}});
    }
    if (stops.empty()) return {};
    if (windows.of(thread).empty())
      return fail(ErrorKind::unsupported, trace_.file() + ": no values of thread " +
                                              thread_name(trace_, thread) + " were recorded");
    std::ranges::sort(stops, {}, [](const ExecutionWatch::Stop& stop) {
      return std::pair(stop.at.time, stop.order[stop.at.statement]);
    });

    Nobody nobody;
    auto symbols = symbols_of(trace_, addresses, thread);
    VariableWatch watch(trace_.functions(), copies_, symbols, nobody);
    watch.keep_memory();
    for (const auto& stop : stops) watch.watch_function(stop.at.function);
    if (begins_process(trace_, thread)) watch.begin_with(symbols);
    ExecutionWatch stopper(trace_, watch, std::move(stops), copies_, question_, named_,
                           !is_alone(trace_, thread));
    for (size_t window = 0; window < windows.of(thread).size(); ++window) {
      auto begun = windows.begin(thread, window);
      if (!begun) return std::unexpected(std::move(begun.error()));
      stopper.follow(begun->evaluator());
      begun->evaluator().watch(stopper, watch.bindings());
      begun->evaluator().observe(stopper, watch.memory_statements());
      const auto paths = begun->run();
      if (!paths) return std::unexpected(paths.error());
      stopper.stop_before(begun->evaluator().time() + 1);
    }
    stopper.stop_before(UINT64_MAX);
    for (const ExecutionWatch::Stop& stop : stopper.stops()) give(stop);
    return {};
  }

  std::vector<VariablesAt> take() { return std::move(out_); }

 private:
  void give(const ExecutionWatch::Stop& stop) {
    VariablesAt& out = out_[stop.number];
    out.at = stop.at;
    out.depth = stop.where.depth;
    out.entered = stop.where.entered;
    for (const auto& [c, capture] : stop.captures) {
      const Function& declared = trace_.functions()[copies_[c].ref.function];
      out.variables.push_back({question_.variables[copies_[c].variable],
                               read_value(declared, copies_[c].asked, capture)});
    }
    std::ranges::sort(out.variables, [](const auto& a, const auto& b) {
      const auto key = [](const VariablesAt::Known& one) {
        const SourceVariable& v = one.variable;
        return std::tuple(v.global, v.parameter == 0, v.parameter, v.line, v.name);
      };
      return key(a) < key(b);
    });
  }

  const Trace& trace_;
  const std::vector<Execution>& executions_;
  const bool named_;
  VariableQuestion question_;
  std::vector<VariableWatch::Copy> copies_;
  std::vector<VariablesAt> out_;
};

// Some of the variables must have it; when none has, the reasons of all their types.
Result<void> check_part(const Trace& trace, const std::vector<SourceVariable>& variables,
                        std::string_view part) {
  std::set<std::string> reasons;
  ErrorKind kind = ErrorKind::usage;
  for (const SourceVariable& variable : variables)
    for (const VariableRef& copy : variable.copies) {
      const Function& function = trace.functions()[copy.function];
      const auto found = find_part(function, function.variables[copy.variable].type, part);
      if (found) return {};
      kind = found.error().kind;
      reasons.insert(found.error().message);
    }
  if (reasons.empty()) return {};
  std::string all;
  for (const std::string& reason : reasons) all += (all.empty() ? "" : "; ") + reason;
  return fail(kind, all);
}

}  // namespace

Result<std::vector<VariablesAt>> variables_at(const Trace& trace,
                                              const std::vector<Execution>& executions,
                                              std::string_view name) {
  auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(std::move(windows.error()));
  const ProcessAddresses addresses(trace);
  const VariableName asked = split_variable_name(name);
  // A file or a function alone is a question; a part of nothing is none.
  if (!name.empty() && asked.name.empty() && (asked.where.empty() || !asked.part.empty()))
    return fail(ErrorKind::usage,
                quoted(name) + " is not a variable; give NAME, NAME@FUNCTION or @FUNCTION");
  auto variables = source_variables(trace, asked.where);
  if (!asked.name.empty())
    std::erase_if(variables, [&](const SourceVariable& v) { return v.name != asked.name; });
  if (variables.empty() && !name.empty()) return std::unexpected(unknown_variable(trace, name));
  if (auto part = check_part(trace, variables, asked.part); !part)
    return std::unexpected(std::move(part.error()));
  Snapshots snapshots(trace, executions, std::move(variables), asked.part, !name.empty());
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread)
    if (auto read = snapshots.read(*windows, addresses, thread); !read)
      return std::unexpected(std::move(read.error()));
  return snapshots.take();
}

}  // namespace vestige
