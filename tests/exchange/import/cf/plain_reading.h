// What a trace of control flow says, read event by event without any graph: the twin of the import.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "vestige/trace.h"

namespace vestige {

inline constexpr uint32_t kEntryEvent = 1u << 30, kExitEvent = 1u << 31;

struct PlainEvent {
  enum class Kind : uint8_t { entry, block, exit };
  Kind kind = Kind::block;
  std::string function;  // the one entered, of the block, or left
  uint32_t block = 0;
  // The activations behind it, outermost first; none of which nothing but calls was seen.
  std::vector<std::string> stack;
};
// `stacks`: of how many events, from the first on.
std::vector<PlainEvent> read_plainly(const std::vector<uint32_t>& events, size_t stacks);

// Random events: nested calls, beginnings and ends in the middle of calls, entries without block 0.
std::vector<uint32_t> random_events(std::mt19937_64& random, size_t count);

std::string write_events(const std::string& name, const std::vector<uint32_t>& events);

// Compares a trace with the events it was made of, path by path, and the stack behind each path
// that ends within the first `stacks` events; fails the test where they differ.
void expect_same(const std::vector<uint32_t>& events, const std::string& trace_file, size_t stacks);

}  // namespace vestige
