#include "program/untold.h"

#include <algorithm>
#include <set>
#include <string>

#include "program/derive.h"
#include "program/library.h"

namespace vestige {

namespace {

bool is_floating(const Shape& shape) {
  switch (shape.kind) {
    case Shape::Kind::simple:
      return shape.simple.kind == SimpleType::Kind::float32 ||
             shape.simple.kind == SimpleType::Kind::float64;
    case Shape::Kind::half:
    case Shape::Kind::bfloat:
    case Shape::Kind::x86_fp80:
    case Shape::Kind::fp128:
      return true;
    case Shape::Kind::vector:
    case Shape::Kind::array:
      return is_floating(shape.element(0));
    case Shape::Kind::structure:
      return std::ranges::all_of(shape.elements, is_floating);
    default:
      return false;
  }
}

std::vector<bool> floating_types(const Function& function) {
  std::vector<bool> floating;
  for (const std::string& type : function.types) floating.push_back(is_floating(shape_of(type)));
  return floating;
}

std::string untold(std::string_view type) { return std::string(kUntold) + std::string(type); }

// What an address is computed from: a variable, an argument, a pointer that lies in one; and the
// type that is accessed there.
struct AddressOrigin {
  enum class Root : uint8_t { unknown, statement, argument, symbol };
  Root root = Root::unknown;
  uint32_t index = 0, loads = 0, type = 0;
  auto operator<=>(const AddressOrigin&) const = default;
};

AddressOrigin place_of(const Function& function, const Operand& address, uint32_t type) {
  constexpr unsigned kMostSteps = 32;
  AddressOrigin place{.type = type};
  Operand at = address;
  for (unsigned step = 0; step < kMostSteps; ++step) {
    if (at.kind == Operand::Kind::argument) {
      place.root = AddressOrigin::Root::argument;
      place.index = at.index;
      return place;
    }
    if (at.kind == Operand::Kind::constant && at.index < function.constants.size()) {
      const Constant& constant = function.constants[at.index];
      if (constant.kind == Constant::Kind::symbol) {
        place.root = AddressOrigin::Root::symbol;
        place.index = constant.symbol;
        return place;
      }
      if (constant.kind != Constant::Kind::expression || constant.parts.empty()) return place;
      at.index = constant.parts[0];
      continue;
    }
    if (at.kind != Operand::Kind::statement || at.index >= function.statements.size()) return place;
    const Statement& statement = function.statements[at.index];
    const bool moves = statement.op == Op::get_element_ptr || statement.op == Op::bit_cast ||
                       statement.op == Op::addr_space_cast || statement.op == Op::phi;
    if ((moves || statement.op == Op::load) && !statement.operands.empty()) {
      place.loads += statement.op == Op::load;
      at = statement.operands[0];
      continue;
    }
    place.root = AddressOrigin::Root::statement;
    place.index = at.index;
    return place;
  }
  return place;
}

// Which statements' values matter. A value matters when an address may follow from it: directly, or
// by what is called or returned to, or because it is kept in memory as it is. Sums and products
// that are only stored, and what only branches depend on, do not, unless the function loads from
// the same place what matters: it would be told each time. Should an address come of such memory
// after all, it is told where it is loaded.
class Mattering {
 public:
  Mattering(const Function& function, const std::vector<bool>& floating)
      : function_(function), floating_(floating), matters_(function.statements.size()) {
    for (const Statement& statement : function.statements) visit_uses(statement);
    spread();
    while (visit_skipped_stores()) spread();
  }
  bool of(size_t statement) const { return matters_[statement]; }

  static bool changes_numbers(Op op) {
    return op >= Op::add && op <= Op::xor_ && only_computes(op);
  }

 private:
  bool is_floating(uint32_t type) const { return type < floating_.size() && floating_[type]; }

