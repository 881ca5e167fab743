// Slices by brute force: walks all threads of a process forwards once, keeps for every execution
// what it depends on, and searches that graph. Shares nothing with src/query/slice.
//
// Threads are taken in turn, from one synchronization operation to the next, by the stamps of
// these.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "control_twin.h"
#include "vestige/query.h"
#include "vestige/trace.h"

namespace vestige {

class SliceTwin {
 public:
  // Of the process of thread 0.
  static Result<SliceTwin> make(const Trace& trace);

  struct Execution {
    StatementRef statement;
    uint64_t time = 0;
    uint32_t thread = 0;
  };
  const std::vector<Execution>& executions() const { return executions_; }
  // Blocks that the round of an endless loop decided on, and not a branch before it.
  uint64_t decided_by_rounds() const { return by_round_; }
  // Functions that were executed and have an endless loop.
  size_t endless_functions() const;

  // Depth of each member, by number of the execution.
  std::map<uint32_t, uint32_t> backward(uint32_t execution, bool data_only, uint32_t depth) const;
  std::map<uint32_t, uint32_t> forward(uint32_t execution, bool data_only, uint32_t depth) const;

  struct Edge {
    uint32_t to = 0;
    bool control = false;
    bool free = false;         // between parts of one execution
    uint32_t operand = kNone;  // of statements that are neither calls nor phis
  };
  // A part of an execution: a call has one for itself, one for its result and one per argument; a
  // copy has one for itself and one per byte.
  struct Node {
    uint32_t execution = 0;
    std::vector<Edge> needs;
  };
  const std::vector<Node>& nodes() const { return nodes_; }
  // Of an execution: all of it but the results of calls, what they pass and the bytes that are
  // copied.
  uint32_t node_of(uint32_t execution) const { return parts_[execution][0]; }
  // Of a copy: a node for each byte.
  const std::vector<uint32_t>* bytes_of(uint32_t execution) const {
    const auto found = copied_.find(execution);
    return found == copied_.end() ? nullptr : &found->second;
  }

 private:
  struct Builder;
  struct Walk;
  const ControlTwin& control_of(const Function& function);

  std::map<uint32_t, uint32_t> search(std::vector<uint32_t> from, bool data_only, uint32_t depth,
                                      const std::vector<std::vector<Edge>>& edges) const;

  std::vector<Execution> executions_;
  std::vector<Node> nodes_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> copied_;
  std::vector<std::vector<uint32_t>> parts_;  // by execution: all its nodes
  std::unordered_map<const Function*, ControlTwin> controls_;
  uint64_t by_round_ = 0;
};

}  // namespace vestige
