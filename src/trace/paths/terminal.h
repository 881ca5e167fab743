// What one symbol of a thread's whole program path stands for: a path, or something that moved the
// call stack between two paths.
//
// Terminals are Ball–Larus paths, not blocks: a path lies within one activation, so it carries its
// blocks, whether it enters and whether it leaves, and the stream is several times shorter
// (docs/paths.md has the measurement). A path that enters also knows the function that was
// innermost before it, its caller: one path called from two places is two terminals.
//
// Depth counts from where a sequence begins: 0 is the activation that is innermost there, -1 the
// one it returns to, 1 the first one entered.
#pragma once

#include <cstdint>

#include "vestige/trace.h"

namespace vestige {

// On disk (docs/index-format.md).
struct Terminal {
  uint32_t path = kNone;      // kNone: no path
  uint32_t function = kNone;  // of the path
  uint32_t caller = kNone;    // of a path that enters; kNone: not known, or none
  uint8_t enters = 0, leaves = 0;
  uint16_t reserved = 0;
  int32_t net = 0;     // depth behind it
  int32_t lowest = 0;  // least depth reached, at most 0: activations from there up have ended
  uint64_t times = 0;  // how far time moves: 1 for a path, more over paths that are missing
  bool operator==(const Terminal&) const = default;
};
static_assert(sizeof(Terminal) == 32);

// A path as a terminal.
inline Terminal terminal_of(const Path& path, uint32_t caller) {
  Terminal t;
  t.path = path.id;
  t.function = path.function;
  if (path.enters) t.caller = caller;
  t.enters = path.enters;
  t.leaves = path.leaves;
  t.net = int32_t{path.enters} - int32_t{path.leaves};
  t.lowest = path.leaves && !path.enters ? -1 : 0;
  t.times = 1;
  return t;
}

}  // namespace vestige
