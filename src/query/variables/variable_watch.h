// Follows variables through one thread's evaluation and notes every change.
//
// An *instance* is one life of a variable: of a local in one activation, of a global always. It has
// *places*: bits of it that live in memory. An access to those bytes by any statement is a change
// (a store) or shows one that was not recorded (a load with a value other than the one known).
// Bits without a place are what bindings say.
//
// Invariants: 1. instances of locals are found by (depth, copy), and none is deeper than the
// activations that are there; 2. every place of every instance has exactly one entry in spans_.
//
// One owner thread. variable_watch.cpp has activations, bindings and rows; _places where variables
// lie; _memory what recorded statements do there; _calls what unrecorded code may have done.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "query/variables/awaited_reads.h"
#include "query/variables/binding_value.h"
#include "query/variables/memory_image.h"
#include "query/variables/unknown_origins.h"
#include "query/variables/variable_image.h"
#include "query/variables/variable_parts.h"
#include "query/variables/variable_value.h"
#include "query/variables/wide_image.h"
#include "trace/eval/observer.h"
#include "vestige/variables.h"

namespace vestige {

// Who gets the rows. `value` is given only when wanted() said so.
class VariableRows {
 public:
  virtual ~VariableRows() = default;
  // A row comes; whether it must be complete.
  virtual bool wanted() = 0;
  virtual void add(VariableRow row) = 0;
};

class VariableWatch final : public EvaluationObserver {
 public:
  // One function's copy of one of the variables asked for.
  struct Copy {
    uint32_t variable = 0;  // VariableQuestion::variables
    VariableRef ref;
    VariablePart asked;
  };
  // `symbols`: addresses by function of the trace, like FunctionAddresses::symbols; 0: not known.
  VariableWatch(const std::vector<Function>& functions, std::vector<Copy> copies,
                std::vector<std::vector<uint64_t>> symbols, VariableRows& rows);

  // Of the thread that began its process: what globals hold before anything ran. Symbols of all
  // functions, as above.
  void begin_with(const std::vector<std::vector<uint64_t>>& symbols);

  // What an evaluation must show.
  std::vector<std::vector<bool>> bindings() const;
  bool needs_memory() const { return needs_memory_; }
  std::vector<bool> memory_statements() const;

  // A byte of a variable now: of a global, or of a local of the innermost activation that is
  // watched.
  struct ByteNow {
    bool known = false;
    uint8_t value = 0;
    std::optional<uint64_t> address;  // in memory
    MemoryImage::Token token = 0;     // not known, in memory
    std::string because;              // not known, elsewhere
  };
  ByteNow byte(uint32_t copy, uint64_t at) const;
  // Copies of a global that are at one address have one home, one of them.
  uint32_t home(uint32_t copy) const {
    const auto at = homes_.find(copy);
    return at == homes_.end() ? copy : at->second;
  }
  // Whether this copy of a global has a place, or of a local an activation that is watched.
  bool is_there(uint32_t copy) const;
  struct Innermost {
    uint64_t depth = 0, entered = 0;
  };
  Innermost innermost() const;
  // While variables are captured, each of their bytes is asked for once.
  void capture(bool on) { capturing_ = on; }
  bool capturing() const { return capturing_; }
  // Memory is followed even if no variable asked for lives there.
  void keep_memory() { needs_memory_ = true; }
  // Activations of the function are wanted even if it has no variable that was asked for.
  void watch_function(uint32_t function) { watched_functions_.insert(function); }
  // Memory as it is now and as later loads show it to have been.
  AwaitedReads& awaited() { return awaited_; }
  MemoryImage& memory() { return memory_; }
  const UnknownOrigins& origins() const { return origins_; }

  void see(const Observation& observation) override;
  bool wants_wide() const override { return true; }
  bool wants_calls() const override { return needs_memory_; }
  void transfer(const Transfer& transfer) override;
  void outside_call(const OutsideCall& call) override;
  void entered_from_outside(uint32_t function,
                            std::span<const std::optional<uint64_t>> pointers) override;
  void copied_argument(uint32_t function, uint32_t argument, uint64_t to,
                       std::optional<uint64_t> from) override;
  void enter(uint32_t function, uint64_t depth, uint64_t time) override;
  void pass(const Passage& passage) override;
  void leave(uint64_t depth) override { cut(depth); }
  void cut(uint64_t depth) override;

