#include "query/order/tasks.h"

#include <algorithm>

namespace vestige::threads {

namespace {

// As src/record/runtime/openmp.h has them.
constexpr uint64_t kTasksDone = 12, kDependent = 13, kDeferred = 15;
enum class TaskWord : uint8_t {
  task,
  over,
  waited,
  group_begin,
  group_end,
  barrier,
  reads,
  writes,
  own_first,
  own_end,
  asks,
  fulfilled,
  sibling,
  met
};
constexpr uint32_t kThingShift = 60, kWordShift = 56;

uint64_t thing_of(uint64_t object) { return object >> kThingShift; }
TaskWord word_of(uint64_t object) { return static_cast<TaskWord>(object >> kWordShift & 15); }
uint64_t number_of(uint64_t object) { return object & ((uint64_t{1} << kWordShift) - 1); }

}  // namespace

uint32_t most_slots(uint64_t tasks) {
  constexpr uint64_t kMost = 512, kLeast = 16, kParts = uint64_t{1} << 28, kClocksOfTask = 3;
  return static_cast<uint32_t>(
      std::clamp(kParts / (kClocksOfTask * std::max<uint64_t>(tasks, 1)), kLeast, kMost));
}

bool gives_task(const SyncOperation& op) {
  return op.kind == SyncKind::omp_give && thing_of(op.object) == kDeferred &&
         word_of(op.object) == TaskWord::task;
}

struct TaskStrands::Dependence {
  uint64_t wrote = 0, read = 0;  // keys
};

// A task, or a thread outside of tasks.
struct TaskStrands::Context {
  TaskNumber number;
  uint32_t strand = kNone;
  bool in_slot = false;
  bool asks = false;
  uint64_t start = 0, children = 0;  // keys
  std::vector<uint64_t> groups;      // keys; the innermost is the last one
  size_t inherited_groups = 0;
  // Of its children's dependences.
  std::map<uint64_t, Dependence> dependences;
  uint64_t dependents = 0,
           wrote_all = 0;  // keys: of all that have dependences, of those on all memory
  // What it has of its parent.
  uint64_t among_children = 0;
  struct Depends {
    Dependence on;
    bool writes = false, all = false;
  };
  std::vector<Depends> depends;
  uint64_t among_dependents = 0, parent_wrote_all = 0;
};

struct TaskStrands::Thread {
  Context base;
  std::vector<std::shared_ptr<Context>> running;  // the innermost last
  std::shared_ptr<Context> created;               // last
  uint64_t own = 0;                               // key
  uint64_t own_first = 0;
};

TaskStrands::TaskStrands(const Trace& trace, uint32_t most_slots, std::set<TaskNumber> own_users,
                         StrandClocks& clocks)
    : trace_(trace), most_slots_(most_slots), own_users_(std::move(own_users)), clocks_(clocks) {
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    auto& thread = *threads_.emplace_back(std::make_unique<Thread>());
    thread.own = ++last_key_;
    thread.base.strand = t;
    thread.base.asks = true;
    thread.base.children = ++last_key_;
    waitable_.insert(thread.base.children);
  }
}

TaskStrands::~TaskStrands() = default;

uint32_t TaskStrands::process(uint32_t thread) const { return trace_.threads()[thread].process; }

uint64_t TaskStrands::key_of(std::map<uint32_t, uint64_t>& keys, uint32_t process) {
  const auto [at, fresh] = keys.try_emplace(process, 0);
  if (fresh) at->second = ++last_key_;
  return at->second;
}

TaskStrands::Context& TaskStrands::top(uint32_t thread) {
  Thread& of = *threads_[thread];
  return of.running.empty() ? of.base : *of.running.back();
}

uint32_t TaskStrands::strand(uint32_t thread) const {
  const Thread& of = *threads_[thread];
  return of.running.empty() ? thread : of.running.back()->strand;
}

bool TaskStrands::in_task(uint32_t thread, TaskNumber& task) const {
  const Thread& of = *threads_[thread];
  if (of.running.empty()) return false;
  task = of.running.back()->number;
  return true;
}

