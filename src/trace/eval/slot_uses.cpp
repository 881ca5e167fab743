#include "trace/eval/slot_uses.h"

#include <algorithm>

namespace vestige {

namespace {

class UseFinder {
 public:
  explicit UseFinder(const PathCode& code) : code_(code), written_(code.function->first_constant) {}

  SlotUses find() {
    const FunctionCode& function = *code_.function;
    if (code_.result_of != kNone) {
      for (const uint32_t slot : call_slots(function, code_.result_of)) read(slot);
      const uint32_t type = function.function.statements[code_.result_of].type;
      for (uint32_t p = 0; p < function.kept.parts(type).size(); ++p)
        write(function.statement_slots[code_.result_of] + p);
    }
    // One of several rows of moves is done before the rest. What each reads counts; what each
    // writes is not looked at, so it counts as read where it is used.
    size_t join = 0;
    for (size_t i = 0; i < code_.cells.size(); i += size_of(code_.cells[i]))
      if (Micro{code_.cells[i].micro} == Micro::jump)
        join = std::max<size_t>(join, i + code_.cells[i].a);
    for (size_t i = 0; i < code_.cells.size(); i += size_of(code_.cells[i]))
      look_at(i, !code_.entries.empty() && i < join);
    for (auto* list : {&uses_.reads, &uses_.writes}) {
      std::ranges::sort(*list);
      const auto rest = std::ranges::unique(*list);
      list->erase(rest.begin(), rest.end());
    }
    return std::move(uses_);
  }

 private:
  static size_t size_of(const Cell& cell) {
    switch (Micro{cell.micro}) {
#define VESTIGE_CASE(name) case Micro::name:
      VESTIGE_DIVISION_OPS(VESTIGE_CASE)
      VESTIGE_TERNARY_OPS(VESTIGE_CASE)
#undef VESTIGE_CASE
      case Micro::element_wide:
      case Micro::observe_work:
        return 2;
      default:
        return 1;
    }
  }

  void look_at(size_t index, bool one_of_several) {
    const Cell& cell = code_.cells[index];
    bool writes = true;
    switch (Micro{cell.micro}) {
#define VESTIGE_CASE(name) case Micro::name:
      VESTIGE_TERNARY_OPS(VESTIGE_CASE)
      read(code_.cells[index + 1].a);
      [[fallthrough]];
      VESTIGE_BINARY_OPS(VESTIGE_CASE)
      VESTIGE_DIVISION_OPS(VESTIGE_CASE)
      case Micro::element_wide:
        read(cell.b);
        [[fallthrough]];
        VESTIGE_UNARY_OPS(VESTIGE_CASE)
#undef VESTIGE_CASE
      case Micro::offset:
      case Micro::load1:
      case Micro::load2:
      case Micro::load4:
      case Micro::load8:
      case Micro::load_part1:
      case Micro::load_part2:
      case Micro::load_part4:
      case Micro::load_part8:
        read(cell.a);
        break;
      case Micro::unknown:
      case Micro::told1:
      case Micro::told2:
      case Micro::told4:
      case Micro::told8:
        break;
      case Micro::copy_memory:
      case Micro::fill_memory:
        read(cell.dst);
        [[fallthrough]];
      case Micro::store1:
      case Micro::store2:
      case Micro::store4:
      case Micro::store8:
      case Micro::store_part1:
      case Micro::store_part2:
      case Micro::store_part4:
      case Micro::store_part8:
        read(cell.b);
        [[fallthrough]];
      case Micro::check_branch:
      case Micro::check_switch:
      case Micro::pass:
      case Micro::call:
      case Micro::give:
      case Micro::give_part:
      case Micro::observe_value:
        read(cell.a);
        writes = false;
        break;
      case Micro::observe_binding:
        read_row(cell.a, std::max(cell.dst, 1u));
        writes = false;
        break;
      case Micro::observe_wide:
        read_row(cell.a, cell.aux >> 1);
        read(cell.dst);
        writes = false;
        break;
      case Micro::observe_work:
        read(code_.cells[index + 1].a);
        [[fallthrough]];
      case Micro::observe_access:
        read(cell.a);
        read(cell.dst);
        writes = false;
        break;
      case Micro::give_nothing:
      case Micro::give_wide:
      case Micro::jump:
      case Micro::end:
      case Micro::count_:
        writes = false;
        break;
    }
    if (writes && !one_of_several) write(cell.dst);
  }

  void read(uint32_t slot) {
    if (slot < written_.size() && !written_[slot]) uses_.reads.push_back(slot);
  }
  void read_row(uint32_t first, uint32_t count) {
    if (first >= written_.size()) return;
    for (uint32_t i = 0; i < count; ++i) read(first + i);
  }
  void write(uint32_t slot) {
    if (slot >= written_.size()) return;
    written_[slot] = true;
    uses_.writes.push_back(slot);
  }

  const PathCode& code_;
  std::vector<bool> written_;
  SlotUses uses_;
};

}  // namespace

SlotUses uses_of(const PathCode& code) { return UseFinder(code).find(); }

std::vector<uint32_t> call_slots(const FunctionCode& function, uint32_t call) {
  const auto& operands = function.function.statements[call].operands;
  std::vector<uint32_t> slots;
  if (operands.empty()) return slots;
  if (function.library_of(call))
    for (const Operand& operand : operands) slots.push_back(function.slot(operand));
  else
    slots.push_back(function.slot(operands.back()));
  return slots;
}

}  // namespace vestige
