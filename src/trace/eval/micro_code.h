// The micro-code that paths are compiled into.
//
// A path is a row of cells of 16 bytes. Operands are slots of the activation's frame; constants
// have slots too (they are copied in when an activation begins), so no operation has variants by
// where its operands come from. Each operation is a function that ends in a tail call of the next
// one: everything the loop needs stays in registers.
//
// There are two tables of these functions. The *exact* one assumes that every value is known. The
// *tracked* one keeps a byte per slot that says so, for frames that recording did not see begin,
// and for what follows from them. Both exist once more for the making of keyframes: they note which
// bytes of the shadow are touched first (first_touches.h).
#pragma once

#include <cstdint>

namespace vestige {

// clang-format off
// Operations on one and two values: name in arithmetic.h.
#define VESTIGE_UNARY_OPS(X)                                                                  \
  X(copy) X(trunc32) X(trunc) X(sext) X(sext32to64) X(abs_) X(bswap) X(ctpop) X(ctlz)         \
  X(cttz) X(fneg) X(fabs_) X(fsqrt32) X(fsqrt64) X(widen) X(narrow) X(signed_to32)            \
  X(signed_to64) X(unsigned_to32) X(unsigned_to64) X(whole32) X(whole64) X(shift_out)         \
  X(shift_out_signed)
#define VESTIGE_BINARY_OPS(X)                                                                 \
  X(add64) X(add32) X(add) X(sub64) X(sub32) X(sub) X(mul64) X(mul32) X(mul) X(shl) X(lshr)   \
  X(ashr) X(bit_and) X(bit_or) X(bit_xor) X(umin) X(umax) X(smin) X(smax) X(equal) X(differ)  \
  X(uless) X(uless_equal) X(sless) X(sless_equal) X(fadd32) X(fadd64) X(fsub32) X(fsub64)     \
  X(fmul32) X(fmul64) X(fdiv32) X(fdiv64) X(copysign_) X(fcmp32) X(fcmp64) X(element)         \
  X(shift_in) X(mul_high)
// The statement is in the cell behind, for reports.
#define VESTIGE_DIVISION_OPS(X) X(udiv) X(sdiv) X(urem) X(srem)
// The third operand is in the cell behind.
#define VESTIGE_TERNARY_OPS(X) X(select) X(fshl) X(fshr)

enum class Micro : uint16_t {
#define VESTIGE_NAME(name) name,
  VESTIGE_UNARY_OPS(VESTIGE_NAME) VESTIGE_BINARY_OPS(VESTIGE_NAME)
  VESTIGE_DIVISION_OPS(VESTIGE_NAME) VESTIGE_TERNARY_OPS(VESTIGE_NAME)
#undef VESTIGE_NAME
  offset,         // dst = a + b as a signed number
  element_wide,   // dst = a + signed(b, aux) × scale + offset; Cell::Wide behind
  unknown,        // dst is not known
  load1, load2, load4, load8,   // dst = at address a; b: statement; aux: gap
  told1, told2, told4, told8,   // dst = told at shadow address a; b: statement; aux: gap
  store1, store2, store4, store8,  // value a to address b
  // Parts of wide values: the same, some bytes behind the address. aux: 64 × that, and the gap.
  load_part1, load_part2, load_part4, load_part8,
  store_part1, store_part2, store_part4, store_part8,
  copy_memory,    // dst bytes to address a from address b
  fill_memory,    // dst bytes at address a with b
  check_branch,   // condition a must be aux; b: statement
  check_switch,   // value a must lead to block dst; b: statement
  pass,           // argument number dst of the coming call is a
  call,           // calls address a; dst: its signature
  give,           // returns a; aux: kind of its type
  give_nothing,
  give_part,      // returns a as part dst
  give_wide,      // the parts are given; dst: their signature
  // aux 1: the statement belongs to the activation's path before
  observe_value,   // a; b: statement
  observe_access,  // value a (or kNone) at address dst; b: statement
  observe_wide,    // parts from slot a on (or kNone) at address dst (or kNone); b: statement;
                   // aux: and 2 × how many
  observe_work,    // memory intrinsic: from a (or kNone) to address dst; b: statement;
                   // length: a of the cell behind; aux: kShowsFill: it fills with a
  observe_binding,  // operand a (or kNone); dst: parts of it, 0: simple; b: binding;
                    // aux: which operand, kLastOperand added
  jump,            // a cells further
  end,
  count_
};

// clang-format on

inline constexpr uint16_t kLastOperand = 0x8000;
inline constexpr uint16_t kShowsFill = 1;

struct Cell {
  uint16_t micro = 0;
  uint16_t aux = 0;
  uint32_t dst = 0, a = 0, b = 0;
  // The second cell of element_wide.
  struct Wide {
    uint64_t scale = 0, offset = 0;
  };
};
static_assert(sizeof(Cell) == 16 && sizeof(Cell::Wide) == 16);

}  // namespace vestige
