// Which values a full recording tells, and which follow from others. The pass and the evaluator
// both ask here, so they cannot disagree.
//
// A value is *simple* when it is an integer of at most 64 bits, a pointer, a float or a double. Only
// simple values are kept. Each statement with a simple result has a source:
//
//   derived    a pure function of simple operands that the evaluator implements
//   loaded     read from memory: told when it differs from what this thread last saw there
//   called     a call's result: the callee's returned value when that is known, otherwise told
//   beside     an alloca of fixed size in the first block, but the first of them: how far it is from
//              that one is told
//   told       anything else: told when it differs from the last time the same statement ran
//
// "Told when it differs": a thread has a *shadow*, kShadowBytes of bytes that start as zeros. A
// value of n bytes (1, 2, 4 or 8) at address A is looked up at shadow[A mod kShadowBytes … + n), which
// may run past the end. When the bytes there are not the value's, the value is
// recorded; either way they are the value's afterwards. Loads use their address. Other statements
// and arguments use the address 8 × (first path id of the function + index), where index is the
// statement's number, or for argument k the number of statements plus k. A store whose source is
// `derived` (value and address are simple) writes its bytes to the shadow; any other store, an atomic
// read-modify-write, and whatever unrecorded code does leave the shadow alone.
//
// memcpy, memmove and memset (the intrinsics, with simple operands) do to the shadow what they do to
// memory: of n bytes at most kShadowBytes, in pieces of kShadowPiece bytes (the last may be shorter),
// piece i at (A + i × kShadowPiece) mod kShadowBytes. A piece is read before it is written. The
// last piece goes first when the destination's place in the shadow is behind the source's.
//
// A path that ends with a synchronization operation (SegmentEnd::sync) is complete before that operation
// is done: what the operation reads is told at the beginning of the next path, like a call's result.
//
// The call edge. A thread has two words, `callee` and `ack`, 0 at first. Before a call (invoke, tail
// calls too; not for inline assembly and intrinsics) the caller sets callee to the address it calls
// and ack to 0. A function looks at its entry: when callee is its own address, its simple arguments
// are those the caller passed; otherwise each of them is told, in order. Then it sets callee to 0. Before it
// returns it sets ack to its own address. (A function with arguments that are copied on the way, byval, has
// the own address 0: it is never the one that was called.) When a call comes back and ack is the address that was called,
// a simple result is what the callee returned; otherwise it is told, and behind it the measures of the call, when it
// has any (program/library.h): as words of eight bytes with the indices behind the arguments, those of all calls in the
// order of the statements. Then ack is set to 0.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "vestige/program.h"

namespace vestige {

inline constexpr uint64_t kShadowBytes = 1 << 24;
inline constexpr uint64_t kShadowPiece = 64;
inline constexpr uint64_t kShadowSlack = kShadowPiece;  // what may lie past the end

struct SimpleType {
  enum class Kind : uint8_t { integer, pointer, single, twofold };  // the last two: float, double
  Kind kind = Kind::integer;
  uint8_t bits = 0;   // 1 … 64
  uint8_t bytes = 0;  // as stored: 1, 2, 4 or 8
};
// Of a type as the program table spells it; nothing when it is not simple.
std::optional<SimpleType> simple_type(std::string_view type);

enum class Source : uint8_t { none, derived, loaded, called, beside, told };

// The sources of a function's statements.
std::vector<Source> sources_of(const Function& function);

// The first alloca of fixed size in the first block; kNone when there is none.
uint32_t first_slot_of(const Function& function);

// Calls of intrinsics that the evaluator knows, by name without the "llvm." and the types behind it.
enum class KnownIntrinsic : uint8_t {
  other, umin, umax, smin, smax, abs, bswap, ctpop, ctlz, cttz, fshl, fshr, fabs, sqrt, copysign,
  expect, launder,
};
KnownIntrinsic intrinsic_of(std::string_view callee);
// What an intrinsic does to memory.
enum class MemoryWork : uint8_t { none, copy, fill };
MemoryWork memory_work_of(std::string_view callee);
// A call that cuts no path and runs no code of its own: an intrinsic or inline assembly.
bool is_inline_call(const Function& function, const Statement& statement);

}  // namespace vestige
