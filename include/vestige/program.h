// The static program: what the compiler knew about the recorded code.
//
// A trace is this table labelled with streams. It is read from the trace (which carries a copy)
// and never changes. All indices are local to the function unless a comment says otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vestige {

inline constexpr uint32_t kNone = UINT32_MAX;

// What a statement does. The values are on disk (docs/format.md): append, never renumber.
enum class Op : uint8_t {
  unknown = 0,
  // terminators
  ret = 1, br = 2, switch_ = 3, indirect_br = 4, invoke = 5, resume = 6, unreachable = 7,
  call_br = 8,
  // integer and floating-point arithmetic
  add = 16, fadd, sub, fsub, mul, fmul, udiv, sdiv, fdiv, urem, srem, frem,
  shl, lshr, ashr, and_, or_, xor_, fneg,
  // memory
  alloca_ = 48, load, store, get_element_ptr, fence, cmpxchg, atomic_rmw,
  // conversions
  trunc = 64, zext, sext, fp_to_ui, fp_to_si, ui_to_fp, si_to_fp, fp_trunc, fp_ext,
  ptr_to_int, int_to_ptr, bit_cast, addr_space_cast,
  // the rest
  icmp = 96, fcmp, phi, call, select, va_arg, extract_element, insert_element, shuffle_vector,
  extract_value, insert_value, landing_pad, freeze,
};

std::string_view op_name(Op op);

// An operand of a statement: a number into the table its kind names.
struct Operand {
  enum class Kind : uint8_t {
    statement = 0,  // Function::statements
    argument = 1,   // Function::arguments
    constant = 2,   // Function::constants
    block = 3,      // Function::blocks
    none = 4,       // metadata, inline assembly text and other things without a run-time value
  };
  Kind kind = Kind::none;
  uint32_t index = 0;
  bool operator==(const Operand&) const = default;
};

// A constant operand. `bytes` holds integers and floating-point bit patterns little-endian, in
// as many bytes as the type needs; the other kinds use `symbol`, `offset` and `parts`.
struct Constant {
  enum class Kind : uint8_t {
    integer = 0,
    floating = 1,
    null = 2,
    undefined = 3,   // undef and poison
    symbol = 4,      // the address of a global or function: symbols[symbol] + offset
    aggregate = 5,   // parts, in order
    zero = 6,        // an all-zero aggregate
    expression = 7,  // op applied to parts
    opaque = 8,      // something the table does not describe further
  };
  Kind kind = Kind::opaque;
  uint32_t type = 0;
  std::vector<uint8_t> bytes;
  uint32_t symbol = kNone;
  int64_t offset = 0;
  Op op = Op::unknown;
  std::vector<uint32_t> parts;  // Function::constants
};

// A source position, with the chain of call sites it was inlined through.
struct Location {
  uint32_t file = kNone;        // Function::files
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t scope = kNone;       // Function::scopes: the function the line was written in
  uint32_t inlined_at = kNone;  // Function::locations: the call site, or kNone
};

struct Statement {
  Op op = Op::unknown;
  bool pseudo = false;    // phi, debug and lifetime intrinsics: not counted as statements
  uint32_t block = 0;     // Function::blocks
  uint32_t type = 0;      // Function::types: of the result
  uint32_t location = kNone;
  uint32_t callee = kNone;  // Function::symbols: the function called, when it is known
  // Op-specific numbers, in the order docs/format.md lists for each op (compare predicate,
  // alignment, atomic ordering, alloca and GEP element type, case count, indices …).
  std::vector<uint32_t> attributes;
  std::vector<Operand> operands;
};

struct Block {
  uint32_t first_statement = 0;
  uint32_t statement_count = 0;
  uint32_t loop = kNone;                // Function::loops: the innermost one around it
  std::vector<uint32_t> successors;     // Function::blocks, in the terminator's order
  std::vector<uint32_t> control_parents;  // blocks whose branch decides whether this one runs
};

struct Loop {
  uint32_t header = 0;      // Function::blocks
  uint32_t parent = kNone;  // Function::loops
};

// A piece of a block that runs without interruption: blocks are cut behind calls and
// synchronization operations. Segments are the nodes of the Ball–Larus path graph.
enum class SegmentEnd : uint8_t {
  branch = 0,       // goes on along one of its edges
  call = 1,         // a call that may run recorded code; edges say where it may come back
  tail_call = 2,    // a call in tail position: the activation ends with it
  ret = 3,          // the activation ends
  sync = 4,         // an atomic operation or fence; goes on at its only edge
  unwind = 5,       // resume: the activation ends by an exception
  stop = 6,         // unreachable code follows
  indirect = 7,     // indirectbr, callbr: the next path tells which edge was taken
};

enum class SegmentStart : uint8_t {
  none = 0,    // paths only run through it
  entry = 1,   // the function's first segment: a path that starts here begins an activation
  resume = 2,  // continues its block in the middle, behind a call or synchronization operation
  block = 3,   // begins a block: a loop header, or a place where a path had to be cut
  pad = 4,     // begins a block entered by an exception
};

struct SegmentEdge {
  uint32_t target = 0;  // Function::segments
  bool cut = false;     // the path ends on this edge, and the next one starts at the target
};

struct Segment {
  uint32_t block = 0;
  uint32_t first_statement = 0;  // Function::statements
  uint32_t statement_count = 0;
  SegmentStart start = SegmentStart::none;
  SegmentEnd end = SegmentEnd::branch;
  std::vector<SegmentEdge> edges;
};

struct Function {
  std::string name;       // as the linker knows it
  uint32_t file = kNone;  // Function::files
  uint32_t line = 0;
  std::string unit;       // the translation unit
  std::vector<std::string> files, scopes, types, symbols;
  std::vector<uint32_t> arguments;  // Function::types
  std::vector<Constant> constants;
  std::vector<Location> locations;
  std::vector<Block> blocks;
  std::vector<Statement> statements;
  std::vector<Loop> loops;
  std::vector<Segment> segments;
  uint64_t path_count = 0;  // path numbers are 0 … path_count-1

  // Where the trace put it; filled by the reader.
  uint32_t module = 0;            // index among the trace's modules
  uint32_t first_path = 0;        // path id of path number 0
  uint32_t first_statement = 0;   // statement id (#ID) of statement 0
};

}  // namespace vestige
