// What each micro-operation computes. Values are zero-extended to 64 bits, floating-point numbers
// are bit patterns. `aux` is the operation's own number: mostly the *gap*, 64 minus the width of
// the type, so that a shift left and back by it truncates or sign-extends.
//
// Everything here is total. Where the recorded program cannot have been (a shift by the width or
// more, a division by zero) the result is 0; the caller reports those.
#pragma once

#include <bit>
#include <cstdint>

namespace vestige::arithmetic {

inline uint64_t low_bits(uint64_t v, unsigned gap) { return v << gap >> gap; }
inline int64_t as_signed(uint64_t v, unsigned gap) { return static_cast<int64_t>(v << gap) >> gap; }
inline unsigned gap_of(uint16_t aux) { return aux & 63; }

#define VESTIGE_OP(name, expression)                                             \
  struct name {                                                                  \
    static uint64_t of([[maybe_unused]] uint64_t a, [[maybe_unused]] uint64_t b, \
                       [[maybe_unused]] uint16_t aux) {                          \
      return expression;                                                         \
    }                                                                            \
  };

// Integers of any width; the 32- and 64-bit forms of what is frequent.
VESTIGE_OP(add64, a + b)
VESTIGE_OP(add32, static_cast<uint32_t>(a + b))
VESTIGE_OP(add, low_bits(a + b, gap_of(aux)))
VESTIGE_OP(sub64, a - b)
VESTIGE_OP(sub32, static_cast<uint32_t>(a - b))
VESTIGE_OP(sub, low_bits(a - b, gap_of(aux)))
VESTIGE_OP(mul64, a* b)
VESTIGE_OP(mul32, static_cast<uint32_t>(a* b))
VESTIGE_OP(mul, low_bits(a* b, gap_of(aux)))
VESTIGE_OP(shl, b < 64u - gap_of(aux) ? low_bits(a << b, gap_of(aux)) : 0)
VESTIGE_OP(lshr, b < 64 ? a >> b : 0)
VESTIGE_OP(ashr, b < 64
                     ? low_bits(static_cast<uint64_t>(as_signed(a, gap_of(aux)) >> b), gap_of(aux))
                     : 0)
VESTIGE_OP(bit_and, a& b)
VESTIGE_OP(bit_or, a | b)
VESTIGE_OP(bit_xor, a ^ b)
VESTIGE_OP(umin, a < b ? a : b)
VESTIGE_OP(umax, a > b ? a : b)
VESTIGE_OP(smin, as_signed(a, gap_of(aux)) < as_signed(b, gap_of(aux)) ? a : b)
VESTIGE_OP(smax, as_signed(a, gap_of(aux)) > as_signed(b, gap_of(aux)) ? a : b)

// Comparisons. Greater is less with the operands exchanged.
VESTIGE_OP(equal, a == b)
VESTIGE_OP(differ, a != b)
VESTIGE_OP(uless, a < b)
VESTIGE_OP(uless_equal, a <= b)
VESTIGE_OP(sless, as_signed(a, gap_of(aux)) < as_signed(b, gap_of(aux)))
VESTIGE_OP(sless_equal, as_signed(a, gap_of(aux)) <= as_signed(b, gap_of(aux)))

// Conversions and other operations on one value.
VESTIGE_OP(copy, a)
VESTIGE_OP(trunc32, static_cast<uint32_t>(a))
VESTIGE_OP(trunc, low_bits(a, gap_of(aux)))
// aux: gap of the operand, and 64 × gap of the result.
VESTIGE_OP(sext, low_bits(static_cast<uint64_t>(as_signed(a, gap_of(aux))), aux >> 6 & 63))
VESTIGE_OP(sext32to64, static_cast<uint64_t>(int64_t{static_cast<int32_t>(a)}))
VESTIGE_OP(abs_, as_signed(a, gap_of(aux)) < 0 ? low_bits(0 - a, gap_of(aux)) : a)
VESTIGE_OP(bswap, __builtin_bswap64(a) >> gap_of(aux))
VESTIGE_OP(ctpop, static_cast<uint64_t>(std::popcount(a)))
VESTIGE_OP(ctlz, static_cast<uint64_t>(std::countl_zero(a)) - gap_of(aux))
VESTIGE_OP(cttz, a == 0 ? 64 - gap_of(aux) : static_cast<uint64_t>(std::countr_zero(a)))

// Pieces of longer values. aux: a distance, and 64 × the gap of the result.
inline unsigned second_gap(uint16_t aux) { return aux >> 6 & 63; }
VESTIGE_OP(shift_out, low_bits(a >> gap_of(aux), second_gap(aux)))
VESTIGE_OP(shift_out_signed,
           low_bits(static_cast<uint64_t>(static_cast<int64_t>(a) >> gap_of(aux)), second_gap(aux)))
VESTIGE_OP(shift_in, low_bits(a | b << gap_of(aux), second_gap(aux)))
VESTIGE_OP(mul_high, static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64))

