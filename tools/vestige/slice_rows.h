// A slice as text.
#pragma once

#include <nlohmann/json.hpp>

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
  std::optional<uint64_t> misses =
      std::nullopt;  // of the criterion's statement, when they were asked for

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

// A member as one object, and as one line: "7  #60@1  %60 = load i32, %8 (textbook.c:41)".
nlohmann::ordered_json member_json(const Trace& trace, const SliceInstance& member);
std::string member_text(const Trace& trace, const SliceInstance& member);

}  // namespace vestige::cli
