// Who wants to see values as they come by.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "program/library.h"
#include "vestige/detail/wide.h"

namespace vestige {

// One execution of a statement that has a value that is kept, or that refers to memory.
struct Observation {
  // Of the path it belongs to. What a path stops at (a call, an atomic operation) is done behind
  // its end, so it is seen late: just before what the activation's next path does.
  uint64_t time = 0;
  uint32_t function = 0;   // Trace::functions()
  uint32_t statement = 0;  // Function::statements
  bool has_value = false;  // simple and known: the result; of a store, what is stored
  // And it is known: where it loads or stores; memcpy: where to; a library function: the first
  // range that it writes, or else reads.
  bool has_address = false;
  bool has_source = false;  // memcpy and memmove, and functions that copy: where from
  bool has_length = false;  // memcpy, memmove and memset, library functions: how many bytes
  bool has_fill = false;    // memset: with which byte
  uint8_t fill = 0;
  uint64_t value = 0, address = 0, source = 0, length = 0;
  WideRef wide = {};  // a value that is not simple, for those who ask for it
};

// Bytes that a call of unrecorded code read or wrote (program/library.h). They are seen when the
// call is back, before anything that the path behind it does; all of one call together, in the
// table's order.
struct Transfer {
  uint64_t time = 0;       // of the path behind the call
  uint64_t call_time = 0;  // of the path that stopped at it
  uint32_t function = 0;   // Trace::functions()
  uint32_t statement = 0;  // the call
  LibraryRange::Kind kind = LibraryRange::Kind::read;
  bool has_to = false, has_from = false, has_length = false;  // and they are known
  uint64_t to = 0, from = 0, length = 0;
};

// A call of unrecorded code came back. It is seen before its transfers.
struct OutsideCall {
  uint64_t time = 0;       // of the path behind the call
  uint64_t call_time = 0;  // of the path that stopped at it
  uint32_t function = 0;   // Trace::functions()
  uint32_t statement = 0;  // the call
  // Of the statement, as far as they are simple and known.
  std::span<const std::optional<uint64_t>> arguments;
  std::optional<uint64_t> result;
};

// Control passes a binding (Function::bindings) that is watched. One with several operands that
// are known only at run time is passed once for each.
struct Passage {
  uint64_t time = 0;
  uint32_t function = 0;  // Trace::functions()
  uint64_t depth = 0;     // activations below
  uint32_t binding = 0;
  uint32_t operand = kNoOperand;  // Binding::operands
  bool last = true;               // of this binding's operands
  bool has_value = false;         // the operand's, and it is known
  uint64_t value = 0;
  WideRef wide = {};  // the operand's, when it is not simple
  static constexpr uint32_t kNoOperand = 0x7fff;
};

// Loads and stores, one after the other.
struct AccessLog {
  struct Entry {
    uint64_t time = 0, address = 0, value = 0;
    uint32_t function = 0, statement = 0;
  };
  Entry* next = nullptr;  // before `end`, always
  Entry* end = nullptr;
  bool values = true;  // false: they are 0, and need not be known; wide accesses come here, too
};

class EvaluationObserver {
 public:
  virtual ~EvaluationObserver() = default;
  virtual void see(const Observation& observation) = 0;
  // One who has a log gets loads and stores there instead, those of which value and address are
  // known, and is told when it is full. What is seen comes behind what is in the log.
  virtual AccessLog* access_log() { return nullptr; }
  virtual void drain() {}
  // One who goes round is given rounds of a loop at once: the last path, of which it has just seen
  // the accesses, so many times more, each access moved by its step from path to path. Not beyond
  // the time that it allows, asked behind a path.
  virtual bool goes_round() const { return false; }
  virtual uint64_t rounds_until(uint64_t /*time*/) { return 0; }
  virtual void go_round(uint64_t /*rounds*/, std::span<const uint64_t> /*steps*/) {}
  // Of all calls, observed or not.
  virtual void transfer(const Transfer& /*transfer*/) {}
  // One who wants calls is shown those of unrecorded code, and what calls of recorded code copy on
  // the way: an argument that is passed by value in memory (byval), from where the caller has it,
  // as far as that is known, to where the callee finds it.
  virtual bool wants_calls() const { return false; }
  virtual void outside_call(const OutsideCall& /*call*/) {}
  virtual void copied_argument(uint32_t /*function*/, uint32_t /*argument*/, uint64_t /*to*/,
                               std::optional<uint64_t> /*from*/) {}
  // An activation of recorded code begins that unrecorded code called, or perhaps did. By argument:
  // the pointers that it was given, as far as they are known.
  virtual void entered_from_outside(uint32_t /*function*/,
                                    std::span<const std::optional<uint64_t>> /*pointers*/) {}
  // Whether values that are not simple are shown.
  virtual bool wants_wide() const { return false; }

  // Activations of functions with watched bindings, and what happens in them. Time 0: the
  // activation began where nothing was recorded.
  virtual void enter(uint32_t /*function*/, uint64_t /*depth*/, uint64_t /*time*/) {}
  virtual void pass(const Passage& /*passage*/) {}
  virtual void leave(uint64_t /*depth*/) {}
  // Of activations of any function at this depth and deeper nothing is known any longer, or they
  // are gone.
  virtual void cut(uint64_t /*depth*/) {}
};

}  // namespace vestige
