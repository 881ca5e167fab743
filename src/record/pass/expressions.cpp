#include "expressions.h"

#include <optional>

#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;

namespace vestige {

namespace {

std::optional<BindingStep::Kind> plain_step(uint64_t op) {
  using Kind = BindingStep::Kind;
  switch (op) {
    case dwarf::DW_OP_plus:
      return Kind::add;
    case dwarf::DW_OP_minus:
      return Kind::subtract;
    case dwarf::DW_OP_mul:
      return Kind::multiply;
    case dwarf::DW_OP_div:
      return Kind::divide;
    case dwarf::DW_OP_mod:
      return Kind::modulo;
    case dwarf::DW_OP_and:
      return Kind::and_;
    case dwarf::DW_OP_or:
      return Kind::or_;
    case dwarf::DW_OP_xor:
      return Kind::xor_;
    case dwarf::DW_OP_shl:
      return Kind::shift_left;
    case dwarf::DW_OP_shr:
      return Kind::shift_right;
    case dwarf::DW_OP_shra:
      return Kind::shift_right_signed;
    case dwarf::DW_OP_neg:
      return Kind::negate;
    case dwarf::DW_OP_not:
      return Kind::not_;
    case dwarf::DW_OP_eq:
      return Kind::equal;
    case dwarf::DW_OP_ne:
      return Kind::differ;
    case dwarf::DW_OP_lt:
      return Kind::less;
    case dwarf::DW_OP_le:
      return Kind::less_equal;
    case dwarf::DW_OP_gt:
      return Kind::greater;
    case dwarf::DW_OP_ge:
      return Kind::greater_equal;
    default:
      return std::nullopt;
  }
}

}  // namespace

LocationExpression translate(const DIExpression& from) {
  using Kind = BindingStep::Kind;
  LocationExpression to;
  bool computed = false, variadic = false;
  const auto step = [&](Kind kind, uint64_t number = 0) { to.steps.push_back({kind, number}); };
  for (const DIExpression::ExprOperand op : from.expr_ops())
    variadic = variadic || op.getOp() == dwarf::DW_OP_LLVM_arg;
  if (!variadic) step(Kind::operand, 0);
  for (const DIExpression::ExprOperand op : from.expr_ops()) {
    // Behind the address comes nothing but which part it is.
    if (to.address && op.getOp() != dwarf::DW_OP_LLVM_fragment) to.known = false;
    if (const auto plain = plain_step(op.getOp())) {
      step(*plain);
      continue;
    }
    switch (op.getOp()) {
      case dwarf::DW_OP_LLVM_arg:
        step(Kind::operand, op.getArg(0));
        break;
      case dwarf::DW_OP_plus_uconst:
        step(Kind::number, op.getArg(0));
        step(Kind::add);
        break;
      case dwarf::DW_OP_constu:
      case dwarf::DW_OP_consts:
        step(Kind::number, op.getArg(0));
        break;
      case dwarf::DW_OP_LLVM_convert:
        if (op.getArg(0) < 1 || op.getArg(0) > 64) to.known = false;
        step(op.getArg(1) == dwarf::DW_ATE_signed ? Kind::sign_extend : Kind::zero_extend,
             op.getArg(0));
        break;
      case dwarf::DW_OP_LLVM_fragment:
        to.first_bit = static_cast<uint32_t>(op.getArg(0));
        to.bits = static_cast<uint32_t>(op.getArg(1));
        break;
      case dwarf::DW_OP_deref:
        to.address = true;
        break;
      case dwarf::DW_OP_stack_value:
        computed = true;
        break;
      case dwarf::DW_OP_LLVM_tag_offset:
        break;
      default:
        if (op.getOp() >= dwarf::DW_OP_lit0 && op.getOp() <= dwarf::DW_OP_lit31)
          step(Kind::number, op.getOp() - dwarf::DW_OP_lit0);
        else
          to.known = false;
    }
  }
  if (to.address && computed) to.known = false;  // what lies at an address
  if (to.steps.size() == 1 && to.steps[0] == BindingStep{Kind::operand, 0}) to.steps.clear();
  return to;
}

}  // namespace vestige
