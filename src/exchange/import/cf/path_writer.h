// Replay's follower on a finished graph: adds up path ids and logs them.
#pragma once

#include <string>

#include "exchange/import/cf/control_log.h"
#include "exchange/import/cf/flow_graph.h"

namespace vestige::cf {

class PathWriter {
 public:
  PathWriter(const FlowGraph& graph, ControlLog& log) : graph_(graph), log_(log) {}

  bool start(uint32_t node) {
    path_ = graph_.first_path(node);
    enters_ = kind_of(node) == NodeKind::entry;
    return path_ != kNone || changed();
  }
  bool follow(uint32_t from, uint32_t to) {
    const FlowGraph::Edge* edge = graph_.edge(from, to);
    if (!edge) return changed();
    path_ += edge->increment;
    return !edge->cut || (end(false) && start(to));
  }
  bool end(bool leaves) {
    auto done = log_.append(path_, enters_, leaves);
    if (done) return true;
    failure_ = std::move(done.error());
    return false;
  }
  const std::string& error() const { return failure_.message; }
  // Of a failure that has nothing to do with the event: its kind is io.
  const Error& failure() const { return failure_; }

 private:
  bool changed() {
    failure_ = {ErrorKind::corrupt, "the input changed while it was read"};
    return false;
  }

  const FlowGraph& graph_;
  ControlLog& log_;
  uint32_t path_ = kNone;
  bool enters_ = false;
  Error failure_{ErrorKind::corrupt, ""};
};

}  // namespace vestige::cf
