// A slice as text.
#pragma once

#include "command_line.h"
#include "vestige/slice.h"

namespace vestige::cli {

struct SliceRows {
  const Trace& trace;
  const Slice& slice;
  const SliceOptions& options;
  const Presentation& presentation;
  double seconds = 0;
  bool all = false;

  // One object; for people the lines of the source with how often each is in the slice, file by
  // file.
  void print_statements() const;
  // One row per execution, in the order executed.
  void print_instances() const;
  // Whole source files, as far as they are still there.
  void print_source() const;
  // Statements, and between them the dependences that brought them in (the first on the shortest
  // way).
  void print_dot() const;
};

}  // namespace vestige::cli
