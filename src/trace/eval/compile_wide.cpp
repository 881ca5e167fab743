// Statements on wide values to cells: values are moved part by part, vectors are computed with
// element by element, and integers of two parts with carries.
#include <algorithm>

#include "trace/eval/compile_statement.h"

namespace vestige {

namespace {

// The last value of a row, where `aux` is a distance and the gap of the result.
unsigned distance(uint64_t bits, unsigned gap) { return static_cast<unsigned>(bits) | gap << 6; }

uint64_t low_number(const Constant& constant) {
  uint64_t number = 0;
  for (size_t i = 0; i < std::min<size_t>(constant.bytes.size(), 8); ++i)
    number |= uint64_t{constant.bytes[i]} << (8 * i);
  return number;
}

}  // namespace

void StatementCompiler::copy_parts(uint32_t dst, const Operand& from, uint32_t first,
                                   uint32_t count) {
  for (uint32_t p = 0; p < count; ++p) emit(Micro::copy, dst + p, use(from, first + p));
}

// 0, as known as the slot `like` is.
void StatementCompiler::clear(uint32_t dst, uint32_t like) {
  emit(Micro::bit_xor, dst, like, like);
}

bool StatementCompiler::derive_wide(const Statement& statement, uint32_t dst, uint32_t index) {
  const auto& operands = statement.operands;
  const bool simple =
      code_.types[statement.type].bits != 0 &&
      std::ranges::all_of(operands, [&](const Operand& operand) {
        return operand.kind == Operand::Kind::block || code_.type(operand).bits != 0;
      });
  if (simple || operands.empty()) return false;
  const Shape& shape = code_.kept.shape(statement.type);
  const uint32_t first_type = type_of(code_.function, operands[0]);
  if (first_type == kNone) return true;
  const Shape& first = code_.kept.shape(first_type);
  switch (statement.op) {
    case Op::freeze:
      copy_parts(dst, operands[0], 0, shape.parts);
      return true;
    case Op::select:
      if (first.kind != Shape::Kind::simple) break;
      for (uint32_t p = 0; p < shape.parts; ++p) {
        emit(Micro::select, dst + p, use(operands[0]), use(operands[1], p));
        cells_.push_back({0, 0, 0, use(operands[2], p), 0});
      }
      return true;
    case Op::extract_value:
    case Op::extract_element: {
      const PartRange range = statement.op == Op::extract_value
                                  ? element_range(first, statement.attributes)
                                  : lane_range(code_.function, first, operands[1]);
      copy_parts(dst, operands[0], range.first, range.count);
      return true;
    }
    case Op::insert_value:
    case Op::insert_element: {
      const PartRange range = statement.op == Op::insert_value
                                  ? element_range(shape, statement.attributes)
                                  : lane_range(code_.function, shape, operands[2]);
      const uint32_t behind = range.first + range.count;
      copy_parts(dst, operands[0], 0, range.first);
      copy_parts(dst + range.first, operands[1], 0, range.count);
      copy_parts(dst + behind, operands[0], behind, shape.parts - behind);
      return true;
    }
    case Op::shuffle_vector: {
      const uint32_t each = first.element(0).parts;
      for (uint32_t i = 0; i < shape.count; ++i) {
        const uint32_t lane = statement.attributes[i];
        const bool second = lane >= first.count;
        copy_parts(dst + i * each, operands[second ? 1 : 0],
                   (second ? lane - first.count : lane) * each, each);
      }
      return true;
    }
    case Op::bit_cast:
      cast_bits(statement, dst);
      return true;
    default:
      break;
  }
  if (shape.kind == Shape::Kind::vector) {
    for (lane_ = 0; lane_ < shape.parts; ++lane_) derive(statement, dst + lane_, index);
    lane_ = 0;
  } else {
    derive_long(statement, dst);
  }
  return true;
}

// Both are a row of bits, cut into parts differently.
void StatementCompiler::cast_bits(const Statement& statement, uint32_t dst) {
  const std::vector<Part>& from = code_.parts(statement.operands[0]);
  const std::vector<Part>& to = code_.kept.parts(statement.type);
  for (uint32_t t = 0; t < to.size(); ++t) {
    const uint32_t begin = to[t].bit, end = begin + to[t].type.bits;
    bool fresh = true;
    for (uint32_t f = 0; f < from.size(); ++f) {
      const uint32_t first = from[f].bit, behind = first + from[f].type.bits;
      if (behind <= begin || first >= end) continue;
      const uint32_t slot = use(statement.operands[0], f);
      const uint32_t bits = std::min(end, behind) - std::max(begin, first);
      // Only the first one of several begins in the middle.
      if (fresh)
        emit(Micro::shift_out, dst + t, slot, 0, distance(begin - first, 64 - bits));
      else
        emit(Micro::shift_in, dst + t, dst + t, slot,
             distance(first - begin, 64u - to[t].type.bits));
      fresh = false;
    }
  }
}

void StatementCompiler::derive_long(const Statement& statement, uint32_t dst) {
  const auto& operands = statement.operands;
  const std::vector<Part>& to = code_.kept.parts(statement.type);
  const std::vector<Part>& from = code_.parts(operands[0]);
  const unsigned top = 64u - to.back().type.bits;  // the gap of the last part
  const uint32_t scratch = code_.first_scratch;
  const auto a = [&](uint32_t part) { return use(operands[0], part); };
  const auto b = [&](uint32_t part) { return use(operands[1], part); };
  switch (statement.op) {
    case Op::and_:
    case Op::or_:
    case Op::xor_:
      for (uint32_t p = 0; p < to.size(); ++p)
        emit(statement.op == Op::and_  ? Micro::bit_and
             : statement.op == Op::or_ ? Micro::bit_or
                                       : Micro::bit_xor,
             dst + p, a(p), b(p));
      return;
    case Op::trunc:
    case Op::zext:
      for (uint32_t p = 0; p < to.size(); ++p) {
        if (p < from.size())
          emit(Micro::trunc, dst + p, a(p), 0, 64u - to[p].type.bits);
        else
          clear(dst + p, a(0));
      }
      return;
    case Op::sext: {
      const unsigned gap = 64u - from[0].type.bits;
      emit(Micro::sext, dst, a(0), 0, gap);
      emit(Micro::shift_out_signed, dst + 1, dst, 0, distance(63, top));
      return;
    }
    case Op::add:
      emit(Micro::add64, dst, a(0), b(0));
      emit(Micro::uless, dst + 1, dst, a(0));
      emit(Micro::add64, scratch, a(1), b(1));
      return emit(Micro::add, dst + 1, dst + 1, scratch, top);
    case Op::sub:
      emit(Micro::uless, dst + 1, a(0), b(0));
      emit(Micro::sub64, dst, a(0), b(0));
      emit(Micro::sub64, scratch, a(1), b(1));
      return emit(Micro::sub, dst + 1, scratch, dst + 1, top);
    case Op::mul:
      emit(Micro::mul64, dst, a(0), b(0));
      emit(Micro::mul_high, dst + 1, a(0), b(0));
      emit(Micro::mul64, scratch, a(0), b(1));
      emit(Micro::add64, dst + 1, dst + 1, scratch);
      emit(Micro::mul64, scratch, a(1), b(0));
      return emit(Micro::add, dst + 1, dst + 1, scratch, top);
    case Op::shl:
    case Op::lshr:
    case Op::ashr:
      return shift_long(statement, dst);
    case Op::icmp:
      return compare_long(statement, dst);
    default:
      return;
  }
}

// Two parts, by a constant.
void StatementCompiler::shift_long(const Statement& statement, uint32_t dst) {
  const uint64_t by = low_number(code_.function.constants[statement.operands[1].index]);
  const Part& last = code_.kept.parts(statement.type).back();
  const unsigned top = 64u - last.type.bits;
  if (by >= uint64_t{last.bit} + last.type.bits) return;
  const bool far = by >= 64;
  const uint64_t rest = by & 63;
  const uint32_t low = use(statement.operands[0], 0);
  uint32_t high = use(statement.operands[0], 1);
  if (statement.op == Op::shl) {
    clear(dst, low);
    if (!far) emit(Micro::shift_in, dst, dst, low, distance(rest, 0));
    if (far || rest == 0)
      clear(dst + 1, low);
    else
      emit(Micro::shift_out, dst + 1, low, 0, distance(64 - rest, 0));
    return emit(Micro::shift_in, dst + 1, dst + 1, far ? low : high, distance(rest, top));
  }
  const bool is_signed = statement.op == Op::ashr;
  if (is_signed) {
    emit(Micro::sext, code_.first_scratch, high, 0, top);
    high = code_.first_scratch;
  }
  const Micro out = is_signed ? Micro::shift_out_signed : Micro::shift_out;
  if (far) {
    emit(out, dst, high, 0, distance(rest, 0));
  } else {
    emit(Micro::shift_out, dst, low, 0, distance(rest, 0));
    if (rest != 0) emit(Micro::shift_in, dst, dst, high, distance(64 - rest, 0));
  }
  if (!far) return emit(out, dst + 1, high, 0, distance(rest, top));
  if (is_signed) return emit(out, dst + 1, high, 0, distance(63, top));
  clear(dst + 1, high);
}

// Two parts.
void StatementCompiler::compare_long(const Statement& statement, uint32_t dst) {
  const uint32_t predicate = statement.attributes.empty() ? kNone : statement.attributes[0];
  if (predicate < 32 || predicate > 41) return;  // LLVM's numbers
  const auto& operands = statement.operands;
  const uint32_t scratch = code_.first_scratch;
  const bool greater = predicate >= 34 && (predicate - 34) % 4 < 2;
  const Operand& a = operands[greater ? 1 : 0];
  const Operand& b = operands[greater ? 0 : 1];
  const unsigned top = 64u - code_.parts(a).back().type.bits;
  if (predicate <= 33) {
    const Micro each = predicate == 32 ? Micro::equal : Micro::differ;
    emit(each, dst, use(a, 0), use(b, 0));
    emit(each, scratch, use(a, 1), use(b, 1));
    return emit(predicate == 32 ? Micro::bit_and : Micro::bit_or, dst, dst, scratch);
  }
  const bool or_equal = (predicate - 34) % 2 == 1;
  emit(or_equal ? Micro::uless_equal : Micro::uless, dst, use(a, 0), use(b, 0));
  emit(Micro::equal, scratch, use(a, 1), use(b, 1));
  emit(Micro::bit_and, dst, dst, scratch);
  emit(predicate >= 38 ? Micro::sless : Micro::uless, scratch, use(a, 1), use(b, 1), top);
  emit(Micro::bit_or, dst, dst, scratch);
}

}  // namespace vestige
