// A function as the evaluator sees it: which slot of a frame holds what, and what its constants
// are in this process.
//
// A frame is a row of 64-bit slots: arguments, statements with values that are kept, constants, one
// slot that is never known, and scratch slots for phis that exchange values. A wide value has one
// slot for each of its parts, in a row.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "program/derive.h"
#include "program/library.h"
#include "program/numbering.h"
#include "trace/told/inputs.h"
#include "vestige/program.h"

namespace vestige {

// How a simple value, or a part of a wide one, travels between caller and callee, as a number:
// equal numbers travel alike. 0: not kept.
using ValueKind = uint16_t;
constexpr ValueKind value_kind(const SimpleType& type) {
  const bool floating =
      type.kind == SimpleType::Kind::float32 || type.kind == SimpleType::Kind::float64;
  return static_cast<ValueKind>(type.bits * 2 + (floating ? 1 : 0));
}
// Of a wide value; the first part has kFirstPart too.
inline constexpr ValueKind kWidePart = 0x8000;
inline constexpr ValueKind kFirstPart = 0x4000;
// Of all parts.
void add_kinds(const KeptTypes& kept, uint32_t type, std::vector<ValueKind>& kinds);

struct FunctionCode {
  // The function must outlive it. No addresses: none is known.
  FunctionCode(const Function& function, uint32_t index, const FunctionAddresses* addresses);
  // Gives it other addresses; frames that exist keep what they have.
  void move_to(const FunctionAddresses* addresses);

  const Function& function;
  uint32_t index;          // Trace::functions()
  bool own_known = false;  // what follows is what it says
  uint64_t own = 0;        // its address; 0: it never knows who called it
  KeptTypes kept;
  PartIndices part_indices;
  std::vector<SimpleType> types;  // Function::types; bits 0: not simple
  std::vector<Source> sources;    // Function::statements
  std::vector<uint32_t> argument_slots, statement_slots, constant_slots;  // kNone: not kept
  std::vector<ValueKind> argument_kinds;                                  // of all parts
  uint32_t end_of_arguments = 0;    // behind the indices of the arguments' parts
  uint32_t first_constant = 0;      // slot
  std::vector<uint64_t> constants;  // from that slot on; the last is the unknown one
  std::vector<uint8_t> constant_known;
  uint32_t unknown_slot = 0;
  uint32_t first_scratch = 0;
  uint32_t slot_count = 0;
  bool numbered = false;  // `numbering` is there
  Numbering numbering;

  uint32_t slot(const Operand& operand) const;  // unknown_slot when there is none
  bool never_known(uint32_t slot) const {
    return slot >= first_constant && slot < first_scratch && !constant_known[slot - first_constant];
  }
  const SimpleType& type(const Operand& operand) const;
  // The parts of an operand; none: it is not kept.
  const std::vector<Part>& parts(const Operand& operand) const;
  // The index by which a part of a statement or argument is told.
  uint32_t statement_part(uint32_t statement, uint32_t part) const {
    return part == 0 ? statement : part_indices.statements[statement] + part;
  }
  uint32_t argument_part(uint32_t argument, uint32_t part) const {
    return part == 0 ? static_cast<uint32_t>(function.statements.size()) + argument
                     : part_indices.arguments[argument] + part;
  }
  bool is_argument(uint32_t index) const {
    return index >= function.statements.size() && index < end_of_arguments;
  }
  // The statement that an index belongs to, or kNone.
  uint32_t statement_of(uint32_t index) const;
  // The address of a statement's or argument's place in the shadow.
  uint64_t place(uint64_t index) const { return 8 * (function.first_path + index); }

  // Where a switch statement goes, by value.
  struct Switch {
    uint32_t otherwise = kNone;  // block
    std::map<uint64_t, uint32_t> blocks;
    uint32_t target(uint64_t value) const {
      const auto at = blocks.find(value);
      return at == blocks.end() ? otherwise : at->second;
    }
  };
  // Calls with known ranges of memory, by statement.
  struct Library {
    uint32_t first_measure = 0;  // the number it is told under
    LibraryEffects effects;
  };
  std::map<uint32_t, Library> library;
  const Library* library_of(uint32_t statement) const {
    if (library.empty()) return nullptr;
    const auto at = library.find(statement);
    return at == library.end() ? nullptr : &at->second;
  }

  mutable std::vector<uint32_t> signatures;  // by type, of wide ones; filled by CodeCache
  std::map<uint32_t, Switch> switches;       // by statement; filled by the compiler of paths
};

}  // namespace vestige
