// A slice as text.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <tuple>

#include "command_line.h"
#include "output.h"
#include "vestige/slice.h"

namespace vestige::cli {

struct SliceRows {
  const Trace& trace;
  const Slice& slice;
  const SliceOptions& options;
  const Presentation& presentation;
  double seconds = 0;
  bool all = false;
  // Of the criterion's statement, when they were asked for.
  std::optional<uint64_t> misses = std::nullopt;

  // One object; for people the lines of the source with how often each is in the slice, file by
  // file.
  void print_statements() const;
  // Whole source files, as far as they are still there.
  void print_source() const;
};

// One row per execution, in the order executed; for people the first ones.
class InstanceRows {
 public:
  InstanceRows(const Trace& trace, const Presentation& presentation, bool all);
  ~InstanceRows();
  // False: no more are wanted.
  bool add(const Slice& slice, const SliceInstance& member, const SliceInstance* of);
  void end(const Slice& slice);

 private:
  struct Writer;
  Writer& writer();  // begins with the headings
  const Trace& trace_;
  const Format format_;
  const bool all_;
  std::unique_ptr<Writer> writer_;
};

// Statements, and between them the dependences that brought them in (the first on the shortest
// way), for Graphviz.
class SliceGraph {
 public:
  explicit SliceGraph(const Trace& trace) : trace_(trace) {}
  void add(const SliceInstance& member, const SliceInstance* of);
  size_t edges() const { return edges_.size(); }
  void print(const Slice& slice, bool forward) const;

 private:
  const Trace& trace_;
  std::map<std::tuple<uint64_t, uint64_t, SliceReason>, uint64_t> edges_;
};

// A member as one object, and as one line: "7  #60@1  %60 = load i32, %8 (textbook.c:41)".
nlohmann::ordered_json member_json(const Trace& trace, const SliceInstance& member);
std::string member_text(const Trace& trace, const SliceInstance& member);
// Members as rows for programs.
void print_members(const Trace& trace, const std::vector<SliceInstance>& members, Format format,
                   Output& out);

}  // namespace vestige::cli
