#include "trace/eval/compile_statement.h"

#include <cstring>

#include "trace/eval/shadow.h"

namespace vestige {

namespace {

unsigned log2_of(unsigned bytes) { return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3; }

// The 32- and 64-bit forms stand before the one for any width.
Micro by_width(Micro form64, unsigned bits) {
  const auto first = static_cast<uint16_t>(form64);
  return static_cast<Micro>(first + (bits == 64 ? 0 : bits == 32 ? 1 : 2));
}
static_assert(static_cast<int>(Micro::add) == static_cast<int>(Micro::add64) + 2);
static_assert(static_cast<int>(Micro::sub) == static_cast<int>(Micro::sub64) + 2);
static_assert(static_cast<int>(Micro::mul) == static_cast<int>(Micro::mul64) + 2);

// The form for doubles stands behind the one for floats.
Micro by_precision(Micro form32, unsigned bits) {
  return static_cast<Micro>(static_cast<uint16_t>(form32) + (bits == 64 ? 1 : 0));
}

bool is_division(Op op) {
  return op == Op::udiv || op == Op::sdiv || op == Op::urem || op == Op::srem;
}

uint64_t two_numbers(std::span<const uint32_t> attributes, size_t at) {
  return at + 1 < attributes.size() ? attributes[at] | uint64_t{attributes[at + 1]} << 32 : 0;
}

}  // namespace

void StatementCompiler::emit(Micro micro, uint32_t dst, uint32_t a, uint32_t b, unsigned aux) {
  cells_.push_back({static_cast<uint16_t>(micro), static_cast<uint16_t>(aux), dst, a, b});
}

uint32_t StatementCompiler::use(const Operand& operand, uint32_t part) {
  const uint32_t first = code_.slot(operand);
  const uint32_t slot = first == code_.unknown_slot ? first : first + part;
  uses_unknown_ |= code_.never_known(slot);
  return slot;
}

void StatementCompiler::read(Micro first, uint32_t dst, uint32_t a, uint32_t statement,
                             const SimpleType& type) {
  const auto micro = static_cast<uint16_t>(static_cast<uint16_t>(first) + log2_of(type.bytes));
  emit(static_cast<Micro>(micro), dst, a, statement, 64u - type.bits);
}

void StatementCompiler::read_told(uint32_t index) {
  const std::vector<Part>& parts = code_.kept.parts(code_.function.statements[index].type);
  for (uint32_t p = 0; p < parts.size(); ++p) {
    const uint32_t told = code_.statement_part(index, p);
    read(Micro::told1, code_.statement_slots[index] + p,
         static_cast<uint32_t>(code_.place(told) & Shadow::kMask), told, parts[p].type);
  }
}

void StatementCompiler::store(const Statement& statement) {
  if (statement.operands.size() < 2) return;
  const uint32_t address = use(statement.operands[1]);
  const bool simple = code_.type(statement.operands[0]).bits != 0;
  const auto first = static_cast<uint16_t>(simple ? Micro::store1 : Micro::store_part1);
  const std::vector<Part>& parts = code_.parts(statement.operands[0]);
  for (uint32_t p = 0; p < parts.size(); ++p) {
    const auto micro = static_cast<uint16_t>(first + log2_of(parts[p].type.bytes));
    emit(static_cast<Micro>(micro), 0, use(statement.operands[0], p), address,
         parts[p].offset << 6);
  }
}

void StatementCompiler::load(const Statement& statement, uint32_t dst, uint32_t index) {
  const uint32_t address = use(statement.operands[0]);
  if (const SimpleType& type = code_.types[statement.type]; type.bits != 0)
    return read(Micro::load1, dst, address, index, type);
  const std::vector<Part>& parts = code_.kept.parts(statement.type);
  for (uint32_t p = 0; p < parts.size(); ++p) {
    read(Micro::load_part1, dst + p, address, code_.statement_part(index, p), parts[p].type);
    cells_.back().aux |= static_cast<uint16_t>(parts[p].offset << 6);
  }
}

bool StatementCompiler::work_on_memory(const Statement& statement) {
  if (statement.op != Op::call || statement.callee == kNone) return false;
  const MemoryWork work = memory_work_of(code_.function.symbols[statement.callee]);
  if (work == MemoryWork::none) return false;
  const uint32_t to = use(statement.operands[0]), from = use(statement.operands[1]),
                 bytes = use(statement.operands[2]);
  emit(work == MemoryWork::copy ? Micro::copy_memory : Micro::fill_memory, bytes, to, from);
  return true;
}

void StatementCompiler::compile(uint32_t index) {
  const Statement& statement = code_.function.statements[index];
  const uint32_t dst = code_.statement_slots[index];
  switch (code_.sources[index]) {
    case Source::none:
      break;
    case Source::loaded:
      if (statement.operands.empty()) {
        forget(statement, dst);
      } else {
        load(statement, dst, index);
      }
      break;
    case Source::told:
      read_told(index);
      break;
    case Source::beside:
      read_told(index);
      emit(Micro::add64, dst, dst, code_.statement_slots[first_slot_of(code_.function)]);
      break;
    case Source::derived: {
      if (statement.op == Op::store) return store(statement);
      if (work_on_memory(statement)) return;
      const size_t before = cells_.size();
      if (!derive_wide(statement, dst, index)) derive(statement, dst, index);
      // Malformed: fewer operands than the operation takes.
      if (cells_.size() == before) forget(statement, dst);
      break;
    }
    case Source::called:
      break;  // its result comes later
  }
}

void StatementCompiler::forget(const Statement& statement, uint32_t dst) {
  const size_t parts = code_.kept.parts(statement.type).size();
  for (uint32_t p = 0; p < parts; ++p) emit(Micro::unknown, dst + p, 0);
  uses_unknown_ = true;
}

void StatementCompiler::derive(const Statement& statement, uint32_t dst, uint32_t index) {
  const size_t before = cells_.size();
  derive_simple(statement, dst);
  if (cells_.size() > before && is_division(statement.op)) cells_.push_back({0, 0, 0, index, 0});
}

void StatementCompiler::derive_simple(const Statement& statement, uint32_t dst) {
  const auto& operands = statement.operands;
  const SimpleType type = this->type(statement);
  const unsigned own_gap = 64u - type.bits;
  if (statement.op == Op::call) return derive_intrinsic(statement, dst);
  if (statement.op == Op::get_element_ptr) return derive_address(statement, dst);
  if (operands.empty()) return;
  const uint32_t a = use(operands[0]);
  const unsigned from = gap(operands[0]);
  switch (statement.op) {
    case Op::zext:
    case Op::int_to_ptr:
    case Op::bit_cast:
    case Op::freeze:
      return emit(Micro::copy, dst, a);
    case Op::trunc:
    case Op::ptr_to_int:
      if (own_gap <= from) return emit(Micro::copy, dst, a);
      return own_gap == 32 ? emit(Micro::trunc32, dst, a) : emit(Micro::trunc, dst, a, 0, own_gap);
    case Op::sext:
      if (from == 32 && own_gap == 0) return emit(Micro::sext32to64, dst, a);
      return emit(Micro::sext, dst, a, 0, from | own_gap << 6);
    case Op::fneg:
      return emit(Micro::fneg, dst, a, 0, own_gap);
    case Op::fp_ext:
      return emit(Micro::widen, dst, a);
    case Op::fp_trunc:
      return emit(Micro::narrow, dst, a);
    case Op::si_to_fp:
      return emit(by_precision(Micro::signed_to32, type.bits), dst, a, 0, from);
    case Op::ui_to_fp:
      return emit(by_precision(Micro::unsigned_to32, type.bits), dst, a, 0, from);
    case Op::fp_to_si:
    case Op::fp_to_ui:
      return emit(by_precision(Micro::whole32, 64 - from), dst, a, 0,
                  own_gap | (conversion_width(statement.op, type.bits) & 64));
    default:
      break;
  }
  if (operands.size() < 2) return;
  const uint32_t b = use(operands[1]);
  switch (statement.op) {
    case Op::add:
      return emit(by_width(Micro::add64, type.bits), dst, a, b, own_gap);
    case Op::sub:
      return emit(by_width(Micro::sub64, type.bits), dst, a, b, own_gap);
    case Op::mul:
      return emit(by_width(Micro::mul64, type.bits), dst, a, b, own_gap);
    case Op::udiv:
      return emit(Micro::udiv, dst, a, b, own_gap);
    case Op::sdiv:
      return emit(Micro::sdiv, dst, a, b, own_gap);
    case Op::urem:
      return emit(Micro::urem, dst, a, b, own_gap);
    case Op::srem:
      return emit(Micro::srem, dst, a, b, own_gap);
    case Op::shl:
      return emit(Micro::shl, dst, a, b, own_gap);
    case Op::lshr:
      return emit(Micro::lshr, dst, a, b, own_gap);
    case Op::ashr:
      return emit(Micro::ashr, dst, a, b, own_gap);
    case Op::and_:
      return emit(Micro::bit_and, dst, a, b);
    case Op::or_:
      return emit(Micro::bit_or, dst, a, b);
    case Op::xor_:
      return emit(Micro::bit_xor, dst, a, b);
    case Op::fadd:
      return emit(by_precision(Micro::fadd32, type.bits), dst, a, b);
    case Op::fsub:
      return emit(by_precision(Micro::fsub32, type.bits), dst, a, b);
    case Op::fmul:
      return emit(by_precision(Micro::fmul32, type.bits), dst, a, b);
    case Op::fdiv:
      return emit(by_precision(Micro::fdiv32, type.bits), dst, a, b);
    case Op::icmp:
    case Op::fcmp:
      return compare(statement, dst);
    case Op::select:
      if (operands.size() < 3) return;
      emit(Micro::select, dst, a, b);
      cells_.push_back({0, 0, 0, use(operands[2]), 0});
      return;
    default:
      return;
  }
}

void StatementCompiler::compare(const Statement& statement, uint32_t dst) {
  const auto& operands = statement.operands;
  const uint32_t a = use(operands[0]), b = use(operands[1]);
  const unsigned from = gap(operands[0]);
  const uint32_t predicate = statement.attributes.empty() ? kNone : statement.attributes[0];
  if (statement.op == Op::fcmp) {
    const unsigned bits = type(operands[0]).bits;
    if (predicate < 16) emit(by_precision(Micro::fcmp32, bits), dst, a, b, predicate);
    return;
  }
  switch (predicate) {  // LLVM's numbers
    case 32:
      return emit(Micro::equal, dst, a, b);
    case 33:
      return emit(Micro::differ, dst, a, b);
    case 34:
      return emit(Micro::uless, dst, b, a);
    case 35:
      return emit(Micro::uless_equal, dst, b, a);
    case 36:
      return emit(Micro::uless, dst, a, b);
    case 37:
      return emit(Micro::uless_equal, dst, a, b);
    case 38:
      return emit(Micro::sless, dst, b, a, from);
    case 39:
      return emit(Micro::sless_equal, dst, b, a, from);
    case 40:
      return emit(Micro::sless, dst, a, b, from);
    case 41:
      return emit(Micro::sless_equal, dst, a, b, from);
    default:
      return;
  }
}

void StatementCompiler::derive_intrinsic(const Statement& statement, uint32_t dst) {
  const auto& operands = statement.operands;
  if (statement.callee == kNone || operands.size() < 2) return;
  const KnownIntrinsic intrinsic = intrinsic_of(code_.function.symbols[statement.callee]);
  const SimpleType type = this->type(statement);
  const unsigned own_gap = 64u - type.bits;
  const uint32_t a = use(operands[0]);
  // The last operand is the intrinsic itself.
  const uint32_t b = operands.size() > 2 ? use(operands[1]) : kNone;
  const auto two = [&](Micro micro) {
    if (b != kNone) emit(micro, dst, a, b, own_gap);
  };
  switch (intrinsic) {
    case KnownIntrinsic::umin:
      return two(Micro::umin);
    case KnownIntrinsic::umax:
      return two(Micro::umax);
    case KnownIntrinsic::smin:
      return two(Micro::smin);
    case KnownIntrinsic::smax:
      return two(Micro::smax);
    case KnownIntrinsic::copysign:
      return two(Micro::copysign_);
    case KnownIntrinsic::abs:
      return emit(Micro::abs_, dst, a, 0, own_gap);
    case KnownIntrinsic::bswap:
      return emit(Micro::bswap, dst, a, 0, own_gap);
    case KnownIntrinsic::ctpop:
      return emit(Micro::ctpop, dst, a, 0, own_gap);
    case KnownIntrinsic::ctlz:
      return emit(Micro::ctlz, dst, a, 0, own_gap);
    case KnownIntrinsic::cttz:
      return emit(Micro::cttz, dst, a, 0, own_gap);
    case KnownIntrinsic::fabs:
      return emit(Micro::fabs_, dst, a, 0, own_gap);
    case KnownIntrinsic::sqrt:
      return emit(by_precision(Micro::fsqrt32, type.bits), dst, a);
    case KnownIntrinsic::expect:
    case KnownIntrinsic::launder:
      return emit(Micro::copy, dst, a);
    case KnownIntrinsic::fshl:
    case KnownIntrinsic::fshr:
      if (operands.size() < 4) return;
      emit(intrinsic == KnownIntrinsic::fshl ? Micro::fshl : Micro::fshr, dst, a, b, own_gap);
      cells_.push_back({0, 0, 0, use(operands[2]), 0});
      return;
    case KnownIntrinsic::other:
      return;
  }
}

// base + offset + Σ index × scale; indices are signed.
void StatementCompiler::derive_address(const Statement& statement, uint32_t dst) {
  const auto& operands = statement.operands;
  if (operands.empty()) return;
  uint64_t offset = two_numbers(statement.attributes, 0);
  uint32_t base = use(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i) {
    const uint64_t scale = two_numbers(statement.attributes, 2 * i);
    const uint32_t index = use(operands[i]);
    const unsigned index_gap = gap(operands[i]);
    if (scale < 1024 && offset == 0) {
      emit(Micro::element, dst, base, index, index_gap | static_cast<unsigned>(scale) << 6);
    } else {
      emit(Micro::element_wide, dst, base, index, index_gap);
      const Cell::Wide wide{scale, offset};
      std::memcpy(&cells_.emplace_back(), &wide, sizeof wide);
      offset = 0;
    }
    base = dst;
  }
  if (operands.size() > 1) return;
  const auto signed_offset = static_cast<int64_t>(offset);
  if (signed_offset == 0) return emit(Micro::copy, dst, base);
  if (signed_offset == static_cast<int32_t>(signed_offset))
    return emit(Micro::offset, dst, base, static_cast<uint32_t>(offset));
  emit(Micro::element_wide, dst, base, base, 0);  // × 0
  const Cell::Wide wide{0, offset};
  std::memcpy(&cells_.emplace_back(), &wide, sizeof wide);
}

}  // namespace vestige
