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
// One owner thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "query/binding_value.h"
#include "query/variable_image.h"
#include "query/variable_parts.h"
#include "query/wide_image.h"
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

  // What an evaluation must show.
  std::vector<std::vector<bool>> bindings() const;
  bool needs_memory() const { return needs_memory_; }
  std::vector<bool> memory_statements() const;

  void see(const Observation& observation) override;
  bool wants_wide() const override { return true; }
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
  struct Access {
    uint64_t address = 0, bytes = 0;
    bool stores = false;
    std::optional<uint64_t> value;  // of the first eight bytes; for fills: of each
    bool fills = false;
    std::span<const uint8_t> copied;  // what is stored, when that is a constant's bytes
    WideImage wide;                   // of a value that is not simple
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
  void row(Instance& instance, uint64_t first_bit, uint64_t bits, VariableRow::How how,
           const Happening& at);
  std::pair<uint64_t, uint64_t> bits_of(const Instance& instance, const Binding& binding) const;
  uint32_t binding_location(const Function& function, const Binding& binding) const;

  const std::vector<Function>& functions_;  // Trace::functions()
  std::vector<Copy> copies_;
  std::vector<std::vector<uint64_t>> symbols_;
  VariableRows& rows_;
  bool needs_memory_ = false;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> copy_of_;  // by function and variable
  std::map<uint64_t, uint64_t> entered_;                       // by depth
  std::map<std::pair<uint64_t, uint32_t>, Instance> locals_;   // by depth and copy
  std::map<uint32_t, Instance> globals_;                       // by copy
  std::map<SpanKey, Span> spans_;
  uint64_t longest_ = 0, next_number_ = 0;
  std::vector<SpanKey> touched_;  // by the access that is being looked at
  std::vector<Change> changes_;
  std::vector<std::optional<BindingWord>> operands_;  // of the binding that is being passed
  WideImage bound_;                                   // its operand 0, when that is not simple
};

}  // namespace vestige