#undef VESTIGE_OP

inline float float32_of(uint64_t v) { return std::bit_cast<float>(static_cast<uint32_t>(v)); }
inline double float64_of(uint64_t v) { return std::bit_cast<double>(v); }
inline uint64_t bits(float v) { return std::bit_cast<uint32_t>(v); }
inline uint64_t bits(double v) { return std::bit_cast<uint64_t>(v); }

#define VESTIGE_FLOAT(name, expression)                                                   \
  struct name##32 {static uint64_t of(uint64_t a, [[maybe_unused]] uint64_t b, uint16_t){ \
      [[maybe_unused]] const float x = float32_of(a), y = float32_of(b);                  \
  return bits(expression);                                                                \
  }                                                                                       \
  }                                                                                       \
  ;                                                                                       \
  struct name##64 {static uint64_t of(uint64_t a, [[maybe_unused]] uint64_t b, uint16_t){ \
      [[maybe_unused]] const double x = float64_of(a), y = float64_of(b);                 \
  return bits(expression);                                                                \
  }                                                                                       \
  }                                                                                       \
  ;
VESTIGE_FLOAT(fadd, x + y)
VESTIGE_FLOAT(fsub, x - y)
VESTIGE_FLOAT(fmul, x* y)
VESTIGE_FLOAT(fdiv, x / y)
// The instruction itself: sqrt() of libm may differ in the sign of a NaN.
VESTIGE_FLOAT(fsqrt, __builtin_elementwise_sqrt(x))
#undef VESTIGE_FLOAT

// Sign bits, without arithmetic: NaNs keep their payload. aux: the gap.
inline uint64_t sign_bit(uint16_t aux) { return uint64_t{1} << (63 - gap_of(aux)); }
struct fneg {
  static uint64_t of(uint64_t a, uint64_t, uint16_t aux) { return a ^ sign_bit(aux); }
};
struct fabs_ {
  static uint64_t of(uint64_t a, uint64_t, uint16_t aux) { return a & ~sign_bit(aux); }
};
struct copysign_ {
  static uint64_t of(uint64_t a, uint64_t b, uint16_t aux) {
    return (a & ~sign_bit(aux)) | (b & sign_bit(aux));
  }
};

