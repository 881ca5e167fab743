// Who does what in programs with OpenMP tasks: deferred tasks are apart from the threads that run
// them.
//
// A *strand* is a thread outside of deferred tasks, or a slot in which deferred tasks follow each
// other: a task gets a slot whose last task was over when it was created, so what happens in a slot
// is totally ordered. Strands are numbered: first the threads, then the slots. A task that finds no
// slot, and may not have a new one, is part of the strand that its thread was in: that hides races
// and invents none.
//
// What orders tasks is said as giving to and taking from keys, to somebody who keeps clocks of some
// kind:
//
//   a task's creation → its beginning
//   its end → a taskwait of the task that created it; the end of its taskgroup; barriers (of all teams)
//   its end → later tasks of the same creator that depend on the same address, one of the two not just `in`; a
//   taskwait of the creator that depends on it in the same way
//   fulfilling an event → any later wait, and later tasks that have dependences
//   tasks of one thread that want to know which thread that is, or get the thread's copy of something, are in the
//   order in which that thread ran them, from there on; with the thread itself, outside of tasks
//
// What is told is in src/record/runtime/openmp.h. Traces from before there were deferred tasks have
// none of it, and their tasks are ordered by threads. One owner thread. Memory: a few words for
// each task that is not over.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "vestige/sync.h"

namespace vestige::threads {

// Keeps clocks by strand and by key.
class StrandClocks {
 public:
  virtual ~StrandClocks() = default;
  virtual void take(uint32_t strand, uint64_t key) = 0;
  virtual void give(uint32_t strand, uint64_t key) = 0;
  virtual void forget(uint64_t key) = 0;
  // A new strand, with the next number.
  virtual void open(uint32_t strand, uint32_t process) = 0;
  // A task begins in the slot; what it has in the slot is over, before it gives anything for that.
  virtual void begin(uint32_t slot) = 0;
  virtual void over(uint32_t slot) = 0;
  // Whether whoever gave to the key knew that what the slot had is over.
  virtual bool knows(uint64_t key, uint32_t slot) const = 0;
};

// Nobody gives, nobody takes: for those who only ask who runs what.
class NoClocks final : public StrandClocks {
 public:
  void take(uint32_t, uint64_t) override {}
  void give(uint32_t, uint64_t) override {}
  void forget(uint64_t) override {}
  void open(uint32_t, uint32_t) override {}
  void begin(uint32_t) override {}
  void over(uint32_t) override {}
  bool knows(uint64_t, uint32_t) const override { return false; }
};

// By process: its number in the trace and in the process.
using TaskNumber = std::pair<uint32_t, uint64_t>;

// Memory that is a thread's own: its thread-local variables.
struct OwnMemory {
  uint32_t thread = 0;
  uint64_t first = 0, end = 0;
};

// How many there may be, for so many tasks in the trace: clocks have a part for each slot.
uint32_t most_slots(uint64_t tasks);
// Whether this is the creation of a deferred task (or its thread left it).
bool gives_task(const SyncOperation& op);

class TaskStrands {
 public:
  // `own_users`: tasks that use memory that is their thread's own: as if they had asked which it
  // is.
  TaskStrands(const Trace& trace, uint32_t most_slots, std::set<TaskNumber> own_users,
              StrandClocks& clocks);
  ~TaskStrands();
  TaskStrands(const TaskStrands&) = delete;
  TaskStrands& operator=(const TaskStrands&) = delete;

  // What the thread is in now.
  uint32_t strand(uint32_t thread) const;
  // The task that the thread is in now; false: in none.
  bool in_task(uint32_t thread, TaskNumber& task) const;
  // An operation of a thread. False: it is not about tasks, and who does it is the thread's strand.
  bool operation(const SyncOperation& op, uint32_t thread);

  const std::vector<OwnMemory>& own_memory() const { return own_; }

 private:
  struct Dependence;
  struct Context;
  struct Thread;

  Context& top(uint32_t thread);
  void create(uint32_t thread, uint64_t number);
  void begin(uint32_t thread, uint64_t number);
  void leave(uint32_t thread);
  void end(uint32_t thread, uint64_t number);
  void depend(uint32_t thread, uint64_t address, bool writes);
  void take_dependences(uint32_t strand, const Context& task);
  void give_end(const Context& task);
  void find_strand(uint32_t thread, Context& task);
  void suspend(uint32_t thread);
  void resume(uint32_t thread);
  void wait(uint32_t thread, uint64_t key);
  uint32_t process(uint32_t thread) const;
  uint64_t key_of(std::map<uint32_t, uint64_t>& keys, uint32_t process);

  const Trace& trace_;
  const uint32_t most_slots_;
  const std::set<TaskNumber> own_users_;
  StrandClocks& clocks_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::map<TaskNumber, std::shared_ptr<Context>> tasks_;
  std::vector<uint32_t> process_of_slot_;
  std::vector<bool> slot_used_;
  std::unordered_set<uint64_t> waitable_;         // keys of children whose parent is not over
  std::map<uint32_t, uint64_t> all_, fulfilled_;  // keys, by process
  uint64_t last_key_ = 0;
  bool deferred_ = false;  // there have been any
  std::vector<OwnMemory> own_;
};

}  // namespace vestige::threads
