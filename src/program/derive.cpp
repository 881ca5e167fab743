#include "program/derive.h"

#include <algorithm>

#include "program/record.h"

namespace vestige {

KeptTypes::KeptTypes(const Function& function) {
  for (const std::string& type : function.types) {
    Kept kept{shape_of(type), {}};
    if (kept.shape.wide() && function.record_version < kWideSince) kept.shape = {};
    kept.parts = parts_of(kept.shape);
    all_.push_back(std::move(kept));
  }
  uint64_t further = 0;
  const auto count = [&](uint32_t type) {
    if (kept(type)) further += parts(type).size() - 1;
  };
  for (const uint32_t type : function.arguments) count(type);
  for (const Statement& statement : function.statements) count(statement.type);
  for (const Constant& constant : function.constants) count(constant.type);
  if (further <= kMostFurtherParts) return;
  for (Kept& kept : all_)
    if (kept.shape.wide()) kept = {};
}

PartIndices::PartIndices(const Function& function, const KeptTypes& types) {
  auto next = static_cast<uint32_t>(function.statements.size() + function.arguments.size());
  // One less than the index of the second part: parts count from 0.
  const auto further = [&](uint32_t type) {
    const uint32_t before = next - 1;
    if (types.kept(type)) next += static_cast<uint32_t>(types.parts(type).size()) - 1;
    return before;
  };
  for (const uint32_t type : function.arguments) arguments.push_back(further(type));
  for (const Statement& statement : function.statements)
    statements.push_back(further(statement.type));
  end = next;
}

uint32_t type_of(const Function& function, const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::statement:
      return function.statements[operand.index].type;
    case Operand::Kind::argument:
      return function.arguments[operand.index];
    case Operand::Kind::constant:
      return function.constants[operand.index].type;
    default:
      return kNone;
  }
}

PartRange element_range(const Shape& whole, std::span<const uint32_t> indices) {
  PartRange range{0, whole.parts};
  const Shape* shape = &whole;
  for (const uint32_t index : indices) {
    const bool nested = shape->kind == Shape::Kind::array || shape->kind == Shape::Kind::structure;
    if (!nested || index >= shape->count) return {};
    range.first += shape->first_part(index);
    shape = &shape->element(index);
    range.count = shape->parts;
  }
  return range;
}

PartRange lane_range(const Function& function, const Shape& vector, const Operand& index) {
  if (vector.kind != Shape::Kind::vector || index.kind != Operand::Kind::constant) return {};
  const Constant& constant = function.constants[index.index];
  if (constant.kind != Constant::Kind::integer) return {};
  uint64_t lane = 0;
  for (size_t i = 0; i < std::min<size_t>(constant.bytes.size(), 8); ++i)
    lane |= uint64_t{constant.bytes[i]} << (8 * i);
  if (lane >= vector.count) return {};
  return {vector.first_part(static_cast<uint32_t>(lane)), vector.element(0).parts};
}

KnownIntrinsic intrinsic_of(std::string_view callee) {
  constexpr std::pair<std::string_view, KnownIntrinsic> kKnown[] = {
      {"umin", KnownIntrinsic::umin},     {"umax", KnownIntrinsic::umax},
      {"smin", KnownIntrinsic::smin},     {"smax", KnownIntrinsic::smax},
      {"abs", KnownIntrinsic::abs},       {"bswap", KnownIntrinsic::bswap},
      {"ctpop", KnownIntrinsic::ctpop},   {"ctlz", KnownIntrinsic::ctlz},
      {"cttz", KnownIntrinsic::cttz},     {"fshl", KnownIntrinsic::fshl},
      {"fshr", KnownIntrinsic::fshr},     {"fabs", KnownIntrinsic::fabs},
      {"sqrt", KnownIntrinsic::sqrt},     {"copysign", KnownIntrinsic::copysign},
      {"expect", KnownIntrinsic::expect}, {"launder.invariant.group", KnownIntrinsic::launder},
  };
  if (!callee.starts_with("llvm.")) return KnownIntrinsic::other;
  callee.remove_prefix(5);
  for (const auto& [name, intrinsic] : kKnown) {
    if (!callee.starts_with(name)) continue;
    const std::string_view rest = callee.substr(name.size());
    // What follows is one type: "llvm.expect.i64", but not "llvm.expect.with.probability.i64".
    if (rest.size() > 1 && rest[0] == '.' && rest.find('.', 1) == rest.npos) return intrinsic;
  }
  return KnownIntrinsic::other;
}

