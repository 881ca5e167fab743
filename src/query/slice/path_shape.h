// A path taken apart for the slicers: its statements in order, each with what it means to them.
#pragma once

#include <cstdint>
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

struct ShapeItem {
  uint32_t statement = 0;
  uint32_t bytes = 0;  // loads, stores, exchanges
  StepKind kind = StepKind::plain;
  bool begins = false;   // the first statement of its block
  bool ends = false;     // the last one
  bool chooses = false;  // a terminator with several targets
  uint32_t block = 0;
  uint32_t from = kNone;  // phi: the block before, when that is in the path
};

struct PathShape {
  std::vector<ShapeItem> items;
  bool has_memory = false;
};

// Made when first asked for; at most so many numbers are kept.
class PathShapes {
 public:
  explicit PathShapes(const Trace& trace) : trace_(trace) {}
  // Valid until the next call.
  const PathShape& of(const Path& path);

 private:
  static constexpr size_t kMostKept = 4 << 20;
  const Trace& trace_;
  std::unordered_map<uint32_t, PathShape> shapes_;
  size_t kept_ = 0;
};

bool refers_to_memory(StepKind kind);
// Bytes that a load, store or exchange refers to, of whatever type; 0 of others.
uint32_t referred_bytes(const Function& function, uint32_t statement);

}  // namespace vestige
