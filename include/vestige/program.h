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

#include "vestige/api.h"
#include "vestige/detail/inlined_vector.h"

VESTIGE_API_BEGIN
namespace vestige {

inline constexpr uint32_t kNone = UINT32_MAX;

// What a statement does. The values are on disk (docs/format.md): append, never renumber.
// clang-format off
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
// clang-format on

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
  uint32_t file = kNone;  // Function::files
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t scope = kNone;       // Function::scopes: the function the line was written in
  uint32_t inlined_at = kNone;  // Function::locations: the call site, or kNone
};

struct Statement {
  Op op = Op::unknown;
  bool pseudo = false;  // phi, debug and lifetime intrinsics: not counted as statements
  uint32_t block = 0;   // Function::blocks
  uint32_t type = 0;    // Function::types: of the result
  uint32_t location = kNone;
  uint32_t callee = kNone;  // Function::symbols: the function called, when it is known
  // Op-specific numbers, in the order docs/format.md lists for each op (compare predicate,
  // alignment, atomic ordering, alloca and GEP element type, case count, indices …).
  InlinedVector<uint32_t, 4> attributes;
  InlinedVector<Operand, 3> operands;
};

struct Block {
  uint32_t first_statement = 0;
  uint32_t statement_count = 0;
  uint32_t loop = kNone;  // Function::loops: the innermost one around it
  // In a loop that never ends: the block that begins a round, when every round runs this one and
  // it has control parents in the loop. Once that block ran again they decide no more. Not on disk.
  uint32_t round = kNone;
  InlinedVector<uint32_t, 2> successors;       // Function::blocks, in the terminator's order
  InlinedVector<uint32_t, 2> control_parents;  // blocks whose branch decides whether this one runs
};

struct Loop {
  uint32_t header = 0;      // Function::blocks
  uint32_t parent = kNone;  // Function::loops
};

// A piece of a block that runs without interruption: blocks are cut behind calls and
// synchronization operations. Segments are the nodes of the Ball–Larus path graph.
enum class SegmentEnd : uint8_t {
  branch = 0,     // goes on along one of its edges
  call = 1,       // a call that may run recorded code; edges say where it may come back
  tail_call = 2,  // a call in tail position: the activation ends with it
  ret = 3,        // the activation ends
  sync = 4,       // an atomic operation or fence; goes on at its only edge
  unwind = 5,     // resume: the activation ends by an exception
  stop = 6,       // unreachable code follows
  indirect = 7,   // indirectbr, callbr: the next path tells which edge was taken
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
  InlinedVector<SegmentEdge, 2> edges = {};
};

// A type as the source spells it, with what it takes to show a value. The kinds are on disk.
struct SourceType {
  enum class Kind : uint8_t {
    opaque = 0,  // only its size is known
    signed_integer = 1,
    unsigned_integer = 2,
    boolean = 3,
    signed_character = 4,
    unsigned_character = 5,
    floating = 6,
    pointer = 7,  // and references
    enumeration = 8,
    record = 9,  // struct, class, union
    array = 10,
  };
  struct Member {
    std::string name;   // "<Base>" for a base class
    uint32_t type = 0;  // Function::source_types, of lower index
    uint64_t first_bit = 0;
    uint32_t bits = 0;  // of a bit-field; otherwise 0
  };
  struct Enumerator {
    std::string name;
    int64_t value = 0;
  };
  Kind kind = Kind::opaque;
  std::string name;
  uint64_t bytes = 0;
  uint32_t element = kNone;             // array: Function::source_types, of lower index
  std::vector<Member> members;          // record: none when there are too many
  std::vector<Enumerator> enumerators;  // enumeration: the same
};

// A variable of the source: a local or parameter of the function or of one inlined into it, or a
// global that the function names.
struct Variable {
  std::string name;
  uint32_t type = 0;          // Function::source_types
  uint32_t location = kNone;  // Function::locations: where it is declared, and its inlining chain
  uint32_t parameter = 0;     // from 1; 0: not a parameter
  uint32_t symbol = kNone;    // Function::symbols: a global lives there
  bool operator==(const Variable&) const = default;
};