MemoryWork memory_work_of(std::string_view callee) {
  if (callee.starts_with("llvm.memcpy.p") || callee.starts_with("llvm.memcpy.inline.") ||
      callee.starts_with("llvm.memmove.p"))
    return MemoryWork::copy;
  if (callee.starts_with("llvm.memset.p") || callee.starts_with("llvm.memset.inline."))
    return MemoryWork::fill;
  return MemoryWork::none;
}

bool is_inline_call(const Function& function, const Statement& statement) {
  if (statement.op != Op::call) return false;
  if (!statement.attributes.empty() && (statement.attributes[0] & 8)) return true;
  if (statement.callee == kNone) return false;
  const std::string_view callee = function.symbols[statement.callee];
  return callee.starts_with("llvm.") && callee != "llvm.eh.sjlj.setjmp" &&
         callee != "llvm.eh.sjlj.longjmp";
}

bool only_computes(Op op) {
  switch (op) {
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::udiv:
    case Op::sdiv:
    case Op::urem:
    case Op::srem:
    case Op::shl:
    case Op::lshr:
    case Op::ashr:
    case Op::and_:
    case Op::or_:
    case Op::xor_:
    case Op::trunc:
    case Op::zext:
    case Op::sext:
    case Op::icmp:
    case Op::fcmp:
    case Op::phi:
    case Op::select:
    case Op::freeze:
    case Op::get_element_ptr:
    case Op::ptr_to_int:
    case Op::int_to_ptr:
    case Op::bit_cast:
      return true;
    default:
      return false;
  }
}

unsigned conversion_width(Op op, unsigned bits) {
  const bool is_whole = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  if (op == Op::fp_to_si && is_whole) return bits == 64 ? 64 : 32;
  if (op == Op::fp_to_ui && is_whole && bits != 64) return bits == 32 ? 64 : 32;
  return 0;
}

namespace {

bool is_pure(Op op) {
  switch (op) {
    case Op::fadd:
    case Op::fsub:
    case Op::fmul:
    case Op::fdiv:
    case Op::fneg:
    case Op::ui_to_fp:
    case Op::si_to_fp:
    case Op::fp_trunc:
    case Op::fp_ext:
      return true;
    default:
      return only_computes(op);
  }
}

// Operations that work on a vector element by element.
bool is_lanewise(Op op) {
  return is_pure(op) && op != Op::get_element_ptr && op != Op::phi && op != Op::bit_cast;
}

class Sources {
 public:
  Sources(const Function& function, const KeptTypes& types) : function_(function), types_(types) {
    for (const Constant& constant : function.constants) known_.push_back(is_known(constant));
  }

  Source of(const Statement& statement) const {
    const size_t operands = statement.operands.size();
    if (statement.op == Op::store) return follows(statement) ? Source::derived : Source::none;
    if (statement.op == Op::call && statement.callee != kNone &&
        memory_work_of(function_.symbols[statement.callee]) != MemoryWork::none)
      return takes_simple(statement, 3) ? Source::derived : Source::none;
    if (!types_.kept(statement.type) || statement.op == Op::call_br) return Source::none;
    if (statement.op == Op::load && takes_simple(statement, 1))
      return types_.in_memory(statement.type) ? Source::loaded : Source::told;
    if (statement.op == Op::invoke) return Source::called;
    if (statement.op == Op::call) return of_call(statement);
    const bool derived =
        types_.simple(statement.type) && takes_simple(statement, operands)
            ? (is_pure(statement.op) && !shows_bits(statement)) || is_defined_conversion(statement)
            : takes_kept(statement, operands) && derives_wide(statement);
    return derived ? Source::derived : Source::told;
  }

 private:
  Source of_call(const Statement& statement) const {
    if (!is_inline_call(function_, statement)) return Source::called;
    const KnownIntrinsic known = statement.callee == kNone
                                     ? KnownIntrinsic::other
                                     : intrinsic_of(function_.symbols[statement.callee]);
    if (known == KnownIntrinsic::other) return Source::told;
    // The last operand is the intrinsic itself.
    const size_t operands = statement.operands.size() - 1;
    if (types_.simple(statement.type))
      return takes_simple(statement, operands) ? Source::derived : Source::told;
    const bool lanewise = known != KnownIntrinsic::expect && known != KnownIntrinsic::launder &&
                          takes_kept(statement, operands) && has_equal_lanes(statement, operands);
    return lanewise ? Source::derived : Source::told;
  }
  bool follows(const Statement& statement) const {
    const auto& operands = statement.operands;
    if (operands.size() < 2 || !takes_kept(statement, operands.size())) return false;
    const uint32_t type = type_of(function_, operands[0]);
    return type != kNone && types_.in_memory(type) && is_simple(operands[1]);
  }

