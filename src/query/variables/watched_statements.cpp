#include "query/variables/watched_statements.h"

#include "program/argument_list.h"
#include "program/record.h"
#include "program/shape.h"

namespace vestige {

namespace {

// An integer that the compiler knew.
std::optional<uint64_t> constant_of(const Function& function, const Operand& operand) {
  if (operand.kind != Operand::Kind::constant) return std::nullopt;
  const Constant& constant = function.constants[operand.index];
  if (constant.kind == Constant::Kind::null) return 0;
  if (constant.kind != Constant::Kind::integer || constant.bytes.size() > 8) return std::nullopt;
  uint64_t value = 0;
  for (size_t i = 0; i < constant.bytes.size(); ++i) value |= uint64_t{constant.bytes[i]} << 8 * i;
  return value;
}

}  // namespace

MemoryWork memory_work(const Function& function, const Statement& statement) {
  return statement.op == Op::call && statement.callee != kNone
             ? memory_work_of(function.symbols[statement.callee])
             : MemoryWork::none;
}

bool works_on_list(const Function& function, const Statement& statement) {
  return statement.op == Op::call && statement.callee != kNone &&
         is_list_work(function.symbols[statement.callee]);
}

bool is_access(const Function& function, const Statement& statement) {
  switch (statement.op) {
    case Op::load:
    case Op::store:
    case Op::cmpxchg:
    case Op::atomic_rmw:
      return true;
    default:
      return memory_work(function, statement) != MemoryWork::none ||
             works_on_list(function, statement);
  }
}

bool is_floating(const Function& function, uint32_t index) {
  if (index >= function.statements.size()) return false;
  const Statement& statement = function.statements[index];
  const bool stores = statement.op == Op::store && !statement.operands.empty();
  const uint32_t type = stores ? type_of(function, statement.operands[0]) : statement.type;
  const auto simple =
      type < function.types.size() ? simple_type(function.types[type]) : std::nullopt;
  return simple &&
         (simple->kind == SimpleType::Kind::float32 || simple->kind == SimpleType::Kind::float64);
}

std::optional<uint64_t> updated(const Function& function, const Statement& statement,
                                std::optional<uint64_t> old) {
  if (statement.op != Op::atomic_rmw || statement.attributes.size() < 5 ||
      statement.operands.size() < 2 || !old)
    return std::nullopt;
  const auto by = constant_of(function, statement.operands[1]);
  if (!by) return std::nullopt;
  switch (statement.attributes[4]) {  // LLVM's number of the operation
    case 0:
      return by;
    case 1:
      return *old + *by;
    case 2:
      return *old - *by;
    case 3:
      return *old & *by;
    case 5:
      return *old | *by;
    case 6:
      return *old ^ *by;
    default:
      return std::nullopt;
  }
}

uint32_t bound_type(const Function& function, const BindingOperand& operand) {
  if (operand.kind == BindingOperand::Kind::statement)
    return function.statements[operand.index].type;
  if (operand.kind == BindingOperand::Kind::argument) return function.arguments[operand.index];
  return kNone;
}

unsigned width(const Function& function, const BindingOperand& operand) {
  const uint32_t type = bound_type(function, operand);
  if (type == kNone) return 64;
  const auto simple = simple_type(function.types[type]);
  return simple ? simple->bits : 64;
}

}  // namespace vestige
