// The variable that an access goes through: its address followed back, in the code, to something
// that has a name.
#include <set>

#include "vestige/variables.h"

namespace vestige {

namespace {

class AddressRoots {
 public:
  explicit AddressRoots(const Function& function) : function_(function) {}

  std::string of(const Operand& operand) {
    if (operand.kind == Operand::Kind::constant) return of_constant(operand.index, 0);
    if (operand.kind != Operand::Kind::argument && operand.kind != Operand::Kind::statement)
      return {};
    if (std::string name = bound_to(operand); !name.empty()) return name;
    if (operand.kind == Operand::Kind::argument || !seen_.insert(operand.index).second) return {};
    const Statement& statement = function_.statements[operand.index];
    switch (statement.op) {
      case Op::get_element_ptr:
      case Op::bit_cast:
      case Op::addr_space_cast:
      case Op::int_to_ptr:
      case Op::ptr_to_int:
      case Op::freeze:
      case Op::load:
        return statement.operands.empty() ? std::string() : of(statement.operands[0]);
      case Op::phi:
      case Op::select:
        for (const Operand& one : statement.operands)
          if (std::string name = of(one); !name.empty()) return name;
        return {};
      default:
        return {};
    }
  }

 private:
  std::string of_constant(uint32_t index, int depth) {
    const Constant& constant = function_.constants[index];
    if (constant.kind == Constant::Kind::symbol && constant.symbol < function_.symbols.size()) {
      for (const Variable& variable : function_.variables)
        if (variable.symbol == constant.symbol) return variable.name;
      return function_.symbols[constant.symbol];
    }
    if (constant.kind == Constant::Kind::expression && !constant.parts.empty() && depth < 16)
      return of_constant(constant.parts[0], depth + 1);
    return {};
  }
  // The variable that has this value, or lives at this address.
  std::string bound_to(const Operand& operand) {
    const auto kind = operand.kind == Operand::Kind::argument ? BindingOperand::Kind::argument
                                                              : BindingOperand::Kind::statement;
    for (const Binding& binding : function_.bindings)
      if (binding.kind <= Binding::Kind::content && binding.operands.size() == 1 &&
          binding.operands[0].kind == kind && binding.operands[0].index == operand.index &&
          binding.steps.size() <= 1)
        return function_.variables[binding.variable].name;
    return {};
  }

  const Function& function_;
  std::set<uint32_t> seen_;
};

}  // namespace

std::string address_variable(const Function& function, uint32_t statement) {
  const Statement& s = function.statements[statement];
  const size_t place = s.op == Op::store ? 1 : 0;
  return s.operands.size() > place ? AddressRoots(function).of(s.operands[place]) : std::string();
}

}  // namespace vestige
