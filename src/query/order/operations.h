// The synchronization operations of a trace, each with what it demands of every order of events.
//
// There are two kinds of demand. A *lock* excludes: whoever takes it waits until it was given back,
// but who comes first is left open. An *edge* does not leave that open: the operation cannot happen
// before the other one, as a thread's join cannot happen before its end. Happens-before is both, in
// the recorded order; orders that could have been keep the edges and only exclude by locks.
//
//   mutexes, spin locks, the mutex of a wait     a lock
//   rwlocks                                      a lock for each thread that reads; writers take
//                                                them all, and one of their own
//   barriers, semaphores, once, atomic
//   operations and fences, OpenMP                edges, those of query/order/sync_semantics.h
//   a lock that is given back by somebody who
//   does not have it (that is no edge), or taken
//   while another has it (unrecorded code had a
//   hand in it)                                  edges
//
// A lock in memory that holds another one later is another lock (object_lives.h).
//
// Edges that follow from others are left out: an operation has an edge from another thread's only
// where it does not know of it already through edges.
//
// Reads all operations twice. Memory: what is known of each object. One owner thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "query/order/object_lives.h"
#include "query/order/tasks.h"
#include "vestige/result.h"
#include "vestige/sync.h"
#include "vestige/trace.h"

namespace vestige::threads {

struct Operation {
  SyncOperation sync;   // as recorded
  uint64_t index = 0;   // in the order, from 1
  uint32_t thread = 0;  // who did it: of a handler's, the thread that it interrupted
  uint64_t time = 0;    // that thread's: accesses up to this time came before
  enum class Role : uint8_t { none, acquires, releases, forks, joins } role = Role::none;
  std::vector<uint32_t> locks;   // acquires, releases: numbers of locks, from 0
  uint32_t other = kNone;        // forks, joins: the thread
  std::vector<uint64_t> behind;  // edges: indices of operations that came before
  // With tasks apart (tasks.h): the strand that did it, the one that the thread goes on with, and
  // that one's edges, if it is another one: they may begin at this operation. Else the thread,
  // both.
  uint32_t strand = 0, next_strand = 0;
  std::vector<uint64_t> behind_next;
  const TaskStrands* tasks = nullptr;  // as they are behind it
};

struct OperationOptions {
  // Edges that only matter for what could have been: from signals to the waits they ended, and
  // between atomic operations on one location of which one writes, whatever their memory order.
  bool outcomes = false;
  // Edges to those whose turn it is by chance, as with locks: atomic read-modify-writes, and waits
  // for semaphores that begin above 0.
  bool chances = true;
  // Deferred tasks of OpenMP are apart from the threads that run them. `own_users`: TaskStrands.
  bool tasks = false;
  std::set<TaskNumber> own_users = {};
  // Instead of tasks: pieces of threads that are apart from each other. The strand that does an
  // operation: the thread, or a number behind all threads.
  std::function<uint32_t(const SyncOperation&)> strand_of = nullptr;
  uint32_t strands = 0;  // how many there are, threads included
  // Where locks and atomic variables are written anew (Pieces); null: nowhere.
  std::shared_ptr<const Rewrites> rewrites = nullptr;
};

class OperationReader {
 public:
  // The trace must outlive it.
  static Result<OperationReader> open(const Trace& trace, const OperationOptions& options);
  OperationReader(OperationReader&&) noexcept;
  OperationReader& operator=(OperationReader&&) noexcept;
  ~OperationReader();

  // The next operation, those on memory included, valid until the next call; nullptr at the end, or
  // with error() set.
  const Operation* next();
  const Error* error() const;

 private:
  struct State;
  explicit OperationReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace vestige::threads
