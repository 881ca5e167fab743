#include "query/schedules/round_registers.h"

#include <algorithm>

namespace vestige::schedules {

namespace {

bool loop_has(const Function& function, uint32_t block, uint32_t loop) {
  size_t steps = 0;
  for (uint32_t l = function.blocks[block].loop;
       l < function.loops.size() && steps <= function.loops.size();
       l = function.loops[l].parent, ++steps)
    if (l == loop) return true;
  return false;
}

uint32_t outermost_loop(const Function& function, uint32_t block) {
  uint32_t outer = kNone;
  size_t steps = 0;
  for (uint32_t l = function.blocks[block].loop;
       l < function.loops.size() && steps <= function.loops.size();
       l = function.loops[l].parent, ++steps)
    outer = l;
  return outer;
}

}  // namespace

RoundRegisters::RoundRegisters(const Function& function, uint32_t statement, bool loops)
    : function_(function), statement_(statement), inside_(function.blocks.size(), true) {
  if (!loops) return;
  const uint32_t loop = outermost_loop(function, function.statements[statement].block);
  if (loop == kNone) return;
  for (uint32_t b = 0; b < function.blocks.size(); ++b) inside_[b] = loop_has(function, b, loop);
}

// Whether the block, from this statement on, uses it. `stops`: it is made anew there.
bool RoundRegisters::uses_in(uint32_t block, uint32_t first, const Operand& what,
                             bool& stops) const {
  const Block& of = function_.blocks[block];
  for (uint32_t s = first; s < of.first_statement + of.statement_count; ++s) {
    const Statement& statement = function_.statements[s];
    if (statement.op != Op::phi &&
        std::ranges::find(statement.operands, what) != statement.operands.end())
      return true;
    if (what.kind == Operand::Kind::statement && what.index == s) {
      stops = true;
      return false;
    }
  }
  return false;
}

// Whether some phi of `to` takes it when control comes from `from`.
bool RoundRegisters::uses_on_edge(uint32_t from, uint32_t to, const Operand& what) const {
  const Block& of = function_.blocks[to];
  for (uint32_t s = of.first_statement; s < of.first_statement + of.statement_count; ++s) {
    const Statement& statement = function_.statements[s];
    if (statement.op != Op::phi) break;
    for (size_t i = 0; i + 1 < statement.operands.size(); i += 2)
      if (statement.operands[i] == what && statement.operands[i + 1].index == from) return true;
  }
  return false;
}

bool RoundRegisters::used_behind(const Operand& what) const {
  std::vector<bool> seen(function_.blocks.size(), false);
  std::vector<uint32_t> open;
  const auto look = [&](uint32_t block, uint32_t first) {
    bool stops = false;
    if (uses_in(block, first, what, stops)) return true;
    if (stops) return false;
    for (const uint32_t next : function_.blocks[block].successors) {
      if (next >= seen.size() || !inside(next)) continue;
      if (uses_on_edge(block, next, what)) return true;
      if (!seen[next]) open.push_back(next);
      seen[next] = true;
    }
    return false;
  };
  if (look(function_.statements[statement_].block, statement_ + 1)) return true;
  while (!open.empty()) {
    const uint32_t block = open.back();
    open.pop_back();
    if (look(block, function_.blocks[block].first_statement)) return true;
  }
  return false;
}

CarriedValues RoundRegisters::carried() const {
  CarriedValues all;
  std::vector<bool> used(function_.statements.size(), false);
  for (const Statement& statement : function_.statements)
    for (const Operand& operand : statement.operands)
      if (operand.kind == Operand::Kind::statement) used[operand.index] = true;
  for (uint32_t s = 0; s < function_.statements.size(); ++s) {
    // Addresses of the thread's own variables are its own in every round.
    if (!used[s] || s == statement_ || function_.statements[s].op == Op::alloca_) continue;
    if (used_behind({Operand::Kind::statement, s})) all.statements.push_back(s);
  }
  for (uint32_t a = 0; a < function_.arguments.size(); ++a)
    if (used_behind({Operand::Kind::argument, a})) all.arguments.push_back(a);
  return all;
}

}  // namespace vestige::schedules