// LLVM's predicates are sets: 1 equal, 2 greater, 4 less, 8 unordered. aux: the predicate.
template <class Float>
uint64_t compare(Float x, Float y, uint16_t aux) {
  const unsigned relation = x == y ? 1 : x > y ? 2 : x < y ? 4 : 8;
  return (aux & relation) != 0;
}
struct fcmp32 {
  static uint64_t of(uint64_t a, uint64_t b, uint16_t aux) {
    return compare(float32_of(a), float32_of(b), aux);
  }
};
struct fcmp64 {
  static uint64_t of(uint64_t a, uint64_t b, uint16_t aux) {
    return compare(float64_of(a), float64_of(b), aux);
  }
};
struct widen {
  static uint64_t of(uint64_t a, uint64_t, uint16_t) { return bits(double{float32_of(a)}); }
};
struct narrow {
  static uint64_t of(uint64_t a, uint64_t, uint16_t) {
    return bits(static_cast<float>(float64_of(a)));
  }
};
// aux: the gap of the integer.
struct signed_to32 {
  static uint64_t of(uint64_t a, uint64_t, uint16_t aux) {
    return bits(static_cast<float>(as_signed(a, gap_of(aux))));
  }
};
struct signed_to64 {
  static uint64_t of(uint64_t a, uint64_t, uint16_t aux) {
    return bits(static_cast<double>(as_signed(a, gap_of(aux))));
  }
};
struct unsigned_to32 {
  static uint64_t of(uint64_t a, uint64_t, uint16_t) { return bits(static_cast<float>(a)); }
};
struct unsigned_to64 {
  static uint64_t of(uint64_t a, uint64_t, uint16_t) { return bits(static_cast<double>(a)); }
};
// The whole number in a floating-point one, by a conversion to 32 or 64 bits (conversion_width).
// aux: the gap of the integer, and 64 when it is 64 bits.
inline uint64_t whole(double x, uint16_t aux) {
  const bool wide = aux >> 6 != 0;
  const double end = wide ? 0x1p63 : 0x1p31;
  const bool fits = wide ? x >= -end && x < end : x > -end - 1 && x < end;
  const int64_t number = fits ? static_cast<int64_t>(x) : wide ? INT64_MIN : INT32_MIN;
  return low_bits(static_cast<uint64_t>(number), gap_of(aux));
}
struct whole32 {
  static uint64_t of(uint64_t a, uint64_t, uint16_t aux) {
    return whole(double{float32_of(a)}, aux);
  }
};
struct whole64 {
  static uint64_t of(uint64_t a, uint64_t, uint16_t aux) { return whole(float64_of(a), aux); }
};

// Addresses. aux: the gap of the index, and 64 × the scale.
struct element {
  static uint64_t of(uint64_t a, uint64_t b, uint16_t aux) {
    return a + static_cast<uint64_t>(as_signed(b, gap_of(aux))) * (aux >> 6);
  }
};

// Division: gives false where there is no result.
struct udiv {
  static bool of(uint64_t a, uint64_t b, uint16_t, uint64_t& result) {
    if (b == 0) return false;
    result = a / b;
    return true;
  }
};
struct urem {
  static bool of(uint64_t a, uint64_t b, uint16_t, uint64_t& result) {
    if (b == 0) return false;
    result = a % b;
    return true;
  }
};
inline bool divides(int64_t a, int64_t b, unsigned gap) {
  return b != 0 && !(b == -1 && a == INT64_MIN >> gap);
}
struct sdiv {
  static bool of(uint64_t a, uint64_t b, uint16_t aux, uint64_t& result) {
    const unsigned gap = gap_of(aux);
    const int64_t x = as_signed(a, gap), y = as_signed(b, gap);
    if (!divides(x, y, gap)) return false;
    result = low_bits(static_cast<uint64_t>(x / y), gap);
    return true;
  }
};
struct srem {
  static bool of(uint64_t a, uint64_t b, uint16_t aux, uint64_t& result) {
    const unsigned gap = gap_of(aux);
    const int64_t x = as_signed(a, gap), y = as_signed(b, gap);
    if (!divides(x, y, gap)) return false;
    result = low_bits(static_cast<uint64_t>(x % y), gap);
    return true;
  }
};

// Three operands.
struct select {
  static uint64_t of(uint64_t a, uint64_t b, uint64_t c, uint16_t) { return a & 1 ? b : c; }
};
struct fshl {
  static uint64_t of(uint64_t a, uint64_t b, uint64_t c, uint16_t aux) {
    const unsigned gap = gap_of(aux), width = 64 - gap;
    const uint64_t by = c % width;
    return by == 0 ? a : low_bits(a << by | b >> (width - by), gap);
  }
};
struct fshr {
  static uint64_t of(uint64_t a, uint64_t b, uint64_t c, uint16_t aux) {
    const unsigned gap = gap_of(aux), width = 64 - gap;
    const uint64_t by = c % width;
    return by == 0 ? b : low_bits(a << (width - by) | b >> by, gap);
  }
};

}  // namespace vestige::arithmetic
