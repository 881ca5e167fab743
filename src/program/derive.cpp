#include "program/derive.h"

#include <algorithm>
#include <charconv>

namespace vestige {

std::optional<SimpleType> simple_type(std::string_view type) {
  using Kind = SimpleType::Kind;
  if (type == "ptr") return SimpleType{Kind::pointer, 64, 8};
  if (type == "float") return SimpleType{Kind::single, 32, 4};
  if (type == "double") return SimpleType{Kind::twofold, 64, 8};
  if (type.size() < 2 || type[0] != 'i') return std::nullopt;
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(type.data() + 1, type.data() + type.size(), bits);
  if (error != std::errc() || end != type.data() + type.size() || bits < 1 || bits > 64)
    return std::nullopt;
  const unsigned bytes = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
  return SimpleType{Kind::integer, static_cast<uint8_t>(bits), static_cast<uint8_t>(bytes)};
}

KnownIntrinsic intrinsic_of(std::string_view callee) {
  constexpr std::pair<std::string_view, KnownIntrinsic> kKnown[] = {
      {"umin", KnownIntrinsic::umin},     {"umax", KnownIntrinsic::umax},   {"smin", KnownIntrinsic::smin},
      {"smax", KnownIntrinsic::smax},     {"abs", KnownIntrinsic::abs},     {"bswap", KnownIntrinsic::bswap},
      {"ctpop", KnownIntrinsic::ctpop},   {"ctlz", KnownIntrinsic::ctlz},   {"cttz", KnownIntrinsic::cttz},
      {"fshl", KnownIntrinsic::fshl},     {"fshr", KnownIntrinsic::fshr},   {"fabs", KnownIntrinsic::fabs},
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
  return statement.callee != kNone && function.symbols[statement.callee].starts_with("llvm.");
}

namespace {

bool is_pure(Op op) {
  switch (op) {
    case Op::add: case Op::sub: case Op::mul: case Op::udiv: case Op::sdiv: case Op::urem:
    case Op::srem: case Op::shl: case Op::lshr: case Op::ashr: case Op::and_: case Op::or_:
    case Op::xor_: case Op::fadd: case Op::fsub: case Op::fmul: case Op::fdiv: case Op::fneg:
    case Op::get_element_ptr: case Op::trunc: case Op::zext: case Op::sext: case Op::ui_to_fp:
    case Op::si_to_fp: case Op::fp_trunc: case Op::fp_ext: case Op::ptr_to_int:
    case Op::int_to_ptr: case Op::icmp: case Op::fcmp: case Op::phi: case Op::select:
    case Op::freeze: case Op::bit_cast:
      return true;
    default:
      return false;
  }
}

class Sources {
 public:
  explicit Sources(const Function& function) : function_(function) {
    for (const std::string& type : function.types) simple_.push_back(simple_type(type).has_value());
  }
  Source of(const Statement& statement) {
    if (statement.op == Op::store)
      return takes_simple(statement, statement.operands.size()) ? Source::derived : Source::none;
    if (statement.op == Op::call && statement.callee != kNone &&
        memory_work_of(function_.symbols[statement.callee]) != MemoryWork::none)
      return takes_simple(statement, 3) ? Source::derived : Source::none;
    if (!simple_[statement.type] || statement.op == Op::call_br) return Source::none;
    if (statement.op == Op::load && takes_simple(statement, 1)) return Source::loaded;
    if (statement.op == Op::invoke) return Source::called;
    if (statement.op == Op::call) return of_call(statement);
    return is_pure(statement.op) && takes_simple(statement, statement.operands.size()) &&
                   !shows_bits(statement)
               ? Source::derived
               : Source::told;
  }

 private:
  Source of_call(const Statement& statement) {
    if (!is_inline_call(function_, statement)) return Source::called;
    const bool known = statement.callee != kNone &&
                       intrinsic_of(function_.symbols[statement.callee]) != KnownIntrinsic::other;
    // The last operand is the intrinsic itself.
    return known && takes_simple(statement, statement.operands.size() - 1) ? Source::derived
                                                                           : Source::told;
  }
  bool takes_simple(const Statement& statement, size_t count) {
    if (count > statement.operands.size()) return false;
    // An address without attributes is one of a vector.
    if (statement.op == Op::get_element_ptr && statement.attributes.empty()) return false;
    for (size_t i = 0; i < count; ++i)
      if (!is_simple(statement.operands[i])) return false;
    return true;
  }
  // The bits of a derived NaN are not promised, so they must not become an integer.
  bool shows_bits(const Statement& statement) const {
    if (statement.op != Op::bit_cast || statement.operands.empty()) return false;
    if (statement.operands[0].kind == Operand::Kind::block) return false;
    const std::string& from = function_.types[type_of(statement.operands[0])];
    return from == "float" || from == "double";
  }
  uint32_t type_of(const Operand& operand) const {
    switch (operand.kind) {
      case Operand::Kind::statement: return function_.statements[operand.index].type;
      case Operand::Kind::argument: return function_.arguments[operand.index];
      default: return function_.constants[operand.index].type;
    }
  }
  bool is_simple(const Operand& operand) {
    switch (operand.kind) {
      case Operand::Kind::statement:
      case Operand::Kind::argument:
        return simple_[type_of(operand)];
      case Operand::Kind::constant:
        return is_known(operand.index);
      case Operand::Kind::block:
        return true;
      case Operand::Kind::none:
        return false;
    }
    return false;
  }
  // Constants whose value the evaluator can tell. Undefined ones are made zero by the pass.
  bool is_known(uint32_t index) {
    const Constant& constant = function_.constants[index];
    if (!simple_[constant.type]) return false;
    using Kind = Constant::Kind;
    return constant.kind == Kind::integer || constant.kind == Kind::floating ||
           constant.kind == Kind::null || constant.kind == Kind::symbol ||
           constant.kind == Kind::zero;
  }

  const Function& function_;
  std::vector<bool> simple_;
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
  Sources sources(function);
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
