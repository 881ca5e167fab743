// The nodes of one thread of a whole execution trace while it is written: the values of their
// executions, until a segment ends.
//
// One owner thread.
#pragma once

#include <deque>
#include <unordered_map>

#include "query/wet/node_shape.h"
#include "query/wet/node_values.h"
#include "trace/eval/observer.h"

namespace vestige {

struct WetNode {
  const Path* path = nullptr;
  uint32_t instances = 0;             // executions so far
  uint64_t executions = 0;            // in this segment
  std::vector<GroupColumns> columns;  // by group
  std::vector<ValueGroupEncoder> groups;
  std::vector<std::vector<uint64_t>> rows;  // by group: of the execution at hand
  // Statements that have rows, in the order executed, with the columns of each.
  struct Field {
    uint32_t field = 0, group = 0, column = 0;
  };
  struct Kept {
    uint32_t statement = 0;
    std::vector<Field> fields;
  };
  std::vector<Kept> kept;
};

class WetNodes {
 public:
  explicit WetNodes(const Trace& trace) : trace_(trace), exports_(trace.functions().size()) {}

  // The number of the path's node.
  uint32_t node_of(const Path& path, const PathShape& shape);
  WetNode& operator[](uint32_t number) { return nodes_[number]; }
  size_t size() const { return nodes_.size(); }
  // An execution; rows in the order executed. Gives how many bytes more wait.
  size_t add_values(WetNode& node, std::span<const Observation> rows);
  // The values of the segment, which is over.
  Bytes finish_values(const WetChunkHead& head);
  uint64_t groups() const { return group_count_; }

 private:
  const Trace& trace_;
  std::vector<std::unique_ptr<FunctionExports>> exports_;  // by function, when it first runs
  std::unordered_map<uint32_t, uint32_t> numbers_;         // by path id
  std::deque<WetNode> nodes_;
  uint64_t group_count_ = 0;
};

}  // namespace vestige
