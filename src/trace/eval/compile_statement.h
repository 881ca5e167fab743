// Statements to cells.
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
  void tell(uint32_t statement);
  void emit(Micro micro, uint32_t dst, uint32_t a, uint32_t b = 0, unsigned aux = 0);
  // The slot of an operand; notices when it can never be known.
  uint32_t use(const Operand& operand);
  bool uses_unknown() const { return uses_unknown_; }

 private:
  void derive(const Statement& statement, uint32_t dst);
  void derive_intrinsic(const Statement& statement, uint32_t dst);
  void derive_address(const Statement& statement, uint32_t dst);
  void compare(const Statement& statement, uint32_t dst);
  void read(Micro first, uint32_t dst, uint32_t a, uint32_t statement, const SimpleType& type);
  void store(const Statement& statement);
  bool work_on_memory(const Statement& statement);
  unsigned gap(const Operand& operand) const { return 64u - code_.type(operand).bits; }

  const FunctionCode& code_;
  std::vector<Cell>& cells_;
  bool uses_unknown_ = false;
};

}  // namespace vestige
