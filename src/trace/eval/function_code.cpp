#include "trace/eval/function_code.h"

#include <algorithm>
#include <span>

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
      : code_(code), addresses_(addresses) {
    for (const Constant& constant : code.function.constants) {
      first_.push_back(values_.size());
      add(constant);
    }
    first_.push_back(values_.size());
  }
  // As many as its type has parts.
  std::span<const Value> of(size_t constant) const {
    return std::span(values_).subspan(first_[constant], first_[constant + 1] - first_[constant]);
  }

 private:
  void add(const Constant& constant) {
    const std::vector<Part>& parts = code_.kept.parts(constant.type);
    const size_t first = values_.size();
    if (code_.types[constant.type].bits == 0) {
      add_wide(constant, parts);
    } else {
      values_.push_back(simple(constant));
    }
    values_.resize(first + parts.size());
    for (size_t i = 0; i < parts.size(); ++i) {
      Value& value = values_[first + i];
      if (value.known) value.bits = arithmetic::low_bits(value.bits, 64u - parts[i].type.bits);
    }
  }
  void add_wide(const Constant& constant, const std::vector<Part>& parts) {
    const size_t room = values_.size() + parts.size();
    switch (constant.kind) {
      case Constant::Kind::integer:
      case Constant::Kind::floating:
        for (size_t i = 0; i < parts.size(); ++i)
          values_.push_back({bytes_of(constant, 8 * i), true});
        break;
      case Constant::Kind::null:
      case Constant::Kind::zero:
        values_.resize(room, {0, true});
        break;
      case Constant::Kind::aggregate:
        for (const uint32_t part : constant.parts)
          for (size_t i = first_[part]; i < first_[part + 1] && values_.size() < room; ++i)
            values_.push_back(Value(values_[i]));
        break;
      default:
        break;
    }
  }
  static uint64_t bytes_of(const Constant& constant, size_t from) {
    uint64_t bits = 0;
    for (size_t i = from; i < std::min<size_t>(constant.bytes.size(), from + 8); ++i)
      bits |= uint64_t{constant.bytes[i]} << (8 * (i - from));
    return bits;
  }
  Value simple(const Constant& constant) const {
    switch (constant.kind) {
      case Constant::Kind::integer:
      case Constant::Kind::floating:
        return {bytes_of(constant, 0), true};
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
      const std::span<const Value> value =
          std::span(values_).subspan(first_[part], first_[part + 1] - first_[part]);
      if (value.size() != 1 || !value[0].known) return {};
      parts.push_back(value[0]);
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
  std::vector<size_t> first_;  // by constant, and the end behind the last
};

// What arithmetic on long integers needs.
constexpr uint32_t kFewScratch = 2;

// The most parts of phis of a block among which one takes the value of another.
uint32_t scratch_slots(const Function& function, const KeptTypes& kept) {
  uint32_t most = 0;
  for (uint32_t type = 0; type < function.types.size(); ++type)
    if (kept.shape(type).kind == Shape::Kind::integer) most = kFewScratch;
  for (uint32_t b = 0; b < function.blocks.size(); ++b) {
    const Block& block = function.blocks[b];
    uint32_t phis = 0, parts = 0;
    bool tangled = false;
    while (phis < block.statement_count &&
           function.statements[block.first_statement + phis].op == Op::phi)
      parts += static_cast<uint32_t>(
          kept.parts(function.statements[block.first_statement + phis++].type).size());
    for (uint32_t i = 0; i < phis; ++i)
      for (const Operand& operand : function.statements[block.first_statement + i].operands)
        tangled |= operand.kind == Operand::Kind::statement &&
                   operand.index - block.first_statement < phis;
    if (tangled) most = std::max(most, parts);
  }
  return most;
}

}  // namespace

FunctionCode::FunctionCode(const Function& function, uint32_t index,
                           const FunctionAddresses* addresses)
    : function(function),
      index(index),
      kept(function),
      part_indices(function, kept),
      sources(sources_of(function, kept)) {
  for (uint32_t type = 0; type < function.types.size(); ++type)
    types.push_back(kept.simple(type) ? kept.shape(type).simple : SimpleType{});
  const auto place_for = [&](uint32_t type) {
    if (!kept.kept(type)) return kNone;
    slot_count += static_cast<uint32_t>(kept.parts(type).size());
    return slot_count - static_cast<uint32_t>(kept.parts(type).size());
  };
  for (const uint32_t type : function.arguments) {
    argument_slots.push_back(place_for(type));
    add_kinds(kept, type, argument_kinds);
  }
  const auto first_argument = static_cast<uint32_t>(function.statements.size());
  end_of_arguments = first_argument + static_cast<uint32_t>(function.arguments.size());
  if (!function.arguments.empty())
    end_of_arguments = std::max(
        end_of_arguments,
        part_indices.arguments.back() +
            std::max(1u, static_cast<uint32_t>(kept.parts(function.arguments.back()).size())));
  for (const Statement& statement : function.statements)
    statement_slots.push_back(place_for(statement.type));
  first_constant = slot_count;
  for (const Constant& constant : function.constants)
    constant_slots.push_back(place_for(constant.type));
  unknown_slot = slot_count++;
  move_to(addresses);
  first_scratch = slot_count;
  slot_count += scratch_slots(function, kept);
  std::vector<uint32_t> measures;
  for (uint32_t i = 0; i < function.statements.size(); ++i) {
    if (!has_library_effects(function.statements[i])) continue;
    if (measures.empty()) measures = first_measures(function, part_indices.end);
    library[i] = {measures[i], library_effects(function.statements[i])};
  }
  if (auto numbers = number_paths(function.segments)) {
    numbering = std::move(*numbers);
    numbered = true;
  }
}

void FunctionCode::move_to(const FunctionAddresses* addresses) {
  own_known =
      addresses && (addresses->own != 0 || addresses->symbols.size() == function.symbols.size());
  own = addresses ? addresses->own : 0;
  constants.clear();
  constant_known.clear();
  const Constants values(*this, addresses);
  for (size_t i = 0; i < function.constants.size(); ++i)
    for (const Value& value : values.of(i)) {
      constants.push_back(value.bits);
      constant_known.push_back(value.known);
    }
  constants.push_back(0);
  constant_known.push_back(0);
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
  const uint32_t type = type_of(function, operand);
  return type == kNone ? kNoType : types[type];
}

const std::vector<Part>& FunctionCode::parts(const Operand& operand) const {
  static const std::vector<Part> kNoParts;
  const uint32_t type = type_of(function, operand);
  return type == kNone ? kNoParts : kept.parts(type);
}

uint32_t FunctionCode::statement_of(uint32_t index) const {
  if (index < function.statements.size()) return index;
  if (index < end_of_arguments || index >= part_indices.end) return kNone;
  // The last one whose further parts do not begin behind it.
  const auto& firsts = part_indices.statements;
  const auto behind = std::ranges::lower_bound(firsts, index);
  if (behind == firsts.begin()) return kNone;
  return static_cast<uint32_t>(behind - firsts.begin()) - 1;
}

void add_kinds(const KeptTypes& kept, uint32_t type, std::vector<ValueKind>& kinds) {
  if (!kept.kept(type)) return kinds.push_back(0);
  if (kept.simple(type)) return kinds.push_back(value_kind(kept.shape(type).simple));
  const auto shape = static_cast<unsigned>(kept.shape(type).kind);
  const size_t first = kinds.size();
  for (const Part& part : kept.parts(type))
    kinds.push_back(static_cast<ValueKind>(kWidePart | shape << 8 | value_kind(part.type)));
  kinds[first] |= kFirstPart;
}

}  // namespace vestige