// What a binding computes with: a run-time value, or a number the compiler knew.
struct BindingOperand {
  enum class Kind : uint8_t {
    statement = 0,  // Function::statements
    argument = 1,   // Function::arguments
    number = 2,     // bits of an integer, pointer, float or double
    symbol = 3,     // the address of Function::symbols[index], plus number
  };
  Kind kind = Kind::number;
  uint32_t index = 0;
  uint64_t number = 0;
  bool operator==(const BindingOperand&) const = default;
};

// One step of an expression on a stack of 64-bit words. The values are on disk.
struct BindingStep {
  // clang-format off
  enum class Kind : uint8_t {
    operand = 0,   // pushes Binding::operands[number]
    number = 1,    // pushes number
    add = 2, subtract = 3, multiply = 4, divide = 5, modulo = 6,
    and_ = 7, or_ = 8, xor_ = 9, shift_left = 10, shift_right = 11, shift_right_signed = 12,
    negate = 13, not_ = 14,
    sign_extend = 15, zero_extend = 16,  // from `number` bits
    equal = 17, differ = 18, less = 19, less_equal = 20, greater = 21, greater_equal = 22,
  };
  // clang-format on
  Kind kind = Kind::operand;
  uint64_t number = 0;
  bool operator==(const BindingStep&) const = default;
};

// From a place in the code on, a variable (or some bits of it) is this, whenever control passes
// there. Together they say where a variable is while the optimizer moves it about.
struct Binding {
  enum class Kind : uint8_t {
    value = 0,    // it has the expression's value, and is nowhere in memory
    memory = 1,   // it lives at the address that the expression gives
    behind = 2,   // the address where it lives is kept in memory, at the address of the expression
    content = 3,  // it lives in memory already and has the expression's value now
    lost = 4,     // the optimizer dropped it
    unknown = 5,  // the debug information says something that cannot be followed
    ended = 6,    // its life is over: the memory may serve others
  };
  uint32_t position = 0;  // before this statement (Function::statements)
  uint32_t variable = 0;  // Function::variables
  Kind kind = Kind::value;
  uint32_t first_bit = 0, bits = 0;  // a part of the variable; bits 0: all of it
  std::vector<BindingOperand> operands;
  std::vector<BindingStep> steps;  // empty: operand 0
};

// What a constant holds that the function copies into variables.
struct ConstantData {
  // Eight bytes that are an address, and what the loader puts there.
  struct Address {
    uint64_t offset = 0;      // in the data
    uint32_t symbol = kNone;  // Function::symbols; kNone: it is not known what is there
    int64_t plus = 0;
  };
  uint32_t symbol = 0;  // Function::symbols
  std::vector<uint8_t> bytes;
  std::vector<Address> addresses = {};
};

struct Function {
  std::string name;       // as the linker knows it
  uint32_t file = kNone;  // Function::files
  uint32_t line = 0;
  std::string unit;  // the translation unit
  std::vector<std::string> files, scopes, types, symbols;
  std::vector<uint32_t> arguments;  // Function::types
  std::vector<Constant> constants;
  std::vector<Location> locations;
  std::vector<Block> blocks;
  std::vector<Statement> statements;
  std::vector<Loop> loops;
  std::vector<Segment> segments;
  uint64_t path_count = 0;  // path numbers are 0 … path_count-1
  std::vector<SourceType> source_types;
  std::vector<Variable> variables;
  std::vector<Binding> bindings;  // by rising position; those of one position in order
  std::vector<ConstantData> data;
  static constexpr uint32_t kRecordVersion = 5;
  // The version by which it was compiled: older code tells other values.
  uint32_t record_version = kRecordVersion;

  // Where the trace put it; filled by the reader.
  uint32_t module = 0;           // index among the trace's modules
  uint32_t first_path = 0;       // path id of path number 0
  uint32_t first_statement = 0;  // statement id (#ID) of statement 0
};

}  // namespace vestige
VESTIGE_API_END
