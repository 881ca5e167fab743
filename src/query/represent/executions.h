// How often each load, store and memory intrinsic was executed up to a path, by going over a
// thread's paths once: the n-th address that a cdr keeps of a statement is that of its n-th
// execution.
//
// One owner thread. Memory: a number for each statement of the program, and the statements of each
// path that was met.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "vestige/trace.h"

namespace vestige {

// The statements of paths that have addresses, in the order in which a path executes them, by #ID.
class AddressedStatements {
 public:
  explicit AddressedStatements(const Trace& trace) : trace_(&trace) {}
  std::span<const uint32_t> of(const Path& path) {
    if (last_ == &path) return *last_statements_;
    const auto [at, fresh] = known_.try_emplace(&path);
    if (fresh) at->second = find(path);
    last_ = &path;
    last_statements_ = &at->second;
    return at->second;
  }

 private:
  std::vector<uint32_t> find(const Path& path) const;
  const Trace* trace_;
  std::unordered_map<const Path*, std::vector<uint32_t>> known_;
  const Path* last_ = nullptr;
  const std::vector<uint32_t>* last_statements_ = nullptr;
};

class Executions {
 public:
  static Result<Executions> open(const Trace& trace, uint32_t thread);

  // Goes on to the last path that has this time or a lower one.
  void go_to(uint64_t time) {
    while (more_ && cursor_.time() <= time) {
      for (const uint32_t id : statements_.of(cursor_.path())) ++counts_[id];
      more_ = cursor_.next();
    }
  }
  // Of the statement with this #ID.
  uint64_t of(uint64_t id) const { return counts_[id]; }

 private:
  Executions(const Trace& trace, PathCursor cursor);
  PathCursor cursor_;
  bool more_ = false;
  AddressedStatements statements_;
  std::vector<uint64_t> counts_;
};

}  // namespace vestige