bool TaskStrands::operation(const SyncOperation& op, uint32_t thread) {
  const bool takes = op.kind == SyncKind::omp_take;
  if (!takes && op.kind != SyncKind::omp_give) return false;
  const uint64_t thing = thing_of(op.object);
  if (thing == kTasksDone || thing == kDependent) return deferred_;
  if (thing != kDeferred) return false;
  const uint64_t number = number_of(op.object);
  Context& now = top(thread);
  switch (word_of(op.object)) {
    case TaskWord::task:
      if (takes)
        begin(thread, number);
      else if (!threads_[thread]->running.empty() && now.number.second == number)
        leave(thread);
      else
        create(thread, number);
      break;
    case TaskWord::over:
      end(thread, number);
      break;
    case TaskWord::waited:
      wait(thread, now.children);
      break;
    case TaskWord::group_begin:
      now.groups.push_back(++last_key_);
      break;
    case TaskWord::group_end:
      if (now.groups.size() <= now.inherited_groups) break;
      wait(thread, now.groups.back());
      clocks_.forget(now.groups.back());
      now.groups.pop_back();
      break;
    case TaskWord::barrier:
      wait(thread, key_of(all_, process(thread)));
      break;
    case TaskWord::reads:
    case TaskWord::writes:
      depend(thread, number, word_of(op.object) == TaskWord::writes);
      break;
    case TaskWord::own_first:
      threads_[thread]->own_first = number;
      break;
    case TaskWord::own_end:
      own_.push_back({thread, threads_[thread]->own_first, number});
      break;
    case TaskWord::asks:
      now.asks = true;
      resume(thread);
      break;
    case TaskWord::fulfilled:
      clocks_.give(now.strand, key_of(fulfilled_, process(thread)));
      break;
    case TaskWord::sibling:
      if (threads_[thread]->created != nullptr && now.among_children != 0)
        threads_[thread]->created->among_children = now.among_children;
      break;
    case TaskWord::met:
      if (const auto found = tasks_.find({process(thread), number}); found != tasks_.end())
        take_dependences(now.strand, *found->second);
      end(thread, number);
      break;
  }
  return true;
}

void TaskStrands::wait(uint32_t thread, uint64_t key) {
  const uint32_t strand = top(thread).strand;
  clocks_.take(strand, key);
  clocks_.take(strand, key_of(fulfilled_, process(thread)));
}

// What runs makes room for another task.
void TaskStrands::suspend(uint32_t thread) {
  const Context& now = top(thread);
  if (now.asks) clocks_.give(now.strand, threads_[thread]->own);
}
void TaskStrands::resume(uint32_t thread) {
  const Context& now = top(thread);
  if (now.asks) clocks_.take(now.strand, threads_[thread]->own);
}

void TaskStrands::create(uint32_t thread, uint64_t number) {
  deferred_ = true;
  Context& parent = top(thread);
  auto task = std::make_shared<Context>();
  task->number = {process(thread), number};
  task->asks = own_users_.contains(task->number);
  task->start = ++last_key_;
  task->children = ++last_key_;
  waitable_.insert(task->children);
  task->among_children = parent.children;
  if (!parent.groups.empty()) task->groups.push_back(parent.groups.back());
  task->inherited_groups = task->groups.size();
  clocks_.give(parent.strand, task->start);
  threads_[thread]->created = task;
  tasks_[task->number] = std::move(task);
}

// 0 is the address of all memory.
void TaskStrands::depend(uint32_t thread, uint64_t address, bool writes) {
  Context* task = threads_[thread]->created.get();
  if (task == nullptr) return;
  Context& parent = top(thread);
  if (parent.dependents == 0) {
    parent.dependents = ++last_key_;
    parent.wrote_all = ++last_key_;
  }
  task->among_dependents = parent.dependents;
  task->parent_wrote_all = parent.wrote_all;
  Dependence& on = parent.dependences[address];
  if (on.wrote == 0) on = {++last_key_, ++last_key_};
  task->depends.push_back({on, writes, address == 0});
}

