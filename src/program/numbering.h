// Ball–Larus path numbering over a function's segment graph.
//
// Every path starts at a segment whose `start` is not `none`, follows uncut edges, and ends at a
// cut edge or at a segment whose `end` is not `branch`. The graph of uncut edges is acyclic. Each
// path gets a number: the starts own consecutive ranges, in segment order, and within a start's
// range the number is the sum of the increments of the edges taken (Ball & Larus 1996, with
// several starts instead of the one dummy entry edge per back edge).
//
// The pass and the reader both call this on the same segments, so the tables are never stored.
#pragma once

#include <cstdint>
#include <vector>

#include "vestige/program.h"
#include "vestige/result.h"

namespace vestige {

struct Numbering {
  std::vector<uint64_t> paths_from;    // per segment: paths that start there, were it a start
  std::vector<uint64_t> start_offset;  // per segment: number of its first path (starts only)
  std::vector<std::vector<uint64_t>> increment;  // per segment, per edge
  std::vector<uint32_t> starts;  // segments that start paths, by rising start_offset
  uint64_t path_count = 0;
};

// Numbers the graph. Fails on a cycle of uncut edges, an edge to nowhere, or more than
// `kMaxPaths` paths in all (hostile input: the pass itself cuts long before).
inline constexpr uint64_t kMaxPaths = uint64_t{1} << 31;
Result<Numbering> number_paths(const std::vector<Segment>& segments);

// Cuts one edge of every cycle that nothing else cuts (loops whose every round makes a call need no
// cut of their own), and marks the targets as starts. Depth first from the entry and then from the
// other starts, so in ordinary loops it is the back edge. Returns how many edges it cut.
uint32_t cut_cycles(std::vector<Segment>& segments);

// Cuts edges until no start has more than `limit` paths, and marks their targets as starts.
// Returns how many edges it cut.
uint32_t limit_paths(std::vector<Segment>& segments, uint64_t limit);

// A path, taken apart: its segments in order, and the edge it left the last one by.
struct DecodedPath {
  std::vector<uint32_t> segments;
  uint32_t last_edge = kNone;  // index into the last segment's edges when that edge is cut
};
DecodedPath decode_path(const std::vector<Segment>& segments, const Numbering& numbering,
                        uint64_t path);

// The first and last segment of a path, without the way between them.
struct PathEnds {
  uint32_t first = 0, last = 0;
};
PathEnds path_ends(const std::vector<Segment>& segments, const Numbering& numbering, uint64_t path);

}  // namespace vestige
