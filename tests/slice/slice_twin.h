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

  // Depth of each member, by number of the execution.
  std::map<uint32_t, uint32_t> backward(uint32_t execution, bool data_only, uint32_t depth) const;
  std::map<uint32_t, uint32_t> forward(uint32_t execution, bool data_only, uint32_t depth) const;

 private:
  struct Edge {
    uint32_t to = 0;
    bool control = false;
    bool free = false;  // between parts of one execution
  };
  // A part of an execution: a call has one for itself, one for its result and one per argument; a
  // copy has one for itself and one per byte.
  struct Node {
    uint32_t execution = 0;
    std::vector<Edge> needs;
  };
  struct Builder;
  struct Walk;

  std::map<uint32_t, uint32_t> search(std::vector<uint32_t> from, bool data_only, uint32_t depth,
                                      const std::vector<std::vector<Edge>>& edges) const;

  std::vector<Execution> executions_;
  std::vector<Node> nodes_;
  std::vector<std::vector<uint32_t>> parts_;   // by execution: all its nodes
  std::vector<std::vector<uint32_t>> wanted_;  // by execution: those a backward slice begins with
};

}  // namespace vestige