  bool takes_simple(const Statement& statement, size_t count) const {
    if (count > statement.operands.size()) return false;
    // An address without attributes is one of a vector.
    if (statement.op == Op::get_element_ptr && statement.attributes.empty()) return false;
    return std::all_of(statement.operands.begin(), statement.operands.begin() + count,
                       [&](const Operand& operand) { return is_simple(operand); });
  }
  bool takes_kept(const Statement& statement, size_t count) const {
    if (count > statement.operands.size()) return false;
    return std::all_of(statement.operands.begin(), statement.operands.begin() + count,
                       [&](const Operand& operand) { return is_kept(operand); });
  }
  bool is_simple(const Operand& operand) const {
    if (operand.kind == Operand::Kind::block) return true;
    const uint32_t type = type_of(function_, operand);
    return type != kNone && types_.simple(type) && is_kept(operand);
  }
  bool is_kept(const Operand& operand) const {
    if (operand.kind == Operand::Kind::block) return true;
    const uint32_t type = type_of(function_, operand);
    if (type == kNone || !types_.kept(type)) return false;
    return operand.kind != Operand::Kind::constant || known_[operand.index];
  }
  // Constants whose value the evaluator can tell; their parts come before them. Undefined ones are
  // made zero by the pass.
  bool is_known(const Constant& constant) const {
    using Kind = Constant::Kind;
    if (!types_.kept(constant.type)) return false;
    if (constant.kind == Kind::aggregate)
      return !types_.simple(constant.type) &&
             std::ranges::all_of(constant.parts, [&](uint32_t part) { return known_[part]; });
    return constant.kind == Kind::integer || constant.kind == Kind::floating ||
           constant.kind == Kind::null || constant.kind == Kind::symbol ||
           constant.kind == Kind::zero;
  }

  // All operands are simple.
  bool is_defined_conversion(const Statement& statement) const {
    if (function_.record_version < kConversionsSince || statement.operands.empty()) return false;
    return conversion_width(statement.op, types_.shape(statement.type).simple.bits) != 0;
  }
  // The bits of a derived NaN are not promised, so they must not become an integer.
  bool shows_bits(const Statement& statement) const {
    if (statement.op != Op::bit_cast || statement.operands.empty()) return false;
    const uint32_t type = type_of(function_, statement.operands[0]);
    return type != kNone && shows_bits(types_.shape(type));
  }
  static bool shows_bits(const Shape& shape) {
    if (shape.kind == Shape::Kind::vector) return shows_bits(shape.element(0));
    return shape.kind == Shape::Kind::simple && (shape.simple.kind == SimpleType::Kind::float32 ||
                                                 shape.simple.kind == SimpleType::Kind::float64);
  }

