#include "program/untold.h"

#include <algorithm>
#include <string>

#include "program/shape.h"

namespace vestige {

namespace {

bool is_floating(const Shape& shape) {
  switch (shape.kind) {
    case Shape::Kind::simple:
      return shape.simple.kind == SimpleType::Kind::single ||
             shape.simple.kind == SimpleType::Kind::twofold;
    case Shape::Kind::half: case Shape::Kind::bfloat: case Shape::Kind::x86_fp80:
    case Shape::Kind::fp128:
      return true;
    case Shape::Kind::vector: case Shape::Kind::array:
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

}  // namespace

bool has_untold(const Function& function) {
  return std::ranges::any_of(function.types, [](const std::string& type) {
    return is_floating(shape_of(type));
  });
}

void make_untold(Function& function) {
  if (std::ranges::find(function.types, kTellsAll) != function.types.end()) return;
  const std::vector<bool> floating = floating_types(function);
  const auto is_untold = [&](uint32_t type) { return type < floating.size() && floating[type]; };

  std::vector<bool> wanted(function.statements.size());
  for (const Statement& statement : function.statements) {
    if (statement.op == Op::br || (statement.op == Op::select && is_untold(statement.type))) continue;
    for (const Operand& operand : statement.operands)
      if (operand.kind == Operand::Kind::statement && operand.index < wanted.size())
        wanted[operand.index] = true;
  }
  for (size_t type = 0; type < floating.size(); ++type)
    if (floating[type]) function.types[type] = untold(function.types[type]);
  for (size_t i = 0; i < function.statements.size(); ++i) {
    Statement& statement = function.statements[i];
    if (statement.op != Op::fcmp || wanted[i] || statement.type >= floating.size()) continue;
    const std::string name = untold(function.types[statement.type]);
    const auto known = std::ranges::find(function.types, name);
    statement.type = static_cast<uint32_t>(known - function.types.begin());
    if (known == function.types.end()) function.types.push_back(name);
  }
}

}  // namespace vestige
