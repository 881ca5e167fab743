#include "query/sharing/stages.h"

#include <algorithm>

namespace vestige::threads {

namespace {

void learn(std::vector<uint64_t>& known, uint32_t thread, uint64_t operation) {
  if (thread >= known.size()) known.resize(thread + 1);
  known[thread] = std::max(known[thread], operation);
}

void learn(std::vector<uint64_t>& known, const std::vector<uint64_t>& more) {
  for (uint32_t t = 0; t < more.size(); ++t) learn(known, t, more[t]);
}

// Locks leave no edges, and neither does memory that is handed out.
bool may_give(const Operation& op) {
  return op.role != Operation::Role::acquires && op.role != Operation::Role::releases &&
         !is_memory(op.sync.kind);
}

}  // namespace

void Stages::operation(const Operation& op) {
  who_.resize(op.index + 1, kNone);
  who_[op.index] = op.thread;
  if (!may_give(op) && op.behind.empty()) return;
  Known known = threads_[op.thread].known.back();
  for (const uint64_t other : op.behind) {
    learn(known, who_[other], other);
    learn(known, known_at(who_[other], other));
  }
  if (op.role == Operation::Role::joins) {
    learn(known, threads_[op.other].known.back());
    learn(known, op.other, UINT64_MAX);
  }
  begin_stage(threads_[op.thread], op.index, known);
  if (op.role != Operation::Role::forks) return;
  learn(known, op.thread, op.index);
  learn(known, threads_[op.other].known.back());
  begin_stage(threads_[op.other], op.index, known);
}

void Stages::begin_stage(Thread& thread, uint64_t end, const Known& known) {
  if (known != thread.known.back()) {
    thread.known.push_back(known);
    thread.since.push_back(end);
  }
  thread.stages.back().end = end;
  thread.stages.push_back({UINT64_MAX, static_cast<uint32_t>(thread.known.size() - 1)});
}

const Stages::Known& Stages::known_at(uint32_t thread, uint64_t operation) const {
  const Thread& theirs = threads_[thread];
  const auto behind = std::ranges::upper_bound(theirs.since, operation);
  return theirs.known[static_cast<size_t>(behind - theirs.since.begin()) - 1];
}

bool Stages::before(uint32_t a, uint32_t stage_of_a, uint32_t b, uint32_t stage_of_b) const {
  const Thread& theirs = threads_[b];
  const Known& known = theirs.known[theirs.stages[stage_of_b].known];
  return a < known.size() && threads_[a].stages[stage_of_a].end <= known[a];
}

}  // namespace vestige::threads