  // To what the values that matter are computed from.
  void spread() {
    while (!open_.empty()) {
      const Statement& statement = function_.statements[open_.back()];
      open_.pop_back();
      if (statement.op == Op::load && !statement.operands.empty())
        loaded_.insert(place_of(function_, statement.operands[0], statement.type));
      for (const Operand& operand : statement.operands) add(operand);
    }
  }
  // Whether one of them matters after all.
  bool visit_skipped_stores() {
    for (const uint32_t store : skipped_stores_) {
      const auto& operands = function_.statements[store].operands;
      if (operands.size() < 2) continue;
      const uint32_t type = function_.statements[operands[0].index].type;
      if (loaded_.contains(place_of(function_, operands[1], type))) add(operands[0]);
    }
    return !open_.empty();
  }

  void add(const Operand& operand) {
    if (operand.kind != Operand::Kind::statement || operand.index >= matters_.size()) return;
    if (is_floating(function_.statements[operand.index].type) || matters_[operand.index]) return;
    matters_[operand.index] = true;
    open_.push_back(operand.index);
  }
  // Whether it may be floating point and still do something.
  static bool acts(Op op) {
    return op == Op::load || op == Op::call || op == Op::invoke || op == Op::va_arg ||
           op == Op::atomic_rmw || op == Op::cmpxchg;
  }
  void visit_uses(const Statement& statement) {
    if (statement.op == Op::br || statement.op == Op::switch_ || only_computes(statement.op))
      return;
    if (is_floating(statement.type) && !acts(statement.op)) return;
    const bool is_store = statement.op == Op::store;
    const std::vector<bool> unnamed = unnamed_arguments(statement);
    for (size_t i = 0; i < statement.operands.size(); ++i) {
      const Operand& operand = statement.operands[i];
      if (is_store && i == 0 && operand.kind == Operand::Kind::statement &&
          operand.index < matters_.size() &&
          changes_numbers(function_.statements[operand.index].op)) {
        skipped_stores_.push_back(static_cast<uint32_t>(&statement - function_.statements.data()));
        continue;
      }
      if (i < unnamed.size() && unnamed[i]) continue;
      add(operand);
    }
  }
  // Arguments that no parameter of the callee takes: it gets at them by memory, if at all. Those
  // that say which bytes the call reads or writes matter nevertheless.
  static std::vector<bool> unnamed_arguments(const Statement& statement) {
    const bool calls = statement.op == Op::call || statement.op == Op::invoke;
    if (!calls || statement.attributes.empty() || !(statement.attributes[0] & kVariadic)) return {};
    const size_t named = statement.attributes[0] / kFixedArguments;
    std::vector<bool> unnamed(statement.operands.size());
    for (size_t i = named; i + 1 < unnamed.size(); ++i) unnamed[i] = true;
    for (const LibraryRange& range : library_effects(statement).ranges)
      for (const LibraryTerm& term : {range.tested, range.to, range.offset, range.from,
                                      range.length, range.times, range.most})
        if (term.kind == LibraryTerm::Kind::argument && term.number < unnamed.size())
          unnamed[term.number] = false;
    return unnamed;
  }

  const Function& function_;
  const std::vector<bool>& floating_;
  std::vector<bool> matters_;
  std::vector<uint32_t> open_;
  std::vector<uint32_t> skipped_stores_;  // of what is computed
  std::set<AddressOrigin> loaded_;        // what matters, from there
};

// What is not told: whatever comes of loads that do not matter, and of floating point, and does not
// matter itself.
class Dropped {
 public:
  Dropped(const Function& function, const std::vector<bool>& floating)
      : function_(function), floating_(floating), mattering_(function, floating) {
    spread(std::vector<bool>(function.blocks.size(), true));
    spread(computing_blocks());
  }
  bool of(size_t statement) const { return dropped_[statement]; }

