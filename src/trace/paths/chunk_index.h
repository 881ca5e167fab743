// The chunk index of the path-matching paper (sections 4.3 and 4.4): a thread's time cut into
// chunks, and for each what a search must know to pass over it: how depth moves, how deep it ends
// activations, and which functions run in it.
//
// One kind of chunk, two cuts: by rule, where a chunk is a range of places of a start rule (for
// scheme 4), and by time, where it is a range of paths (for scheme 3).
//
// Departures from the paper. Levels are relative to the chunk's start, so a trace may begin in the
// middle of a call and go below; the paper's smallest end level is `lowest`, and "no end" is 0,
// which no end has. A function's bit is set by all its paths, those that only enter included. A
// function's chunks are kept as a plain bit set or as a Roaring bitmap, whichever is smaller.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/bytes.h"
#include "trace/paths/path_grammar.h"

namespace vestige {

struct PathChunk {
  uint32_t part = 0;            // by rule: the grammar,
  uint32_t begin = 0, end = 0;  // and places of its start rule
  uint64_t first_time = 1;      // of its first path
  Extent extent;
};

class ChunkIndex {
 public:
  const std::vector<PathChunk>& chunks() const { return chunks_; }
  // The chunks a function runs in, by rising number.
  std::vector<uint32_t> holding(uint32_t function) const;

  // Adds a chunk; `functions` run in it, in any order, possibly twice.
  void add(const PathChunk& chunk, std::vector<uint32_t> functions);
  void encode(ByteWriter& out) const;
  // False: malformed.
  bool decode(ByteReader& in);

 private:
  std::vector<PathChunk> chunks_;
  std::map<uint32_t, std::vector<uint32_t>> holding_;  // by function
};

}  // namespace vestige
