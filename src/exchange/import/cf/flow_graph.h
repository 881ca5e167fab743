// The path graph of an imported program: its nodes (replay.h) and the edges that were taken, and
// from them the functions of the program table.
//
// First it is drawn, as Replay's follower. build() then cuts its cycles and numbers its paths as
// the compiler pass does (program/numbering.h), so a path is as long as the observed branches
// allow. From then on it says what each node and edge adds to a path's id.
//
// Invariants: 1. only what the events did is in the graph, but paths may combine it anew, as in any
// program; 2. node → segment and edge → segment edge are one to one, but for the edges behind a
// call, which no path takes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/open_map.h"
#include "exchange/import/cf/places.h"
#include "store/chunks.h"

namespace vestige::cf {

class FlowGraph {
 public:
  explicit FlowGraph(const Places& places) : places_(places) {}

  // Replay's follower.
  bool start(uint32_t node);
  bool follow(uint32_t from, uint32_t to);
  bool end(bool) { return true; }
  const std::string& error() const { return error_; }

  // The program, with ids. Call once, when all is drawn. Fails when the ids do not suffice.
  Result<ModuleChunk> build(const std::string& name);

  // Behind build(): the id of the first path from a start; what an edge adds, and whether the
  // path ends on it (then it is complete with that). kNone: it was not drawn.
  uint32_t first_path(uint32_t node) const {
    return node < first_path_.size() ? first_path_[node] : kNone;
  }
  struct Edge {
    uint32_t from = kNone, to = kNone;
    uint32_t increment = 0;
    bool cut = false;
  };
  const Edge* edge(uint32_t from, uint32_t to) const {
    const uint32_t at = number_of_.get(pair_key(from, to));
    return at == kNone ? nullptr : &edges_[at];
  }

 private:
  static constexpr size_t kMostEdges = size_t{1} << 23;
  enum Mark : uint8_t { kDrawn = 1, kStarts = 2 };

  bool mark(uint32_t node, uint8_t marks);
  bool has(uint32_t node, uint8_t mark) const {
    return node < marks_.size() && (marks_[node] & mark) != 0;
  }

  struct Draft;  // of one function
  // `by_from`: the edges, ordered by where they come from.
  Draft draft(uint32_t function, std::span<const uint32_t> by_from) const;
  // Cuts and numbers; at most `limit` paths from a start.
  Result<uint64_t> number(Draft& draft, uint64_t limit) const;
  void keep(const Draft& draft);

  const Places& places_;
  std::vector<uint8_t> marks_;  // per node
  std::vector<Edge> edges_;     // in the order they came up
  NumberMap number_of_;         // by the pair of nodes
  std::vector<uint32_t> first_path_;
  std::string error_;
};

}  // namespace vestige::cf