  // Something of it is wide; all operands are kept.
  bool derives_wide(const Statement& statement) const {
    const auto& operands = statement.operands;
    const Shape& shape = types_.shape(statement.type);
    const auto operand = [&](size_t i) -> const Shape& {
      static const Shape kNothing;
      const uint32_t type = i < operands.size() ? type_of(function_, operands[i]) : kNone;
      return type == kNone ? kNothing : types_.shape(type);
    };
    switch (statement.op) {
      case Op::phi:
        for (size_t i = 0; i < operands.size(); i += 2)
          if (operand(i).parts != shape.parts) return false;
        return true;
      case Op::freeze:
        return operand(0).parts == shape.parts;
      case Op::select:
        if (operand(0).kind == Shape::Kind::simple)
          return operand(1).parts == shape.parts && operand(2).parts == shape.parts;
        break;
      case Op::extract_value: {
        const PartRange range = element_range(operand(0), statement.attributes);
        return range.count != 0 && range.count == shape.parts;
      }
      case Op::insert_value: {
        const PartRange range = element_range(shape, statement.attributes);
        return range.count != 0 && range.count == operand(1).parts &&
               operand(0).parts == shape.parts;
      }
      case Op::extract_element: {
        if (operands.size() < 2) return false;
        const PartRange range = lane_range(function_, operand(0), operands[1]);
        return range.count != 0 && range.count == shape.parts;
      }
      case Op::insert_element: {
        if (operands.size() < 3) return false;
        const PartRange range = lane_range(function_, shape, operands[2]);
        return range.count != 0 && range.count == operand(1).parts &&
               operand(0).parts == shape.parts;
      }
      case Op::shuffle_vector: {
        if (shape.kind != Shape::Kind::vector || operand(0).kind != Shape::Kind::vector ||
            operand(1).kind != Shape::Kind::vector || operand(0).parts != operand(1).parts ||
            shape.element(0).parts != operand(0).element(0).parts ||
            statement.attributes.size() != shape.count)
          return false;
        return std::ranges::all_of(statement.attributes,
                                   [&](uint32_t lane) { return lane < 2 * operand(0).count; });
      }
      case Op::bit_cast:
        return !shows_bits(statement) && operand(0).bits != 0 && operand(0).bits == shape.bits;
      default:
        break;
    }
    if (shape.kind == Shape::Kind::vector)
      return is_lanewise(statement.op) && has_equal_lanes(statement, operands.size());
    return derives_long(statement);
  }
  // The result and the operands, but single bits, are vectors of as many simple elements.
  bool has_equal_lanes(const Statement& statement, size_t count) const {
    const Shape& shape = types_.shape(statement.type);
    const auto fits = [&](const Shape& other) {
      return other.kind == Shape::Kind::vector && other.count == shape.count &&
             other.element(0).kind == Shape::Kind::simple;
    };
    if (!fits(shape)) return false;
    for (size_t i = 0; i < count; ++i) {
      const uint32_t type = type_of(function_, statement.operands[i]);
      if (type == kNone) return false;
      const Shape& other = types_.shape(type);
      const bool flag =
          i > 0 && statement.op == Op::call && other.kind == Shape::Kind::simple && other.bits == 1;
      if (!flag && !fits(other)) return false;
    }
    return count != 0;
  }
  // Integers of more than 64 bits.
  bool derives_long(const Statement& statement) const {
    const auto& operands = statement.operands;
    const Shape& shape = types_.shape(statement.type);
    const uint32_t first = operands.empty() ? kNone : type_of(function_, operands[0]);
    if (first == kNone) return false;
    const Shape& from = types_.shape(first);
    const auto is_integer = [](const Shape& s) {
      return s.kind == Shape::Kind::integer ||
             (s.kind == Shape::Kind::simple && s.simple.kind == SimpleType::Kind::integer);
    };
    if (!is_integer(shape) || !is_integer(from)) return false;
    const uint32_t second = operands.size() < 2 ? kNone : type_of(function_, operands[1]);
    const bool alike = second != kNone && types_.shape(second).parts == from.parts;
    switch (statement.op) {
      case Op::trunc:
      case Op::zext:
        return true;
      case Op::and_:
      case Op::or_:
      case Op::xor_:
        return alike && shape.parts == from.parts;
      case Op::sext:
        return shape.parts == 2 && from.parts == 1;
      case Op::add:
      case Op::sub:
      case Op::mul:
        return alike && shape.parts == 2 && from.parts == 2;
      case Op::icmp:
        return alike && from.parts == 2;
      case Op::shl:
      case Op::lshr:
      case Op::ashr:
        return alike && shape.parts == 2 && from.parts == 2 &&
               operands[1].kind == Operand::Kind::constant;
      default:
        return false;
    }
  }

  const Function& function_;
  const KeptTypes& types_;
  std::vector<bool> known_;  // by constant
};

}  // namespace

namespace {

bool is_slot(const Function& function, const Statement& statement) {
  return statement.op == Op::alloca_ && function.types[statement.type] == "ptr" &&
         !statement.operands.empty() && statement.operands[0].kind == Operand::Kind::constant &&
         function.constants[statement.operands[0].index].kind == Constant::Kind::integer;
}

}  // namespace

uint32_t first_slot_of(const Function& function) {
  if (function.blocks.empty()) return kNone;
  const Block& first = function.blocks[0];
  for (uint32_t i = 0; i < first.statement_count; ++i)
    if (is_slot(function, function.statements[first.first_statement + i]))
      return first.first_statement + i;
  return kNone;
}

std::vector<Source> sources_of(const Function& function) {
  return sources_of(function, KeptTypes(function));
}

std::vector<Source> sources_of(const Function& function, const KeptTypes& types) {
  const Sources sources(function, types);
  std::vector<Source> all;
  all.reserve(function.statements.size());
  for (const Statement& statement : function.statements) all.push_back(sources.of(statement));
  const uint32_t slot = first_slot_of(function);
  if (slot == kNone) return all;
  const Block& first = function.blocks[0];
  for (uint32_t i = slot + 1; i < first.first_statement + first.statement_count; ++i)
    if (is_slot(function, function.statements[i])) all[i] = Source::beside;
  return all;
}

}  // namespace vestige
