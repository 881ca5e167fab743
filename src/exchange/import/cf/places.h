// The functions and blocks that a trace of control flow names, numbered in the order they come up.
//
// Blocks keep the ids of the input: the program table has no names for blocks, so block 7 must be
// entry 7 of its function's list, and ids that never came up are blocks that never ran. What the
// list takes is bounded by kMostBlocks for the whole program, so one huge id is refused instead of
// filling the memory. Functions have names, and may have any id.
//
// Memory: 4 bytes per block id up to each function's largest, 4 more per place.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "vestige/program.h"

namespace vestige::cf {

// How a path passes a place (replay.h).
enum class NodeKind : uint8_t { entry, begin, call, leave, branch, stop };
inline constexpr uint32_t kNodeKinds = 8;  // a power of two
inline uint32_t node_of(uint32_t place, NodeKind kind) {
  return place * kNodeKinds + static_cast<uint32_t>(kind);
}
inline uint32_t place_of(uint32_t node) { return node / kNodeKinds; }
inline NodeKind kind_of(uint32_t node) { return static_cast<NodeKind>(node % kNodeKinds); }

class Places {
 public:
  // The function of activations that were there before the trace began.
  static constexpr uint32_t kUnknown = 0;
  static constexpr uint64_t kMostBlocks = uint64_t{1} << 22;
  static constexpr size_t kMostFunctions = size_t{1} << 20;

  Places() { functions_.emplace_back(); }

  // Each gives a number, of a function or a place; kNone with error() set when there are too many,
  // or when it is new after freeze().
  uint32_t function(uint32_t id) {
    const auto found = by_id_.find(id);
    return found != by_id_.end() ? found->second : add_function(id);
  }
  uint32_t place(uint32_t function, uint32_t block) {
    const std::vector<uint32_t>& blocks = functions_[function].places;
    if (block < blocks.size() && blocks[block] != kNone) return blocks[block];
    return add_place(function, block);
  }
  uint32_t nowhere(uint32_t function) {
    const uint32_t found = functions_[function].nowhere;
    return found != kNone ? found : add_nowhere(function);
  }
  // From here on the input is read again: it must not name anything new.
  void freeze() { frozen_ = true; }
  const std::string& error() const { return error_; }

  struct FunctionPlaces {
    uint32_t id = 0;
    std::vector<uint32_t> places;  // by block; kNone: never came up
    uint32_t nowhere = kNone;
  };
  const std::vector<FunctionPlaces>& functions() const { return functions_; }
  uint32_t count() const { return count_; }
  uint32_t function_of(uint32_t place) const { return function_of_[place]; }

 private:
  uint32_t add_function(uint32_t id);
  uint32_t add_place(uint32_t function, uint32_t block);
  uint32_t add_nowhere(uint32_t function);
  uint32_t refuse(std::string why);
  uint32_t changed();

  std::vector<FunctionPlaces> functions_;
  std::unordered_map<uint32_t, uint32_t> by_id_;
  std::vector<uint32_t> function_of_;
  uint32_t count_ = 0;
  uint64_t blocks_ = 0;  // up to each function's largest
  bool frozen_ = false;
  std::string error_;
};

// "f12"; "unknown".
std::string function_name(const Places& places, uint32_t function);

}  // namespace vestige::cf
