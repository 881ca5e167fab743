#include "statement_text.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>

#include "vestige/query.h"

namespace vestige::cli {
namespace {

// LLVM's numbering of compare predicates, which attribute 0 of icmp and fcmp holds.
constexpr std::array kFloatPredicates = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                         "uno",   "ueq", "ugt", "uge", "ult", "ule", "une", "true"};
constexpr std::array kIntegerPredicates = {"eq",  "ne",  "ugt", "uge", "ult",
                                           "ule", "sgt", "sge", "slt", "sle"};
constexpr uint32_t kFirstIntegerPredicate = 32;

// Constants of hostile traces may refer to themselves.
constexpr int kMaxNesting = 8;

std::string type_name(const Function& f, uint32_t type) {
  return type < f.types.size() ? f.types[type] : "?";
}

std::string symbol_name(const Function& f, uint32_t symbol) {
  return symbol < f.symbols.size() ? "@" + f.symbols[symbol] : "@?";
}

std::string integer_text(const Constant& c, const std::string& type) {
  if (c.bytes.size() > 8) {
    std::string text = "0x";
    for (size_t i = c.bytes.size(); i-- > 0;) text += fmt::format("{:02x}", c.bytes[i]);
    return text;
  }
  uint64_t bits = 0;
  for (size_t i = 0; i < c.bytes.size(); ++i) bits |= uint64_t(c.bytes[i]) << (8 * i);
  if (type == "i1") return bits ? "true" : "false";
  const unsigned width = 8 * c.bytes.size();
  if (width == 0) return "0";
  return std::to_string(int64_t(bits << (64 - width)) >> (64 - width));
}

std::string floating_text(const Constant& c) {
  if (c.bytes.size() == 4) {
    float value;
    std::memcpy(&value, c.bytes.data(), 4);
    return fmt::format("{}", value);
  }
  if (c.bytes.size() == 8) {
    double value;
    std::memcpy(&value, c.bytes.data(), 8);
    return fmt::format("{}", value);
  }
  std::string text = "0x";
  for (size_t i = c.bytes.size(); i-- > 0;) text += fmt::format("{:02x}", c.bytes[i]);
  return text;
}

std::string constant_text(const Function& f, uint32_t index, int nesting) {
  if (index >= f.constants.size() || nesting > kMaxNesting) return "…";
  const Constant& c = f.constants[index];
  const auto parts = [&] {
    std::string text;
    for (size_t i = 0; i < c.parts.size() && i < 16; ++i) {
      text += (i ? ", " : "") + constant_text(f, c.parts[i], nesting + 1);
    }
    return c.parts.size() > 16 ? text + ", …" : text;
  };
  switch (c.kind) {
    case Constant::Kind::integer:
      return integer_text(c, type_name(f, c.type));
    case Constant::Kind::floating:
      return floating_text(c);
    case Constant::Kind::null:
      return "null";
    case Constant::Kind::undefined:
      return "undef";
    case Constant::Kind::zero:
      return "zero";
    case Constant::Kind::symbol:
      return c.offset ? fmt::format("{}{:+}", symbol_name(f, c.symbol), c.offset)
                      : symbol_name(f, c.symbol);
    case Constant::Kind::aggregate:
      return "{" + parts() + "}";
    case Constant::Kind::expression:
      return fmt::format("{}({})", op_name(c.op), parts());
    case Constant::Kind::opaque:
      break;
  }
  return "?";
}

std::string operand_text(const Function& f, const Operand& o) {
  switch (o.kind) {
    case Operand::Kind::statement:
      return fmt::format("%{}", o.index);
    case Operand::Kind::argument:
      return fmt::format("%arg{}", o.index);
    case Operand::Kind::constant:
      return constant_text(f, o.index, 0);
    case Operand::Kind::block:
      return block_name(o.index);
    case Operand::Kind::none:
      break;
  }
  return "_";
}

int64_t wide(std::span<const uint32_t> a, size_t at) {
  return at + 1 < a.size() ? int64_t(a[at] | uint64_t(a[at + 1]) << 32) : 0;
}

std::string predicate(const Statement& s) {
  if (s.attributes.empty()) return "";
  const uint32_t p = s.attributes[0];
  if (s.op == Op::fcmp && p < kFloatPredicates.size()) return kFloatPredicates[p];
  if (s.op == Op::icmp && p >= kFirstIntegerPredicate &&
      p - kFirstIntegerPredicate < kIntegerPredicates.size()) {
    return kIntegerPredicates[p - kFirstIntegerPredicate];
  }
  return "";
}

// base + offset + Σ index·scale, as the pass describes addresses.
std::string address_text(const Function& f, const Statement& s) {
  std::string text = s.operands.empty() ? "?" : operand_text(f, s.operands[0]);
  if (const int64_t offset = wide(s.attributes, 0))
    text += fmt::format(" {} {}", offset < 0 ? '-' : '+', offset < 0 ? -uint64_t(offset) : offset);
  for (size_t i = 1; i < s.operands.size(); ++i) {
    const int64_t scale = wide(s.attributes, 2 * i);
    text += " + " + operand_text(f, s.operands[i]);
    if (scale != 1) text += fmt::format("*{}", scale);
  }
  return text;
}

std::string list(const Function& f, std::span<const Operand> operands) {
  std::string text;
  for (const Operand& o : operands) text += (text.empty() ? "" : ", ") + operand_text(f, o);
  return text;
}

std::string successors(const Function& f, const Statement& s) {
  std::string text;
  if (s.block < f.blocks.size()) {
    for (const uint32_t to : f.blocks[s.block].successors)
      text += (text.empty() ? "" : ", ") + block_name(to);
  }
  return text;
}

// The callee is the last operand; an invoke's two destinations come before it.
std::string call_text(const Function& f, const Statement& s) {
  const size_t tail = s.op == Op::invoke ? 3 : 1;
  const size_t count = s.operands.size() >= tail ? s.operands.size() - tail : 0;
  std::string callee = s.callee != kNone    ? symbol_name(f, s.callee)
                       : s.operands.empty() ? "?"
                                            : operand_text(f, s.operands.back());
  if (!s.attributes.empty() && (s.attributes[0] & 8)) callee = "asm";
  std::string text = fmt::format("{} {}({})", type_name(f, s.type), callee,
                                 list(f, std::span(s.operands).first(count)));
  if (s.op == Op::invoke) text += " to " + successors(f, s);
  return text;
}

std::string phi_text(const Function& f, const Statement& s) {
  std::string text = type_name(f, s.type);
  for (size_t i = 0; i + 1 < s.operands.size(); i += 2) {
    text += fmt::format("{} [{}: {}]", i ? "," : "", operand_text(f, s.operands[i + 1]),
                        operand_text(f, s.operands[i]));
  }
  return text;
}

std::string body(const Function& f, const Statement& s) {
  const std::span operands(s.operands);
  switch (s.op) {
    case Op::br:
      if (operands.size() < 2) return successors(f, s);
      return operand_text(f, operands[0]) + ", " + successors(f, s);
    case Op::switch_:
    case Op::indirect_br:
      return (operands.empty() ? "" : operand_text(f, operands[0]) + ", ") + successors(f, s);
    case Op::call:
    case Op::invoke:
    case Op::call_br:
      return call_text(f, s);
    case Op::phi:
      return phi_text(f, s);
    case Op::icmp:
    case Op::fcmp:
      return predicate(s) + " " + list(f, operands);
    case Op::get_element_ptr:
      if (s.attributes.size() >= 2) return address_text(f, s);
      return list(f, operands);
    case Op::store:
    case Op::ret:
    case Op::unreachable:
    case Op::fence:
    case Op::resume:
      return list(f, operands);
    default:
      break;
  }
  const std::string values = list(f, operands);
  return values.empty() ? type_name(f, s.type) : type_name(f, s.type) + ", " + values;
}

}  // namespace

std::string constant_text(const Function& function, uint32_t constant) {
  return constant_text(function, constant, 0);
}

std::string statement_text(const Function& function, uint32_t statement) {
  const Statement& s = function.statements[statement];
  std::string text;
  if (type_name(function, s.type) != "void") text = fmt::format("%{} = ", statement);
  text += op_name(s.op);
  const std::string rest = body(function, s);
  return rest.empty() ? text : text + " " + rest;
}

}  // namespace vestige::cli