void TaskStrands::take_dependences(uint32_t strand, const Context& task) {
  if (task.depends.empty()) return;
  clocks_.take(strand, key_of(fulfilled_, task.number.first));
  clocks_.take(strand, task.parent_wrote_all);
  for (const Context::Depends& one : task.depends) {
    clocks_.take(strand, one.all ? task.among_dependents : one.on.wrote);
    if (one.writes) clocks_.take(strand, one.on.read);
  }
}

void TaskStrands::give_end(const Context& task) {
  if (waitable_.contains(task.among_children)) clocks_.give(task.strand, task.among_children);
  if (task.inherited_groups != 0) clocks_.give(task.strand, task.groups.front());
  clocks_.give(task.strand, key_of(all_, task.number.first));
  if (task.depends.empty() || !waitable_.contains(task.among_children)) return;
  clocks_.give(task.strand, task.among_dependents);
  for (const Context::Depends& one : task.depends)
    clocks_.give(task.strand, one.all      ? task.parent_wrote_all
                              : one.writes ? one.on.wrote
                                           : one.on.read);
}

void TaskStrands::find_strand(uint32_t thread, Context& task) {
  const auto first = static_cast<uint32_t>(threads_.size());
  const auto use = [&](uint32_t slot) {
    slot_used_[slot] = true;
    task.strand = first + slot;
    task.in_slot = true;
  };
  for (uint32_t slot = 0; slot < slot_used_.size(); ++slot)
    if (!slot_used_[slot] && process_of_slot_[slot] == task.number.first &&
        clocks_.knows(task.start, first + slot))
      return use(slot);
  if (slot_used_.size() < most_slots_) {
    const auto slot = static_cast<uint32_t>(slot_used_.size());
    slot_used_.push_back(true);
    process_of_slot_.push_back(task.number.first);
    clocks_.open(first + slot, task.number.first);
    return use(slot);
  }
  task.strand = top(thread).strand;
}

void TaskStrands::begin(uint32_t thread, uint64_t number) {
  const auto found = tasks_.find({process(thread), number});
  if (found == tasks_.end()) return;  // its creation was not recorded
  suspend(thread);
  const std::shared_ptr<Context> task = found->second;
  if (task->strand == kNone) {
    find_strand(thread, *task);
    if (task->in_slot) clocks_.begin(task->strand);
    clocks_.take(task->strand, task->start);
    take_dependences(task->strand, *task);
  }
  threads_[thread]->running.push_back(task);
  resume(thread);
}

void TaskStrands::leave(uint32_t thread) {
  suspend(thread);
  Thread& of = *threads_[thread];
  const std::shared_ptr<Context> task = of.running.back();
  of.running.pop_back();
  if (!task->in_slot) {
    clocks_.give(task->strand, task->start);
    task->strand = kNone;
  }
  resume(thread);
}

void TaskStrands::end(uint32_t thread, uint64_t number) {
  const auto found = tasks_.find({process(thread), number});
  if (found == tasks_.end()) return;
  const std::shared_ptr<Context> task = found->second;
  tasks_.erase(found);
  auto& running = threads_[thread]->running;
  const bool runs = !running.empty() && running.back() == task;
  if (runs) {
    if (task->in_slot) clocks_.over(task->strand);
    suspend(thread);
    give_end(*task);
    running.pop_back();
    if (task->in_slot) slot_used_[task->strand - threads_.size()] = false;
    resume(thread);
  }
  // Otherwise it was cancelled before it began.
  waitable_.erase(task->children);
  for (const uint64_t key : {task->start, task->children, task->dependents, task->wrote_all})
    if (key != 0) clocks_.forget(key);
  for (const auto& [address, on] : task->dependences) {
    clocks_.forget(on.wrote);
    clocks_.forget(on.read);
  }
}

}  // namespace vestige::threads
