// What a statement computes, spelled out: wide integers, no tricks.
#include <emmintrin.h>

#include <bit>
#include <cmath>

#include "trace/eval/twin.h"

namespace vestige::sketch {

namespace {

using Wide = __int128;

struct Typed {
  uint64_t bits = 0;
  SimpleType type;
  Wide as_unsigned() const { return bits; }
  Wide as_signed() const {
    const Wide half = Wide{1} << (type.bits - 1);
    return bits >= static_cast<uint64_t>(half) ? Wide{bits} - 2 * half : Wide{bits};
  }
  float single() const { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
  double twofold() const { return std::bit_cast<double>(bits); }
  bool is_single() const { return type.kind == SimpleType::Kind::float32; }
};

uint64_t wrap(Wide value, unsigned bits) {
  const Wide modulus = Wide{1} << bits;
  Wide rest = value % modulus;
  if (rest < 0) rest += modulus;
  return static_cast<uint64_t>(rest);
}
uint64_t pattern(float v) { return std::bit_cast<uint32_t>(v); }
uint64_t pattern(double v) { return std::bit_cast<uint64_t>(v); }

template <class Float>
uint64_t float_op(Op op, Float a, Float b) {
  switch (op) {
    case Op::fadd:
      return pattern(a + b);
    case Op::fsub:
      return pattern(a - b);
    case Op::fmul:
      return pattern(a * b);
    default:
      return pattern(a / b);
  }
}
template <class Float>
bool float_compare(uint32_t predicate, Float a, Float b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
    case 0:
      return false;
    case 1:
      return !unordered && a == b;
    case 2:
      return !unordered && a > b;
    case 3:
      return !unordered && a >= b;
    case 4:
      return !unordered && a < b;
    case 5:
      return !unordered && a <= b;
    case 6:
      return !unordered && a != b;
    case 7:
      return !unordered;
    case 8:
      return unordered;
    case 9:
      return unordered || a == b;
    case 10:
      return unordered || a > b;
    case 11:
      return unordered || a >= b;
    case 12:
      return unordered || a < b;
    case 13:
      return unordered || a <= b;
    case 14:
      return unordered || a != b;
    default:
      return true;
  }
}
bool integer_compare(uint32_t predicate, const Typed& a, const Typed& b) {
  switch (predicate) {
    case 32:
      return a.bits == b.bits;
    case 33:
      return a.bits != b.bits;
    case 34:
      return a.as_unsigned() > b.as_unsigned();
    case 35:
      return a.as_unsigned() >= b.as_unsigned();
    case 36:
      return a.as_unsigned() < b.as_unsigned();
    case 37:
      return a.as_unsigned() <= b.as_unsigned();
    case 38:
      return a.as_signed() > b.as_signed();
    case 39:
      return a.as_signed() >= b.as_signed();
    case 40:
      return a.as_signed() < b.as_signed();
    default:
      return a.as_signed() <= b.as_signed();
  }
}

uint64_t intrinsic(KnownIntrinsic which, const std::vector<Typed>& v, const SimpleType& type) {
  const Typed& a = v[0];
  const unsigned bits = type.bits;
  const auto bit = [&](uint64_t of, unsigned at) { return (of >> at) & 1; };
  switch (which) {
    case KnownIntrinsic::umin:
      return a.bits < v[1].bits ? a.bits : v[1].bits;
    case KnownIntrinsic::umax:
      return a.bits > v[1].bits ? a.bits : v[1].bits;
    case KnownIntrinsic::smin:
      return a.as_signed() < v[1].as_signed() ? a.bits : v[1].bits;
    case KnownIntrinsic::smax:
      return a.as_signed() > v[1].as_signed() ? a.bits : v[1].bits;
    case KnownIntrinsic::abs:
      return wrap(a.as_signed() < 0 ? -a.as_signed() : a.as_signed(), bits);
    case KnownIntrinsic::bswap: {
      uint64_t result = 0;
      for (unsigned i = 0; i < bits; i += 8) result |= (a.bits >> i & 255) << (bits - 8 - i);
      return result;
    }
    case KnownIntrinsic::ctpop: {
      uint64_t count = 0;
      for (unsigned i = 0; i < bits; ++i) count += bit(a.bits, i);
      return count;
    }
    case KnownIntrinsic::ctlz: {
      unsigned count = 0;
      while (count < bits && !bit(a.bits, bits - 1 - count)) ++count;
      return count;
    }
    case KnownIntrinsic::cttz: {
      unsigned count = 0;
      while (count < bits && !bit(a.bits, count)) ++count;
      return count;
    }
    case KnownIntrinsic::fshl:
    case KnownIntrinsic::fshr: {
      const Wide both = (Wide{a.bits} << bits) | Wide{v[1].bits};
      const unsigned by = static_cast<unsigned>(v[2].bits % bits);
      using UWide = unsigned __int128;
      const UWide whole = static_cast<UWide>(both);
      const UWide shifted = which == KnownIntrinsic::fshl ? (whole << by) >> bits : whole >> by;
      return static_cast<uint64_t>(shifted & ((UWide{1} << bits) - 1));
    }
    case KnownIntrinsic::fabs:
      return a.is_single() ? pattern(std::fabs(a.single())) : pattern(std::fabs(a.twofold()));
    case KnownIntrinsic::sqrt:
      return a.is_single() ? pattern(std::sqrt(a.single())) : pattern(std::sqrt(a.twofold()));
    case KnownIntrinsic::copysign:
      return a.is_single() ? pattern(std::copysign(a.single(), v[1].single()))
                           : pattern(std::copysign(a.twofold(), v[1].twofold()));
    default:
      return a.bits;
  }
}

}  // namespace

std::optional<uint64_t> compute(const Function& function, const Statement& statement,
                                const std::vector<uint64_t>& operands) {
  const auto result = simple_type(function.types[statement.type]);
  if (!result) return std::nullopt;
  std::vector<Typed> v;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand& operand = statement.operands[i];
    uint32_t type = 0;
    if (operand.kind == Operand::Kind::statement) type = function.statements[operand.index].type;
    if (operand.kind == Operand::Kind::argument) type = function.arguments[operand.index];
    if (operand.kind == Operand::Kind::constant) type = function.constants[operand.index].type;
    v.push_back({operands[i], simple_type(function.types[type]).value_or(SimpleType{})});
  }
  const unsigned bits = result->bits;
  const bool single = result->kind == SimpleType::Kind::float32;
  switch (statement.op) {
    case Op::add:
      return wrap(v[0].as_unsigned() + v[1].as_unsigned(), bits);
    case Op::sub:
      return wrap(v[0].as_unsigned() - v[1].as_unsigned(), bits);
    case Op::mul:
      return wrap(static_cast<Wide>(static_cast<uint64_t>(v[0].bits * v[1].bits)), bits);
    case Op::udiv:
      return wrap(v[0].as_unsigned() / v[1].as_unsigned(), bits);
    case Op::urem:
      return wrap(v[0].as_unsigned() % v[1].as_unsigned(), bits);
    case Op::sdiv:
      return wrap(v[0].as_signed() / v[1].as_signed(), bits);
    case Op::srem:
      return wrap(v[0].as_signed() % v[1].as_signed(), bits);
    case Op::shl:
      return wrap(static_cast<Wide>(v[0].bits << v[1].bits), bits);
    case Op::lshr:
      return v[0].bits >> v[1].bits;
    case Op::ashr:
      return wrap(v[0].as_signed() >> v[1].bits, bits);
    case Op::and_:
      return v[0].bits & v[1].bits;
    case Op::or_:
      return v[0].bits | v[1].bits;
    case Op::xor_:
      return v[0].bits ^ v[1].bits;
    case Op::fadd:
    case Op::fsub:
    case Op::fmul:
    case Op::fdiv:
      return single ? float_op(statement.op, v[0].single(), v[1].single())
                    : float_op(statement.op, v[0].twofold(), v[1].twofold());
    case Op::fneg:
      return single ? pattern(-v[0].single()) : pattern(-v[0].twofold());
    case Op::trunc:
    case Op::ptr_to_int:
      return wrap(v[0].as_unsigned(), bits);
    case Op::zext:
    case Op::int_to_ptr:
    case Op::bit_cast:
    case Op::freeze:
      return v[0].bits;
    case Op::sext:
      return wrap(v[0].as_signed(), bits);
    case Op::ui_to_fp:
      return single ? pattern(static_cast<float>(v[0].bits))
                    : pattern(static_cast<double>(v[0].bits));
    case Op::si_to_fp: {
      const auto number = static_cast<int64_t>(v[0].as_signed());
      return single ? pattern(static_cast<float>(number)) : pattern(static_cast<double>(number));
    }
    case Op::fp_to_si:
    case Op::fp_to_ui: {
      // The machine's own instructions.
      const double number = v[0].is_single() ? v[0].single() : v[0].twofold();
      const bool wide = statement.op == Op::fp_to_si ? bits == 64 : bits == 32;
      const __m128d row = _mm_set_sd(number);
      return wrap(wide ? _mm_cvttsd_si64(row) : _mm_cvttsd_si32(row), bits);
    }
    case Op::fp_ext:
      return pattern(static_cast<double>(v[0].single()));
    case Op::fp_trunc:
      return pattern(static_cast<float>(v[0].twofold()));
    case Op::icmp:
      return integer_compare(statement.attributes[0], v[0], v[1]);
    case Op::fcmp:
      return v[0].is_single()
                 ? float_compare(statement.attributes[0], v[0].single(), v[1].single())
                 : float_compare(statement.attributes[0], v[0].twofold(), v[1].twofold());
    case Op::select:
      return v[0].bits ? v[1].bits : v[2].bits;
    case Op::get_element_ptr: {
      const auto number = [&](size_t at) {
        return statement.attributes[at] | uint64_t{statement.attributes[at + 1]} << 32;
      };
      uint64_t address = v[0].bits + number(0);
      for (size_t i = 1; i < v.size(); ++i)
        address += static_cast<uint64_t>(v[i].as_signed()) * number(2 * i);
      return address;
    }
    case Op::call:
      return intrinsic(intrinsic_of(function.symbols[statement.callee]), v, *result);
    default:
      return std::nullopt;
  }
}

}  // namespace vestige::sketch
