#include "query/races/address_slice.h"

namespace vestige::races {

namespace {

constexpr size_t kMostValues = 100'000;  // of one slice: what lies further is left out
constexpr int kMostSteps = 64;           // from a pointer to the variable

bool is_call(const Statement& statement) {
  return statement.op == Op::call || statement.op == Op::invoke;
}

bool copies(const Function& function, const Statement& statement) {
  if (!is_call(statement) || statement.callee == kNone) return false;
  const std::string& name = function.symbols[statement.callee];
  return name.starts_with("llvm.memcpy") || name.starts_with("llvm.memmove");
}

bool is_store(const Function& function, const Statement& statement) {
  return statement.op == Op::store || copies(function, statement);
}

// The operands that say where: pointers, and how much is copied.
std::span<const Operand> places(const Statement& statement) {
  const std::span<const Operand> operands = statement.operands;
  if (statement.op == Op::store) return operands.size() > 1 ? operands.subspan(1, 1) : operands;
  return operands.first(std::min<size_t>(operands.size(), is_call(statement) ? 3 : 1));
}

}  // namespace

AddressSlices::AddressSlices(const Trace& trace) : trace_(&trace) {
  for (uint32_t f = 0; f < trace.functions().size(); ++f) {
    const Function& function = trace.functions()[f];
    functions_[function.name].push_back(f);
    for (uint32_t s = 0; s < function.statements.size(); ++s) {
      const Statement& statement = function.statements[s];
      if (is_call(statement) && statement.callee != kNone)
        calls_[function.symbols[statement.callee]].push_back({f, s});
      if (!is_store(function, statement)) continue;
      const auto pointers = places(statement);
      if (pointers.empty()) continue;
      const Root to = root(f, pointers[0]);
      if (to.kind == Root::Kind::global) stores_[function.symbols[to.symbol]].push_back({f, s});
    }
  }
}

AddressSlices::Root AddressSlices::root(uint32_t f, const Operand& pointer) const {
  const Function& function = trace_->functions()[f];
  Operand at = pointer;
  for (int step = 0; step < kMostSteps; ++step) {
    if (at.kind == Operand::Kind::constant) {
      uint32_t constant = at.index;
      for (int inner = 0; inner < kMostSteps && constant < function.constants.size(); ++inner) {
        const Constant& c = function.constants[constant];
        if (c.kind == Constant::Kind::symbol) return {Root::Kind::global, 0, c.symbol};
        if (c.parts.empty()) break;
        constant = c.parts[0];
      }
      return {};
    }
    if (at.kind != Operand::Kind::statement) return {};
    const Statement& statement = function.statements[at.index];
    if (statement.op == Op::alloca_) return {Root::Kind::slot, at.index, 0};
    const bool same = statement.op == Op::get_element_ptr || statement.op == Op::bit_cast ||
                      statement.op == Op::addr_space_cast || statement.op == Op::freeze;
    if (!same || statement.operands.empty()) return {};
    at = statement.operands[0];
  }
  return {};
}

std::set<uint64_t> AddressSlices::loads(const StatementRef& access) const {
  std::set<uint64_t> found;
  std::set<std::tuple<uint32_t, uint8_t, uint32_t>> seen;
  std::vector<std::pair<uint32_t, Operand>> work;
  const auto want = [&](uint32_t f, const Operand& operand) {
    if (operand.kind != Operand::Kind::statement && operand.kind != Operand::Kind::argument) return;
    if (seen.size() < kMostValues &&
        seen.emplace(f, static_cast<uint8_t>(operand.kind), operand.index).second)
      work.emplace_back(f, operand);
  };
  const auto want_all = [&](uint32_t f, std::span<const Operand> operands) {
    for (const Operand& operand : operands) want(f, operand);
  };
  const auto want_stored = [&](const StatementRef& store) {
    const Function& function = trace_->functions()[store.function];
    const Statement& statement = function.statements[store.statement];
    if (copies(function, statement)) found.insert(statement_id(*trace_, store));
    want_all(store.function, statement.operands);
  };
  const Function& first = trace_->functions()[access.function];
  want_all(access.function, places(first.statements[access.statement]));

  while (!work.empty()) {
    const auto [f, value] = work.back();
    work.pop_back();
    const Function& function = trace_->functions()[f];
    if (value.kind == Operand::Kind::argument) {
      if (const auto callers = calls_.find(function.name); callers != calls_.end())
        for (const StatementRef& call : callers->second) {
          const Statement& caller = trace_->functions()[call.function].statements[call.statement];
          if (value.index < caller.operands.size())
            want(call.function, caller.operands[value.index]);
        }
      continue;
    }
    const Statement& statement = function.statements[value.index];
    if (is_call(statement)) {
      const auto callee = statement.callee == kNone
                              ? functions_.end()
                              : functions_.find(function.symbols[statement.callee]);
      if (callee == functions_.end()) {
        want_all(f, statement.operands);
        continue;
      }
      for (const uint32_t called : callee->second)
        for (const Statement& inner : trace_->functions()[called].statements)
          if (inner.op == Op::ret) want_all(called, inner.operands);
      continue;
    }
    want_all(f, statement.operands);
    const bool reads =
        statement.op == Op::load || statement.op == Op::cmpxchg || statement.op == Op::atomic_rmw;
    if (!reads) continue;
    found.insert(statement_id(*trace_, {f, value.index}));
    const Root from = root(f, statement.operands[0]);
    if (from.kind == Root::Kind::slot) {
      for (uint32_t s = 0; s < function.statements.size(); ++s) {
        if (!is_store(function, function.statements[s])) continue;
        const auto pointers = places(function.statements[s]);
        if (pointers.empty()) continue;
        const Root to = root(f, pointers[0]);
        if (to.kind == Root::Kind::slot && to.statement == from.statement) want_stored({f, s});
      }
    } else if (from.kind == Root::Kind::global) {
      const auto stores = stores_.find(function.symbols[from.symbol]);
      if (stores != stores_.end())
        for (const StatementRef& store : stores->second) want_stored(store);
    }
  }
  return found;
}

}  // namespace vestige::races