 private:
  using SpanKey = std::pair<uint64_t, uint64_t>;  // address, and a number of its own
  struct Place {
    uint64_t first_bit = 0, bits = 0;
    SpanKey key;
  };
  struct Instance {
    uint32_t copy = 0;
    bool local = true;
    uint64_t depth = 0, entered = 0;
    std::vector<Place> places;
    std::vector<SpanKey> cells;  // that hold the address of a place
    VariableImage image;
    std::string lost;  // why bits without a place are not known
  };
  struct Span {
    uint64_t end = 0;
    Instance* instance = nullptr;
    uint64_t first_bit = 0, bits = 0;
    bool cell = false;
  };
  struct Happening {
    uint64_t time;
    uint32_t function, statement, location;
    bool before;
  };
  // Bytes that were loaded or stored: memory_ has them already.
  struct Access {
    uint64_t address = 0, bytes = 0;
    bool stores = false;
    bool loses = false;  // only what was known is news
    std::optional<uint64_t> value =
        std::nullopt;  // of eight bytes: may be the address of a variable
  };
  // Memory that unrecorded code was given.
  struct Extent {
    uint64_t address = 0, bytes = 0;
  };

  struct Change {
    Instance* instance;
    uint64_t first_bit, bits;
    VariableRow::How how;
  };

  void bind(Instance& instance, const Passage& passage, const Binding& binding);
  void take_value(Instance& instance, const Binding& binding, const Happening& at);
  void lose(Instance& instance, const Binding& binding, const Happening& at, VariableRow::How how);
  void place(Instance& instance, uint64_t first_bit, uint64_t bits, uint64_t address);
  void unplace(Instance& instance, uint64_t first_bit, uint64_t bits);
  void end(Instance& instance);
  Span& add_span(uint64_t address, uint64_t bytes, SpanKey& key);
  void access(const Access& access, const Happening& at);
  void touch(const Span& span, uint64_t start, const Access& access);
  const Instance* instance_of(uint32_t copy) const;
  void reveal(uint64_t address, uint64_t value, unsigned bytes);
  void written(uint64_t address, uint64_t bytes) { awaited_.written(address, bytes); }
  void lose_all(MemoryImage::Origin origin);
  void begin_life(const Instance& instance, const Passage& passage, const Binding& binding);
  void load(const Observation& seen, const Happening& at);
  void store(const Observation& seen, const Happening& at);
  void work(const Observation& seen, const Happening& at);
  void list(const Observation& seen, const Happening& at);
  bool is_in_list(uint64_t address) const;
  bool is_listed(uint64_t address) const;
  std::optional<std::string> text_at(uint64_t address) const;
  void put_printed(std::string_view callee, uint64_t to, uint64_t length);
  void put_wide(const Observation& seen, uint64_t bytes, const WideImage& wide);
  void lose(const Extent& extent, MemoryImage::Origin origin, const Happening& at);
  Extent object_at(uint64_t address) const;
  uint64_t bytes_by_value(uint32_t function, uint32_t argument) const;
  void note_block(const OutsideCall& call, std::string_view callee, const Happening& at);
  void row(Instance& instance, uint64_t first_bit, uint64_t bits, VariableRow::How how,
           const Happening& at);
  std::pair<uint64_t, uint64_t> bits_of(const Instance& instance, const Binding& binding) const;
  uint32_t binding_location(const Function& function, const Binding& binding) const;

  std::string why(const Instance& instance, uint64_t at) const;
  // Where a byte of a variable is in memory.
  static std::optional<uint64_t> address_of(const Instance& instance, uint64_t at);
  class BytesNow;

  const std::vector<Function>& functions_;  // Trace::functions()
  std::vector<Copy> copies_;
  std::vector<std::vector<uint64_t>> symbols_;
  VariableRows& rows_;
  bool needs_memory_ = false;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> copy_of_;  // by function and variable
  std::map<uint64_t, uint64_t> entered_;                       // by depth
  std::map<std::pair<uint64_t, uint32_t>, Instance> locals_;   // by depth and copy
  std::map<uint32_t, Instance> globals_;                       // by copy
  std::map<uint32_t, uint32_t> homes_;                         // of globals, by copy
  std::map<SpanKey, Span> spans_;
  uint64_t longest_ = 0, next_number_ = 0;
  uint64_t lowest_ = UINT64_MAX, highest_ = 0;  // all spans were between them
  std::vector<SpanKey> touched_;                // by the access that is being looked at
  std::vector<Change> changes_;
  std::vector<std::optional<BindingWord>> operands_;  // of the binding that is being passed
  WideImage bound_;                                   // its operand 0, when that is not simple

  MemoryImage memory_;
  UnknownOrigins origins_;
  std::map<uint64_t, uint64_t> blocks_;             // of the heap: address and size
  std::map<uint64_t, uint64_t> literals_;           // constants without a name: the same
  std::vector<std::optional<uint64_t>> arguments_;  // of the call whose transfers come
  std::set<uint64_t> lists_;      // addresses of lists of arguments (va_list) in use
  std::set<uint64_t> from_list_;  // addresses that were loaded from them
  AwaitedReads awaited_;
  bool capturing_ = false;
  std::set<uint32_t> watched_functions_;
};

}  // namespace vestige
