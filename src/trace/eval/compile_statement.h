// Statements to cells.
//
// An operation on vectors is done element by element, by the cells it has for simple values: while
// one of them is compiled, `lane_` says which part of wide operands is meant. Everything else that
// wide values need is in compile_wide.cpp.
#pragma once

#include <vector>

#include "trace/eval/function_code.h"
#include "trace/eval/micro_code.h"

namespace vestige {

class StatementCompiler {
 public:
  StatementCompiler(const FunctionCode& code, std::vector<Cell>& cells)
      : code_(code), cells_(cells) {}

  // Everything but phis, terminators and calls over the call edge.
  void compile(uint32_t statement);
  // Reads a told value.
  void read_told(uint32_t statement);
  void emit(Micro micro, uint32_t dst, uint32_t a, uint32_t b = 0, unsigned aux = 0);
  // The slot of an operand, or of a part of it; notices when it can never be known.
  uint32_t use(const Operand& operand, uint32_t part);
  uint32_t use(const Operand& operand) { return use(operand, lane_of(code_.parts(operand))); }
  bool uses_unknown() const { return uses_unknown_; }

 private:
  void derive(const Statement& statement, uint32_t dst, uint32_t index);
  void derive_simple(const Statement& statement, uint32_t dst);
  void derive_intrinsic(const Statement& statement, uint32_t dst);
  void derive_address(const Statement& statement, uint32_t dst);
  void compare(const Statement& statement, uint32_t dst);
  void read(Micro first, uint32_t dst, uint32_t a, uint32_t statement, const SimpleType& type);
  void load(const Statement& statement, uint32_t dst, uint32_t index);
  void store(const Statement& statement);
  // Its value is not known.
  void forget(const Statement& statement, uint32_t dst);
  bool work_on_memory(const Statement& statement);
  uint32_t lane_of(const std::vector<Part>& parts) const { return parts.size() > 1 ? lane_ : 0; }
  SimpleType type(const Operand& operand) const {
    const std::vector<Part>& parts = code_.parts(operand);
    return parts.empty() ? SimpleType{} : parts[lane_of(parts)].type;
  }
  SimpleType type(const Statement& statement) const {
    const std::vector<Part>& parts = code_.kept.parts(statement.type);
    return parts.empty() ? SimpleType{} : parts[lane_of(parts)].type;
  }
  unsigned gap(const Operand& operand) const { return 64u - type(operand).bits; }

  // False: nothing of it is wide.
  bool derive_wide(const Statement& statement, uint32_t dst, uint32_t index);
  void copy_parts(uint32_t dst, const Operand& from, uint32_t first, uint32_t count);
  void cast_bits(const Statement& statement, uint32_t dst);
  void derive_long(const Statement& statement, uint32_t dst);
  void shift_long(const Statement& statement, uint32_t dst);
  void compare_long(const Statement& statement, uint32_t dst);
  void clear(uint32_t dst, uint32_t like);

  const FunctionCode& code_;
  std::vector<Cell>& cells_;
  uint32_t lane_ = 0;
  bool uses_unknown_ = false;
};

}  // namespace vestige
