// Which values a full recording tells, and which follow from others. The pass and the evaluator
// both ask here, so they cannot disagree.
//
// A value is *simple* when it is an integer of at most 64 bits, a pointer, a float or a double.
// Other values, *wide* ones, are rows of simple parts (program/shape.h): at most Shape::kMostParts,
// and in a function with more than kMostFurtherParts of them, none. What is neither simple nor wide
// is not kept. Each statement with a result that is kept has a source, the same for all of its
// parts:
//
//   derived    a pure function of operands that are kept, which the evaluator implements
//   loaded     read from memory: told when it differs from what this thread last saw there
//   called     a call's result: the callee's returned value when that is known, otherwise told
//   beside     an alloca of fixed size in the first block, but the first of them: how far it is
//              from that one is told
//   told       anything else: told when it differs from the last time the same statement ran
//
// "Told when it differs": a thread has a *shadow*, kShadowBytes of bytes that start as zeros. A
// value of n bytes (1, 2, 4 or 8) at address A is looked up at shadow[A mod kShadowBytes … + n),
// which may run past the end. When the bytes there are not the value's, the value is recorded;
// either way they are the value's afterwards. Loads use their address. Other statements and
// arguments use the address 8 × (first path id of the function + index), where index is the
// statement's number, or for argument k the number of statements plus k. A store whose source is
// `derived` (value and address are kept) writes its bytes to the shadow; any other store, an atomic
// read-modify-write, and whatever unrecorded code does leave the shadow alone.
//
// The parts of a wide value are told one by one, in order, each when it differs. Its first part has
// the index that a simple value would have; the further ones have indices of their own behind those
// of the arguments, those of arguments first (PartIndices). A wide value that is loaded or stored
// is *in memory* when each part has bytes of its own (a vector of i1 has not) and all of them lie
// within kShadowPiece bytes: then the part at byte o is looked up at
// shadow[A mod kShadowBytes + o]. Loads of other wide values are told; such stores leave the shadow
// alone.
//
// memcpy, memmove and memset (the intrinsics, with simple operands) do to the shadow what they do
// to memory: of n bytes at most kShadowBytes, in pieces of kShadowPiece bytes (the last may be
// shorter), piece i at (A + i × kShadowPiece) mod kShadowBytes. A piece is read before it is
// written. The last piece goes first when the destination's place in the shadow is behind the
// source's.
//
// A path that ends with a synchronization operation (SegmentEnd::sync) is complete before that
// operation is done: what the operation reads is told at the beginning of the next path, like a
// call's result.
//
// Rounding. What floating point gives depends on the thread's MXCSR: which way it rounds, whether
// what is too small for a normal number is taken, or given, as zero (kRoundingBits). A thread
// starts with all of them clear. They are looked at where unrecorded code calls or comes back,
// library functions that leave them alone excepted, and behind an instruction that sets them; when
// they changed, that is told before anything else of the path. Such an instruction ends its path,
// like a call.
//
// The call edge. A thread has two words, `callee` and `ack`, 0 at first. Before a call (invoke,
// tail calls too; not for inline assembly and intrinsics) the caller sets callee to the address it
// calls and ack to 0. A function looks at its entry: when callee is its own address, the arguments
// that are kept are those the caller passed; otherwise each of them is told, in order. Then it sets
// callee to 0. Before it returns it sets ack to its own address. (A function with arguments that
// are copied on the way, byval, has the own address 0: it is never the one that was called.) When a
// call comes back and ack is the address that was called, a result that is kept is what the callee
// returned; otherwise it is told, and behind it the measures of the call, when it has any
// (program/library.h): as words of eight bytes with the indices behind all parts, those of all
// calls in the order of the statements. Then ack is set to 0.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "program/shape.h"
#include "program/told_value.h"
#include "vestige/program.h"

namespace vestige {

inline constexpr uint64_t kShadowBytes = 1 << 24;
inline constexpr uint64_t kShadowPiece = 64;
inline constexpr uint64_t kShadowSlack = kShadowPiece;  // what may lie past the end

inline constexpr uint64_t kMostFurtherParts = 1 << 20;

// What is kept of values, by type of a function.
class KeptTypes {
 public:
  explicit KeptTypes(const Function& function);
  const Shape& shape(uint32_t type) const { return all_[type].shape; }
  const std::vector<Part>& parts(uint32_t type) const { return all_[type].parts; }
  bool kept(uint32_t type) const { return !parts(type).empty(); }
  bool simple(uint32_t type) const { return shape(type).kind == Shape::Kind::simple; }
  // Parts of such values have bytes of their own in the shadow of memory.
  bool in_memory(uint32_t type) const {
    return shape(type).in_memory &&
           parts(type).back().offset + parts(type).back().type.bytes <= kShadowPiece;
  }

 private:
  struct Kept {
    Shape shape;
    std::vector<Part> parts;  // none: not kept
  };
  std::vector<Kept> all_;
};

// The indices of parts behind the first: part p of argument k has arguments[k] + p, of statement i
// statements[i] + p.
struct PartIndices {
  PartIndices(const Function& function, const KeptTypes& types);
  std::vector<uint32_t> arguments, statements;
  uint32_t end = 0;  // behind all of them
};

// The type of an operand, kNone when it has none: a block, or nothing.
uint32_t type_of(const Function& function, const Operand& operand);
// Where among the parts of the whole those of the element are that extract_value or insert_value
// names.
struct PartRange {
  uint32_t first = 0, count = 0;  // count 0: there is no such element
};
PartRange element_range(const Shape& whole, std::span<const uint32_t> indices);
// Of a vector's element that an operand names; count 0 when that is no constant within it.
PartRange lane_range(const Function& function, const Shape& vector, const Operand& index);

enum class Source : uint8_t { none, derived, loaded, called, beside, told };

// The sources of a function's statements.
std::vector<Source> sources_of(const Function& function, const KeptTypes& types);
std::vector<Source> sources_of(const Function& function);

// The first alloca of fixed size in the first block; kNone when there is none.
uint32_t first_slot_of(const Function& function);

// Calls of intrinsics that the evaluator knows, by name without "llvm." and the types behind it.
enum class KnownIntrinsic : uint8_t {
  other,
  umin,
  umax,
  smin,
  smax,
  abs,
  bswap,
  ctpop,
  ctlz,
  cttz,
  fshl,
  fshr,
  fabs,
  sqrt,
  copysign,
  expect,
  launder,
};
KnownIntrinsic intrinsic_of(std::string_view callee);
// What an intrinsic does to memory.
enum class MemoryWork : uint8_t { none, copy, fill };
MemoryWork memory_work_of(std::string_view callee);
// Whether it gives a number, an address or a choice of them from its operands and does nothing
// else; floating-point arithmetic apart.
bool only_computes(Op op);
// Conversions of floats and doubles to integers of so many bits. They are done as conversions to
// signed numbers of 32 or 64 bits, of which the lower bits are taken; what does not fit gives the
// least of these numbers, a NaN as well (cvttsd2si and its like, which the pass asks for by name).
// 0: it is not among them, and told.
unsigned conversion_width(Op op, unsigned bits);
// A call that runs no code of its own: an intrinsic (__builtin_setjmp and its longjmp excepted) or
// inline assembly.
bool is_inline_call(const Function& function, const Statement& statement);

}  // namespace vestige
