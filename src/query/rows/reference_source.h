// The memory references of one thread, in order, piece by piece, with their times.
//
// One owner thread. Memory: that of the rows' source (row_source.h), and one piece.
#pragma once

#include <memory>
#include <vector>

#include "query/rows/row_source.h"
#include "vestige/values.h"

namespace vestige {

struct TimedReference {
  uint64_t time = 0;  // of the path
  Reference reference;
};

// How observations of the statements that refer to memory become references.
class ReferenceShapes {
 public:
  // The trace must outlive it.
  explicit ReferenceShapes(const Trace& trace);

  const StatementSet& statements() const { return set_; }
  uint64_t id(uint32_t function, uint32_t statement) const {
    return first_ids_[function] + statement;
  }
  // Calls put(reference) for what a row refers to: at most two. How many had no known address.
  template <class Put>
  unsigned each(const Observation& row, uint32_t thread, const Put& put) const {
    const uint64_t id = this->id(row.function, row.statement);
    const Shape& shape = shapes_[id];
    const uint64_t bytes = shape.measured ? row.length : shape.bytes;
    if (shape.measured && row.has_length && bytes == 0) return 0;  // touches nothing
    if (shape.moves && row.has_source)
      put(Reference{Reference::Kind::read, thread, id, row.source, bytes});
    if (row.has_address) put(Reference{shape.kind, thread, id, row.address, bytes});
    return unsigned{shape.moves && !row.has_source} + unsigned{!row.has_address};
  }

 private:
  // What a statement's references have in common.
  struct Shape {
    Reference::Kind kind = Reference::Kind::read;
    uint64_t bytes = 0;
    bool moves = false;     // memcpy, memmove: reads the source first
    bool measured = false;  // the row's value is the number of bytes
  };
  static Shape shape_of(const Function& function, uint32_t index);
  ReferenceShapes(const Trace& trace, const std::vector<StatementRef>& statements);

  StatementSet set_;
  std::vector<uint64_t> first_ids_;  // by function
  std::vector<Shape> shapes_;        // by #ID
};

class ReferenceSource {
 public:
  // The trace must outlive it. ErrorKind::unsupported when the trace has no values.
  static Result<ReferenceSource> open(const Trace& trace);

  const Windows& windows() const { return *windows_; }
  const ReferenceShapes& shapes() const { return *shapes_; }
  // Threads of which values were recorded, rank by rank.
  std::vector<uint32_t> threads() const;
  // Goes on with the first reference of this thread that has this time or a later one.
  Result<void> seek(uint32_t thread, uint64_t time);
  // The next references in the place of what `out` holds; empty at the end of the thread.
  Result<void> read(std::vector<TimedReference>& out);
  // How many had no known address and were left out, so far.
  uint64_t unknown() const { return unknown_; }

 private:
  ReferenceSource(const Trace& trace, Windows windows);

  const Trace* trace_;
  std::unique_ptr<const Windows> windows_;
  std::unique_ptr<const ReferenceShapes> shapes_;
  uint32_t thread_ = 0;
  std::unique_ptr<RowSource> rows_;
  std::vector<Observation> piece_;
  uint64_t unknown_ = 0;
};

}  // namespace vestige
