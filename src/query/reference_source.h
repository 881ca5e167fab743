// The memory references of one thread, in order, piece by piece, with their times.
//
// One owner thread. Memory: that of the rows' source (row_source.h), and one piece.
#pragma once

#include <memory>
#include <vector>

#include "query/row_source.h"
#include "vestige/values.h"

namespace vestige {

struct TimedReference {
  uint64_t time = 0;  // of the path
  Reference reference;
};

class ReferenceSource {
 public:
  // The trace must outlive it. ErrorKind::unsupported when the trace has no values.
  static Result<ReferenceSource> open(const Trace& trace);

  // Threads of which values were recorded.
  const Windows& windows() const { return *windows_; }
  std::vector<uint32_t> threads() const;
  // Goes on with the first reference of this thread that has this time or a later one.
  Result<void> seek(uint32_t thread, uint64_t time);
  // The next references in the place of what `out` holds; empty at the end of the thread.
  Result<void> read(std::vector<TimedReference>& out);
  // How many had no known address and were left out, so far.
  uint64_t unknown() const { return unknown_; }

 private:
  // What a statement's references have in common.
  struct Shape {
    Reference::Kind kind = Reference::Kind::read;
    uint64_t bytes = 0;
    bool moves = false;     // memcpy, memmove: reads the source first
    bool measured = false;  // the row's value is the number of bytes
  };
  static Shape shape_of(const Function& function, uint32_t index);
  ReferenceSource(const Trace& trace, Windows windows);
  void take(const Observation& row, std::vector<TimedReference>& out);

  const Trace* trace_;
  std::unique_ptr<const Windows> windows_;
  std::unique_ptr<const StatementSet> set_;
  std::vector<Shape> shapes_;  // by #ID
  uint32_t thread_ = 0;
  std::unique_ptr<RowSource> rows_;
  std::vector<Observation> piece_;
  uint64_t unknown_ = 0;
};

}  // namespace vestige
