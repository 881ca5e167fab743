// Traces of load values as small programs of many kinds leave them: linked lists, trees, hash
// chains, permutations, interpreters, numbers. For comparing codecs on what no real trace of the
// corpus shows alone, pointer chasing above all.
//
// A trace is a row of (PC, value loaded). The same name, length and size give the same trace on
// every machine.
#pragma once

#include <span>

#include "codec/record_codec.h"

namespace vestige {

// A program that loads until its trace is full.
struct ProgramKind {
  const char* name;
  size_t size;  // of what it works on: nodes, cells …
};
std::span<const ProgramKind> program_kinds();

// The first `rows` loads of the program, as the columns of (pc:4, data:8). `size` replaces the
// kind's own when it is not 0.
RecordBlock program_trace(const ProgramKind& kind, size_t rows, size_t size = 0);

}  // namespace vestige
