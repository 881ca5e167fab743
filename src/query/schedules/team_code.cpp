#include "query/schedules/team_code.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

namespace vestige::schedules {

namespace {

struct Named {
  std::string_view prefix;
  Call call;
};
// The first that fits counts.
constexpr Named kCalls[] = {
    {"llvm.threadlocal.address", Call::asks_thread},
    {"llvm.", Call::harmless},
    {"__kmpc_fork_call", Call::fork},
    {"__kmpc_serialized_parallel", Call::serialized},
    {"__kmpc_end_serialized_parallel", Call::end_serialized},
    {"__kmpc_push_num_threads", Call::team_size},
    {"omp_set_num_threads", Call::team_size},
    {"__kmpc_for_static_init", Call::static_init},
    {"__kmpc_for_static_fini", Call::static_fini},
    {"__kmpc_dispatch_init", Call::dispatch_init},
    {"__kmpc_dispatch_next", Call::dispatch_next},
    {"__kmpc_single", Call::single},
    {"__kmpc_end_single", Call::end_single},
    {"__kmpc_masked", Call::master},
    {"__kmpc_master", Call::master},
    {"__kmpc_end_masked", Call::end_master},
    {"__kmpc_end_master", Call::end_master},
    {"__kmpc_barrier", Call::barrier},
    {"__kmpc_cancel_barrier", Call::barrier},
    {"__kmpc_copyprivate", Call::barrier},
    {"__kmpc_omp_taskwait", Call::waits},
    {"__kmpc_end_taskgroup", Call::waits},
    {"__kmpc_omp_task_alloc", Call::harmless},
    {"__kmpc_omp_task_with_deps", Call::harmless},
    {"__kmpc_omp_task_begin_if0", Call::harmless},
    {"__kmpc_omp_task_complete_if0", Call::harmless},
    {"__kmpc_omp_task", Call::task},
    {"__kmpc_taskloop", Call::taskloop},
    {"__kmpc_threadprivate_cached", Call::asks_thread},
    {"__kmpc_reduce", Call::combines},
    {"__kmpc_", Call::harmless},
    {"omp_get_thread_num", Call::asks_thread},
    {"omp_get_ancestor_thread_num", Call::asks_thread},
    {"omp_get_team_num", Call::asks_thread},
    {"omp_get_place_num", Call::asks_thread},
    {"pthread_self", Call::asks_thread},
    {"pthread_getspecific", Call::asks_thread},
    {"gettid", Call::asks_thread},
    {"sched_getcpu", Call::asks_thread},
    {"omp_get_num_threads", Call::asks_team},
    {"omp_get_max_threads", Call::asks_team},
    {"omp_get_num_procs", Call::asks_team},
    {"omp_get_team_size", Call::asks_team},
    {"omp_get_thread_limit", Call::asks_team},
    {"omp_in_parallel", Call::asks_team},
    {"omp_set_schedule", Call::harmless},
    {"omp_", Call::harmless},
};

bool gives_bounds(Call call) {
  return call == Call::static_init || call == Call::dispatch_init || call == Call::dispatch_next;
}

}  // namespace

Call call_of(const Function& function, uint32_t index) {
  const Statement& statement = function.statements[index];
  if (statement.op != Op::call && statement.op != Op::invoke) return Call::none;
  if (statement.callee >= function.symbols.size()) return Call::unknown;
  const std::string_view name = function.symbols[statement.callee];
  for (const Named& known : kCalls)
    if (name.starts_with(known.prefix)) return known.call;
  // The body of a region, which its wrapper calls.
  if (name.find("omp_outlined") != name.npos) return Call::harmless;
  return Call::unknown;
}

uint32_t TeamFunction::variable(const Function& function, uint32_t call, size_t operand) {
  const auto& operands = function.statements[call].operands;
  if (operand >= operands.size() || operands[operand].kind != Operand::Kind::statement)
    return kNone;
  const uint32_t at = operands[operand].index;
  return function.statements[at].op == Op::alloca_ ? at : kNone;
}

TeamFunction::TeamFunction(const Function& function)
    : function_(function),
      has_bounds_(function.loops.size(), false),
      value_(function.statements.size(), 0),
      memory_(function.statements.size(), 0),
      control_(function.blocks.size(), 0) {
  find_loops();
  find_dependences();
}

// ---- loops
// ------------------------------------------------------------------------------------------

bool TeamFunction::in_loop(uint32_t block, uint32_t loop) const {
  size_t steps = 0;
  for (uint32_t l = function_.blocks[block].loop;
       l < function_.loops.size() && steps <= function_.loops.size();
       l = function_.loops[l].parent, ++steps)
    if (l == loop) return true;
  return false;
}

void TeamFunction::find_loops() {
  for (uint32_t s = 0; s < function_.statements.size(); ++s) {
    if (!gives_bounds(call_of(function_, s))) continue;
    for (uint32_t l = 0; l < function_.loops.size(); ++l)
      if (in_loop(function_.statements[s].block, l)) has_bounds_[l] = true;
  }
}

uint32_t TeamFunction::work_loop(uint32_t block, bool in_chunks) const {
  uint32_t outer = kNone, inner = kNone;
  size_t steps = 0;
  for (uint32_t l = function_.blocks[block].loop;
       l < function_.loops.size() && !has_bounds_[l] && steps <= function_.loops.size();
       l = function_.loops[l].parent, ++steps) {
    inner = outer;
    outer = l;
  }
  return in_chunks ? inner : outer;
}

namespace {
using SourcePlace = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, Op, uint32_t>;
bool is_placed(const Function& function, uint32_t s) {
  const Op op = function.statements[s].op;
  return function.statements[s].location != kNone && (op == Op::load || op == Op::store);
}
SourcePlace place_of_source(const Function& function, uint32_t s) {
  const Statement& statement = function.statements[s];
  const Location& at = function.locations[statement.location];
  return {at.line, at.column, at.scope, at.inlined_at, statement.op, statement.type};
}
}  // namespace

uint32_t TeamFunction::copies(uint32_t loop) const {
  std::map<SourcePlace, uint32_t> counts;
  uint32_t most = 1;
  for (uint32_t s = 0; s < function_.statements.size(); ++s)
    if (is_placed(function_, s) && function_.blocks[function_.statements[s].block].loop == loop)
      most = std::max(most, ++counts[place_of_source(function_, s)]);
  return most;
}

uint32_t TeamFunction::copy_of(uint32_t loop, uint32_t statement) const {
  const uint32_t all = copies(loop);
  if (all == 1) return 0;
  if (!is_placed(function_, statement)) return kNone;
  uint32_t before = 0, count = 0;
  for (uint32_t s = 0; s < function_.statements.size(); ++s) {
    if (!is_placed(function_, s) || function_.blocks[function_.statements[s].block].loop != loop ||
        place_of_source(function_, s) != place_of_source(function_, statement))
      continue;
    ++count;
    before += s < statement;
  }
  return count == all ? before : kNone;
}

bool TeamFunction::is_copy(uint32_t loop, uint32_t statement) const {
  if (!is_placed(function_, statement) || in_loop(function_.statements[statement].block, loop))
    return false;
  for (uint32_t s = 0; s < function_.statements.size(); ++s)
    if (is_placed(function_, s) && function_.blocks[function_.statements[s].block].loop == loop &&
        place_of_source(function_, s) == place_of_source(function_, statement))
      return true;
  return false;
}

// By statement: what counts the rounds of that loop, and where it is kept.
std::vector<bool> TeamFunction::counters(uint32_t lower) const {
  std::vector<bool> found(function_.statements.size(), false);
  const auto counts = [&](const Operand& operand) {
    return operand.kind == Operand::Kind::statement && found[operand.index];
  };
  const auto is_counter = [&](const Statement& statement) {
    switch (statement.op) {
      case Op::load:
        return root(statement.operands[0]) == lower || counts(statement.operands[0]);
      case Op::phi:
        return std::ranges::any_of(statement.operands, counts);
      case Op::sext:
      case Op::zext:
      case Op::trunc:
      case Op::freeze:
        return counts(statement.operands[0]);
      default:
        return false;
    }
  };
  for (bool news = true; std::exchange(news, false);) {
    for (uint32_t s = 0; s < function_.statements.size(); ++s) {
      const Statement& statement = function_.statements[s];
      if (!found[s] && is_counter(statement)) news = found[s] = true;
      if (statement.op != Op::store || !counts(statement.operands[0])) continue;
      const uint32_t kept = root(statement.operands[1]);
      if (kept != kNone && kept != lower && !found[kept]) news = found[kept] = true;
    }
  }
  return found;
}

bool TeamFunction::has_sections(uint32_t lower) const {
  if (lower == kNone) return false;
  const std::vector<bool> counts = counters(lower);
  const bool named = std::ranges::any_of(function_.bindings, [&](const Binding& binding) {
    return std::ranges::any_of(binding.operands, [&](const BindingOperand& operand) {
      return operand.kind == BindingOperand::Kind::statement && counts[operand.index];
    });
  });
  return !named && std::ranges::any_of(function_.statements, [&](const Statement& statement) {
    return statement.op == Op::switch_ && statement.operands[0].kind == Operand::Kind::statement &&
           counts[statement.operands[0].index];
  });
}

// ---- dependences
// ------------------------------------------------------------------------------------

bool TeamFunction::add(uint8_t& to, uint8_t more) {
  const bool news = (more & ~to) != 0;
  to |= more;
  return news;
}

uint8_t TeamFunction::of(const Operand& operand) const {
  if (operand.kind == Operand::Kind::statement) return value_[operand.index];
  // An outlined function's first argument points to its thread's number.
  if (operand.kind == Operand::Kind::argument && operand.index == 0 &&
      function_.name.find("omp_outlined") != function_.name.npos)
    return kOnThread;
  return 0;
}

// The local variable that a pointer leads to; kNone: not known.
uint32_t TeamFunction::root(const Operand& operand) const {
  Operand at = operand;
  for (int steps = 0; steps < 16 && at.kind == Operand::Kind::statement; ++steps) {
    const Statement& statement = function_.statements[at.index];
    if (statement.op == Op::alloca_) return at.index;
    if (statement.op != Op::get_element_ptr && statement.op != Op::bit_cast) return kNone;
    at = statement.operands[0];
  }
  return kNone;
}

bool TeamFunction::flow(uint32_t index) {
  const Statement& statement = function_.statements[index];
  uint8_t got = 0;
  for (const Operand& operand : statement.operands) got |= of(operand);
  bool news = false;
  switch (statement.op) {
    case Op::alloca_:
      return false;
    case Op::phi:
      for (const Operand& operand : statement.operands)
        if (operand.kind == Operand::Kind::block) got |= control_[operand.index];
      got |= control_[statement.block];
      break;
    case Op::load:
      if (const uint32_t variable = root(statement.operands[0]); variable != kNone)
        got |= memory_[variable];
      break;
    case Op::store: {
      const uint8_t stored = of(statement.operands[0]) | control_[statement.block];
      const uint32_t variable = root(statement.operands[1]);
      if (variable != kNone) return add(memory_[variable], stored | of(statement.operands[1]));
      if ((of(statement.operands[0]) & kOnThread) != 0) escapes_ = true;
      return false;
    }
    case Op::call:
    case Op::invoke: {
      const Call call = call_of(function_, index);
      const auto give = [&](size_t operand, uint8_t what) {
        const uint32_t variable = TeamFunction::variable(function_, index, operand);
        if (variable != kNone) news |= add(memory_[variable], what);
      };
      if (call == Call::static_init || call == Call::dispatch_next) {
        const size_t first = call == Call::static_init ? 3 : 2;
        give(first, kOnLast);
        for (size_t k = 1; k <= 3; ++k) give(first + k, kOnBounds);
        got = kOnBounds;
      } else if (call == Call::single || call == Call::master) {
        got = kOnWinner;
      } else if (call == Call::asks_thread) {
        got = kOnThread;
      } else if (call == Call::unknown) {
        if ((got & kOnThread) != 0) escapes_ = true;
      } else if (function_.symbols[statement.callee].starts_with("llvm.")) {
        break;
      } else {
        got = 0;  // of the runtime
      }
      break;
    }
    default:
      break;
  }
  return add(value_[index], got) || news;
}

void TeamFunction::find_dependences() {
  constexpr int kRounds = 32;
  bool news = true;
  for (int round = 0; news && round < kRounds; ++round) {
    news = false;
    for (uint32_t s = 0; s < function_.statements.size(); ++s) news |= flow(s);
    for (uint32_t b = 0; b < function_.blocks.size(); ++b)
      for (const uint32_t parent : function_.blocks[b].control_parents) {
        const Block& decides = function_.blocks[parent];
        const uint32_t last = decides.first_statement + decides.statement_count - 1;
        news |= add(control_[b], value_[last] | control_[parent]);
      }
  }
  if (!news) return;
  // No end in sight: everything may depend on everything.
  std::ranges::fill(value_, uint8_t{0xff});
  std::ranges::fill(control_, uint8_t{0xff});
}

namespace {
std::optional<int64_t> number_of(const Function& function, const Operand& operand) {
  if (operand.kind != Operand::Kind::constant) return std::nullopt;
  const Constant& constant = function.constants[operand.index];
  if (constant.kind != Constant::Kind::integer || constant.bytes.size() > 8) return std::nullopt;
  uint64_t bits = 0;
  for (size_t i = constant.bytes.size(); i-- > 0;) bits = bits << 8 | constant.bytes[i];
  return static_cast<int64_t>(bits);
}
int64_t signed_pair(const Statement& statement, size_t at) {
  return static_cast<int64_t>(statement.attributes[at] | uint64_t{statement.attributes[at + 1]}
                                                             << 32);
}
}  // namespace

namespace {
constexpr int kDeepest = 12;  // of what an address is computed from
}  // namespace

// What counts chunks begins as the first one does.
std::optional<int64_t> TeamFunction::step_of_phi(const Statement& phi, const Begins& begins,
                                                 int depth) const {
  const uint32_t loop = function_.blocks[phi.block].loop;
  if (loop == kNone || loop != begins.loop || function_.loops[loop].header != phi.block)
    return std::nullopt;
  std::optional<int64_t> all;
  for (size_t k = 0; k + 1 < phi.operands.size(); k += 2) {
    if (in_loop(phi.operands[k + 1].index, loop)) continue;
    const auto one = step(phi.operands[k], begins, depth - 1);
    if (!one || *one != all.value_or(*one)) return std::nullopt;
    all = one;
  }
  return all;
}

std::optional<int64_t> TeamFunction::step(const Operand& operand, const Begins& begins,
                                          int depth) const {
  if (operand.kind != Operand::Kind::statement || of(operand) == 0) return 0;
  if (depth == 0) return std::nullopt;
  const Statement& statement = function_.statements[operand.index];
  const auto part = [&](size_t k) { return step(statement.operands[k], begins, depth - 1); };
  switch (statement.op) {
    case Op::load:
      if (root(statement.operands[0]) == begins.lower) return 1;
      return std::nullopt;
    case Op::phi:
      return step_of_phi(statement, begins, depth);
    case Op::sext:
    case Op::zext:
    case Op::trunc:
      return part(0);
    case Op::add:
    case Op::sub: {
      const auto a = part(0), b = part(1);
      if (!a || !b) return std::nullopt;
      return statement.op == Op::add ? *a + *b : *a - *b;
    }
    case Op::mul:
    case Op::shl: {
      const auto a = part(0);
      const auto by = number_of(function_, statement.operands[1]);
      if (!a || !by || *by < 0 || *by > 1 << 20) return std::nullopt;
      if (statement.op == Op::shl && *by > 20) return std::nullopt;
      return statement.op == Op::mul ? *a * *by : *a << *by;
    }
    case Op::get_element_ptr: {
      const size_t indices = statement.operands.size() - 1;
      if (statement.attributes.size() != 2 + 2 * indices) return std::nullopt;
      auto all = part(0);
      for (size_t k = 1; all && k <= indices; ++k) {
        const auto index = part(k);
        all = index ? std::optional(*all + *index * signed_pair(statement, 2 * k)) : std::nullopt;
      }
      return all;
    }
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> TeamFunction::step_of_copy(uint32_t index, bool writes,
                                                  uint32_t lower) const {
  const Statement& statement = function_.statements[index];
  if (statement.callee >= function_.symbols.size()) return std::nullopt;
  if (!function_.symbols[statement.callee].starts_with("llvm.mem")) return std::nullopt;
  return step(statement.operands[writes ? 0 : 1], {lower, kNone}, kDeepest);
}

std::optional<int64_t> TeamFunction::step_of_address(uint32_t index, uint32_t lower,
                                                     bool in_chunks) const {
  const Statement& statement = function_.statements[index];
  const Begins begins{lower, in_chunks ? function_.blocks[statement.block].loop : kNone};
  if (statement.op == Op::load) return step(statement.operands[0], begins, kDeepest);
  return std::nullopt;
}

uint8_t TeamFunction::of_address(uint32_t index) const {
  const Statement& statement = function_.statements[index];
  switch (statement.op) {
    case Op::load:
      return of(statement.operands[0]);
    case Op::store:
      return of(statement.operands[1]);
    default: {
      uint8_t got = 0;
      for (const Operand& operand : statement.operands) got |= of(operand);
      return got;
    }
  }
}

}  // namespace vestige::schedules
