// A path taken apart for slices: its statements in order, each with what it depends on as far as
// the path alone says.
//
// Within a path every statement runs once at most, so what an operand means is known before any
// time is: an item of the same path, or a result that an earlier path of the activation gave. The
// same holds for the branch that decided on a block.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "vestige/trace.h"

namespace vestige {

enum class StepKind : uint8_t {
  plain,  // its result follows from its operands
  phi,
  load,
  store,
  exchange,  // atomicrmw, cmpxchg: reads and may write
  copy,
  fill,  // memcpy and memmove; memset
  call,  // the path stops at it, and code may run
  ret,
  branch,  // a terminator that is none of the above
};

struct Use {
  enum class Kind : uint8_t {
    none,      // a constant
    item,      // of this path
    result,    // of a statement, by an earlier path
    argument,  // of the function
  };
  Kind kind = Kind::none;
  uint32_t index = 0;
};

// What decided that a block runs.
struct Decider {
  enum class Kind : uint8_t {
    item,    // of this path: the latest branch that the block is control dependent on
    branch,  // such a branch in an earlier path; index: the block
    block,   // the block began in an earlier path; index: the block
    entry,   // that the activation was entered
    edge,    // of phis at the path's beginning: the terminator of the path before
  };
  Kind kind = Kind::entry;
  uint32_t index = 0;
};

struct ShapeItem {
  uint32_t statement = 0;
  uint32_t block = 0;
  uint32_t bytes = 0;  // loads, stores, exchanges: what they refer to
  StepKind kind = StepKind::plain;
  bool begins = false;     // the first statement of its block
  bool ends = false;       // the last one
  bool chooses = false;    // a terminator with several targets
  bool passes_on = false;  // its first use is the value that it gives
  uint32_t from = kNone;   // phi: the block before, when that is in the path: then the use is known
  uint32_t label = kNone;  // which of the path's labels says what memory it read
  uint32_t first_use = 0, uses = 0;  // PathShape::uses; of a call one per operand
  Decider decider;                   // of its block
  Decider edge;                      // phi: of the edge that was taken
};

struct PathShape {
  const Function* function = nullptr;
  std::vector<ShapeItem> items;
  std::vector<Use> uses;
  std::vector<uint32_t> memory;                           // items that refer to it, in order
  std::vector<uint32_t> ends;                             // items that end a block, in order
  std::vector<std::pair<uint32_t, uint32_t>> statements;  // to items, by rising statement
  std::vector<std::pair<uint32_t, uint64_t>> words;  // the same as bits: number / 64, and which
  // What the path uses that it did not compute itself: results of the activation in the same form,
  // and arguments. Of phis whose edge it does not know, all that they may take.
  std::vector<std::pair<uint32_t, uint64_t>> used;
  std::vector<uint32_t> used_arguments;
  uint32_t labels = 0;
  std::vector<uint32_t> label_bytes;  // by label: ShapeItem::bytes; 0 of copies
  uint32_t stop = kNone;              // the item of the call that the path stops at

  std::span<const Use> uses_of(const ShapeItem& item) const {
    return std::span(uses).subspan(item.first_use, item.uses);
  }
  // The item of a statement; kNone: the path does not execute it.
  uint32_t item_of(uint32_t statement) const;
  // What decided on the block, as far as the path says: the latest branch that it is control
  // dependent on; when its round began later, what decided on that.
  std::optional<Decider> decided(uint32_t block) const;
  // What decides on a block that begins in the path; null: it does not.
  const Decider* decider_of(uint32_t block) const;
};

// Made when first asked for. One owner thread.
class PathShapes {
 public:
  explicit PathShapes(const Trace& trace) : trace_(trace) {}
  // Valid until trim().
  const PathShape& of(const Path& path);
  // Forgets them when there are too many.
  void trim();

 private:
  PathShape make(const Path& path) const;
  static constexpr size_t kMostKept = 4 << 20;
  const Trace& trace_;
  std::unordered_map<uint32_t, PathShape> shapes_;
  size_t kept_ = 0;
};

bool refers_to_memory(StepKind kind);
// Whether memory that it reads is told by a label; whether it writes memory.
bool reads_memory(StepKind kind);
bool writes_memory(StepKind kind);
// Bytes that a load, store or exchange refers to, of whatever type; 0 of others.
uint32_t referred_bytes(const Function& function, uint32_t statement);

}  // namespace vestige