 private:
  bool is_integer(const Statement& statement) const {
    const auto simple = simple_type(function_.types[statement.type]);
    return simple && simple->kind == SimpleType::Kind::integer;
  }
  bool is_source(const Operand& operand) const {
    if (operand.kind != Operand::Kind::statement || operand.index >= dropped_.size()) return false;
    const uint32_t type = function_.statements[operand.index].type;
    return dropped_[operand.index] || (type < floating_.size() && floating_[type]);
  }
  bool passes_on(const Statement& statement) const {
    return (only_computes(statement.op) || statement.op == Op::fp_to_si ||
            statement.op == Op::fp_to_ui) &&
           std::ranges::any_of(statement.operands, [&](const Operand& o) { return is_source(o); });
  }
  // Drops loads of these blocks, and what comes of them.
  void spread(const std::vector<bool>& blocks) {
    dropped_.assign(function_.statements.size(), false);
    const auto drop = [&](size_t i) {
      const Statement& statement = function_.statements[i];
      if (dropped_[i] || mattering_.of(i) || !is_integer(statement)) return false;
      dropped_[i] = true;
      return true;
    };
    for (size_t b = 0; b < function_.blocks.size(); ++b)
      for (uint32_t i = 0; blocks[b] && i < function_.blocks[b].statement_count; ++i)
        if (const size_t s = function_.blocks[b].first_statement + size_t{i};
            function_.statements[s].op == Op::load)
          drop(s);
    for (bool more = true; more;) {
      more = false;
      for (size_t i = 0; i < dropped_.size(); ++i)
        if (!dropped_[i] && passes_on(function_.statements[i])) more |= drop(i);
    }
  }
  // Whether it is computed, and of something that is dropped.
  bool is_computed(const Operand& operand) const {
    return is_source(operand) && Mattering::changes_numbers(function_.statements[operand.index].op);
  }
  // Innermost loops that compute numbers in memory from numbers in memory, or add them up.
  // Elsewhere loads are told as always: it would not pay.
  std::vector<bool> computing_blocks() const {
    std::vector<bool> innermost(function_.loops.size(), true), computes(function_.loops.size());
    for (const Loop& loop : function_.loops)
      if (loop.parent < innermost.size()) innermost[loop.parent] = false;
    for (const Block& block : function_.blocks)
      for (uint32_t i = 0; block.loop < computes.size() && i < block.statement_count; ++i) {
        const size_t at = block.first_statement + size_t{i};
        const Statement& s = function_.statements[at];
        const bool stores = s.op == Op::store && !s.operands.empty() && is_computed(s.operands[0]);
        const bool adds_up =
            s.op == Op::phi && dropped_[at] &&
            std::ranges::any_of(s.operands, [&](const Operand& o) { return is_computed(o); });
        if (innermost[block.loop] && (stores || adds_up)) computes[block.loop] = true;
      }
    std::vector<bool> blocks;
    for (const Block& block : function_.blocks)
      blocks.push_back(block.loop < computes.size() && computes[block.loop]);
    return blocks;
  }

  const Function& function_;
  const std::vector<bool>& floating_;
  const Mattering mattering_;
  std::vector<bool> dropped_;
};

bool tells_all(const Function& function) {
  return std::ranges::find(function.types, kTellsAll) != function.types.end();
}

size_t count_dropped(const Function& function, const std::vector<bool>& floating) {
  const Dropped dropped(function, floating);
  size_t count = 0;
  for (size_t i = 0; i < function.statements.size(); ++i) count += dropped.of(i);
  return count;
}

}  // namespace

bool has_untold(const Function& function) {
  if (tells_all(function)) return false;
  const std::vector<bool> floating = floating_types(function);
  if (std::ranges::find(floating, true) != floating.end()) return true;
  return count_dropped(function, floating) > 0;
}

bool saves_much(const Function& function) {
  const std::vector<bool> floating = floating_types(function);
  if (std::ranges::find(floating, true) != floating.end()) return true;
  return count_dropped(function, floating) >= function.statements.size() / 8;
}

void make_untold(Function& function) {
  if (tells_all(function)) return;
  const std::vector<bool> floating = floating_types(function);
  const Dropped dropped(function, floating);
  std::vector<uint32_t> which;
  for (uint32_t i = 0; i < function.statements.size(); ++i)
    if (dropped.of(i)) which.push_back(i);
  for (size_t type = 0; type < floating.size(); ++type)
    if (floating[type]) function.types[type] = untold(function.types[type]);
  for (const uint32_t i : which) {
    Statement& statement = function.statements[i];
    const std::string name = untold(function.types[statement.type]);
    const auto known = std::ranges::find(function.types, name);
    const auto type = static_cast<uint32_t>(known - function.types.begin());
    if (known == function.types.end()) function.types.push_back(name);
    statement.type = type;
  }
}

}  // namespace vestige
