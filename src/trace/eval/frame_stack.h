// The activations of a thread and their values: one growing row of slots, the frames of inner
// activations behind those of outer ones.
//
// A frame is *exact* when all of its values are known. Otherwise a byte per slot says which are.
//
// Invariants: 1. base of an activation = base + slots of the one below it; 2. an activation without
// a function has no slots: nothing is known of it, not even which function it runs; 3. `known_`
// is as long as `slots_` when any frame is not exact; 4. places rise. They have gaps only in
// evaluations that begin at a keyframe: activations that are left before they are ever innermost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "trace/eval/function_code.h"

namespace vestige {

struct Activation {
  const FunctionCode* function = nullptr;
  uint32_t base = 0;
  uint32_t place = 0;  // activations below it, those that are not kept included
  bool exact = false;
  uint32_t block = kNone;   // where its last path ended
  uint32_t invoke = kNone;  // the invoke it ended with
  uint64_t time = 0;        // of that path
};

class FrameStack {
 public:
  static constexpr uint64_t kMaxDepth = uint64_t{1} << 24;
  static constexpr uint64_t kMaxSlots = uint64_t{1} << 25;

  bool empty() const { return activations_.empty(); }
  size_t depth() const { return depth_; }
  const std::vector<Activation>& activations() const { return activations_; }
  std::vector<Activation>& activations() { return activations_; }
  Activation& top() { return activations_.back(); }
  const Activation& top() const { return activations_.back(); }
  uint64_t* slots(const Activation& of) { return slots_.data() + of.base; }
  const uint64_t* slots(const Activation& of) const { return slots_.data() + of.base; }
  uint8_t* known(const Activation& of) { return known_.data() + of.base; }
  bool is_known(const Activation& of, uint32_t slot) const {
    return of.exact ? !of.function->never_known(slot) : known_[of.base + slot] != 0;
  }

  // A new innermost activation; false when there is no room.
  bool push(const FunctionCode& function) {
    if (!push_unknown({}) || !give_slots(function)) return false;
    top().exact = true;
    return true;
  }
  // One of which nothing is known but where it was.
  bool push_unknown(const Activation& where) {
    if (depth_ >= kMaxDepth) return false;
    activations_.push_back(where);
    top().base = end_;
    top().place = depth_++;
    top().function = nullptr;
    top().exact = false;
    return true;
  }
  const uint8_t* known(const Activation& of) const { return known_.data() + of.base; }
  // The innermost one turns out to run this function; its values are not known.
  bool settle(const FunctionCode& function) {
    if (!give_slots(function)) return false;
    top().exact = true;
    make_tracked();
    std::memset(known(top()), 0, function.first_constant);
    return true;
  }
  // Another one at a place further up; with a function it has slots, none of which is known unless
  // it is exact: those are the caller's to set.
  bool restore(uint32_t place, const Activation& where, const FunctionCode* function, bool exact) {
    depth_ = place;
    if (!push_unknown(where)) return false;
    if (!function) return true;
    if (!exact) return settle(*function);
    if (!give_slots(*function)) return false;
    top().exact = true;
    return true;
  }
  void pop() {
    VESTIGE_CHECK(!empty());
    end_ = top().base;
    depth_ = top().place;
    activations_.pop_back();
  }
  void cut(uint64_t keep) {
    while (!empty() && top().place >= keep) pop();
    if (depth_ > keep) depth_ = static_cast<uint32_t>(keep);
  }
  // As many as that, none of which is kept.
  void start_over(uint32_t depth) {
    activations_.clear();
    end_ = 0;
    depth_ = depth;
  }
  // Nothing is known of any of them any longer.
  void forget_all() {
    for (Activation& activation : activations_) {
      activation.function = nullptr;
      activation.exact = false;
      activation.base = 0;
      activation.block = activation.invoke = kNone;
    }
    end_ = 0;
  }
  // The innermost frame gets a byte per slot that says what is known.
  void make_tracked() {
    Activation& frame = top();
    if (!frame.exact) return;
    VESTIGE_CHECK(frame.function && frame.base + frame.function->slot_count <= slots_.size());
    frame.exact = false;
    if (known_.size() < slots_.size()) known_.resize(slots_.size());
    const FunctionCode& function = *frame.function;
    uint8_t* bytes = known(frame);
    std::memset(bytes, 1, function.slot_count);
    std::ranges::copy(function.constant_known, bytes + function.first_constant);
  }
  void set(uint32_t slot, uint64_t value, bool is_known) {
    if (!is_known) make_tracked();
    Activation& frame = top();
    slots(frame)[slot] = value;
    if (!frame.exact) known(frame)[slot] = is_known;
  }

 private:
  bool give_slots(const FunctionCode& function) {
    Activation& frame = top();
    const uint64_t end = uint64_t{frame.base} + function.slot_count;
    if (end > kMaxSlots) return false;
    if (end > slots_.size()) {
      slots_.resize(std::max<uint64_t>(end, std::min(kMaxSlots, 2 * slots_.size())));
      if (!known_.empty()) known_.resize(slots_.size());
    }
    end_ = static_cast<uint32_t>(end);
    frame.function = &function;
    std::ranges::copy(function.constants, slots(frame) + function.first_constant);
    return true;
  }

  std::vector<Activation> activations_;
  std::vector<uint64_t> slots_;
  std::vector<uint8_t> known_;
  uint32_t end_ = 0;    // of the innermost frame
  uint32_t depth_ = 0;  // activations, those that are not kept included
};

}  // namespace vestige
