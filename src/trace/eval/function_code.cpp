#include "trace/eval/function_code.h"

#include <algorithm>

#include "trace/eval/arithmetic.h"

namespace vestige {

namespace {

struct Value {
  uint64_t bits = 0;
  bool known = false;
};

// The values of a function's constants, in order: parts come before what they are parts of.
class Constants {
 public:
  Constants(const FunctionCode& code, const FunctionAddresses* addresses)
      : code_(code), addresses_(addresses) {}

  const std::vector<Value>& all() {
    for (const Constant& constant : code_.function.constants) {
      Value value = of(constant);
      const SimpleType& type = code_.types[constant.type];
      if (type.bits == 0) value = {};
      if (value.known) value.bits = arithmetic::low_bits(value.bits, 64 - type.bits);
      values_.push_back(value);
    }
    return values_;
  }

 private:
  Value of(const Constant& constant) const {
    switch (constant.kind) {
      case Constant::Kind::integer:
      case Constant::Kind::floating: {
        uint64_t bits = 0;
        for (size_t i = 0; i < std::min<size_t>(constant.bytes.size(), 8); ++i)
          bits |= uint64_t{constant.bytes[i]} << (8 * i);
        return {bits, true};
      }
      case Constant::Kind::null:
      case Constant::Kind::zero:
        return {0, true};
      case Constant::Kind::symbol: {
        if (!addresses_ || constant.symbol >= addresses_->symbols.size()) return {};
        const uint64_t address = addresses_->symbols[constant.symbol];
        if (address == 0) return {};
        return {address + static_cast<uint64_t>(constant.offset), true};
      }
      case Constant::Kind::expression:
        return of_expression(constant);
      default:
        return {};
    }
  }
  Value of_expression(const Constant& constant) const {
    std::vector<Value> parts;
    for (const uint32_t part : constant.parts) {
      if (!values_[part].known) return {};
      parts.push_back(values_[part]);
    }
    if (parts.size() == 1) {
      const bool keeps_bits = constant.op == Op::ptr_to_int || constant.op == Op::int_to_ptr ||
                              constant.op == Op::trunc;
      return keeps_bits ? parts[0] : Value{};
    }
    if (parts.size() != 2) return {};
    if (constant.op == Op::add) return {parts[0].bits + parts[1].bits, true};
    if (constant.op == Op::sub) return {parts[0].bits - parts[1].bits, true};
    if (constant.op == Op::xor_) return {parts[0].bits ^ parts[1].bits, true};
    return {};
  }

  const FunctionCode& code_;
  const FunctionAddresses* addresses_;
  std::vector<Value> values_;
};

// The most phis of a block among which one takes the value of another.
uint32_t scratch_slots(const Function& function) {
  uint32_t most = 0;
  for (uint32_t b = 0; b < function.blocks.size(); ++b) {
    const Block& block = function.blocks[b];
    uint32_t phis = 0;
    bool tangled = false;
    while (phis < block.statement_count &&
           function.statements[block.first_statement + phis].op == Op::phi)
      ++phis;
    for (uint32_t i = 0; i < phis; ++i)
      for (const Operand& operand : function.statements[block.first_statement + i].operands)
        tangled |= operand.kind == Operand::Kind::statement &&
                   operand.index - block.first_statement < phis;
    if (tangled) most = std::max(most, phis);
  }
  return most;
}

}  // namespace

FunctionCode::FunctionCode(const Function& function, uint32_t index,
                           const FunctionAddresses* addresses)
    : function(function),
      index(index),
      own_known(addresses &&
                (addresses->own != 0 || addresses->symbols.size() == function.symbols.size())),
      own(addresses ? addresses->own : 0),
      sources(sources_of(function)) {
  for (const std::string& type : function.types)
    types.push_back(simple_type(type).value_or(SimpleType{}));
  const auto place_for = [&](uint32_t type) {
    return types[type].bits == 0 ? kNone : slot_count++;
  };
  for (const uint32_t type : function.arguments) {
    argument_slots.push_back(place_for(type));
    argument_kinds.push_back(types[type].bits == 0 ? 0 : value_kind(types[type]));
  }
  for (const Statement& statement : function.statements)
    statement_slots.push_back(place_for(statement.type));
  first_constant = slot_count;
  const std::vector<Value> values = Constants(*this, addresses).all();
  for (size_t i = 0; i < values.size(); ++i) {
    constant_slots.push_back(place_for(function.constants[i].type));
    if (constant_slots.back() == kNone) continue;
    constants.push_back(values[i].bits);
    constant_known.push_back(values[i].known);
  }
  unknown_slot = slot_count++;
  constants.push_back(0);
  constant_known.push_back(0);
  first_scratch = slot_count;
  slot_count += scratch_slots(function);
  std::vector<uint32_t> measures;
  for (uint32_t i = 0; i < function.statements.size(); ++i) {
    if (!has_library_effects(function.statements[i])) continue;
    if (measures.empty()) measures = first_measures(function);
    library[i] = {measures[i], library_effects(function.statements[i])};
  }
  if (auto numbers = number_paths(function.segments)) {
    numbering = std::move(*numbers);
    numbered = true;
  }
}

uint32_t FunctionCode::slot(const Operand& operand) const {
  uint32_t found = kNone;
  if (operand.kind == Operand::Kind::statement) found = statement_slots[operand.index];
  if (operand.kind == Operand::Kind::argument) found = argument_slots[operand.index];
  if (operand.kind == Operand::Kind::constant) found = constant_slots[operand.index];
  return found == kNone ? unknown_slot : found;
}

const SimpleType& FunctionCode::type(const Operand& operand) const {
  static const SimpleType kNoType;
  switch (operand.kind) {
    case Operand::Kind::statement:
      return types[function.statements[operand.index].type];
    case Operand::Kind::argument:
      return types[function.arguments[operand.index]];
    case Operand::Kind::constant:
      return types[function.constants[operand.index].type];
    default:
      return kNoType;
  }
}

}  // namespace vestige
