// Which stretches of threads are ordered, plainly: a full vector clock for each. For the twins.
//
// Written apart from src/query, straight from docs/threads.md.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "vestige/sync.h"

namespace vestige {

using Clock = std::vector<uint64_t>;

inline void join(Clock& into, const Clock& from) {
  for (size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

// What a thread knows between two operations.
struct State {
  uint64_t until = UINT64_MAX;           // times up to this one
  size_t who = 0;                        // the thread, or behind the threads a task
  uint64_t begin = 0, end = UINT64_MAX;  // stamps
  Clock clock;
};

// What happened to be ordered; or what is so in every schedule: turns that are taken by chance order nothing then.
enum class Orders { recorded, always };

struct Place {
  Clock clock, head_clock;
  uint32_t head = kNone;
};

struct Semaphore {
  bool known = false;
  uint64_t initial = 0, waits = 0;
  std::vector<Clock> posts;
};

struct Memory {
  uint64_t first = 0, end = 0, stamp = 0;
  uint32_t process = 0;
};

// A deferred task, or a thread outside of tasks.
struct Doer {
  std::pair<uint32_t, uint64_t> number;  // process, and in it
  bool started = false, ended = false, asks = false;
  size_t parent = 0;
  std::vector<size_t>
      groups;             // numbers of taskgroups; of a task, the first one may be its creator's
  bool in_group = false;  // it is
  std::vector<std::pair<uint64_t, bool>> depends;  // on an address; whether not just in
  Clock done, dependents, every;  // of children: all, with dependences, on all memory
  std::map<uint64_t, std::pair<Clock, Clock>>
      written_read;  // of children that depend on the address
};

struct Twin {
  // `tasks`: deferred tasks of OpenMP are apart from threads; those in `own_users` know their thread.
  explicit Twin(const Trace& trace, Orders orders = Orders::recorded, bool tasks = false,
                std::set<std::pair<uint32_t, uint64_t>> own_users = {})
      : trace(trace),
        orders(orders),
        tasks(tasks),
        own_users(own_users),
        threads(trace.threads().size()),
        n(threads + count_tasks()),
        now(n, Clock(n)),
        fence(n, Clock(n)),
        pending(n, Clock(n)),
        states(threads),
        doers(threads),
        running(threads),
        own(threads),
        last_made(threads),
        own_first(threads) {
    for (size_t t = 0; t < n; ++t) now[t][t] = 1;
    for (size_t t = 0; t < threads; ++t) {
      states[t].push_back({});
      states[t][0].who = t;
      doers[t].asks = true;
    }
  }

  size_t count_tasks() const {
    size_t found = 0;
    auto order = SyncOrderCursor::open(trace);
    while (tasks && order->next())
      found +=
          order->operation().kind == SyncKind::omp_give && order->operation().object >> 56 == 0xf0;
    return found;
  }
  size_t who(uint32_t t) const { return running[t].empty() ? t : running[t].back(); }

  uint32_t process(uint32_t t) const { return trace.threads()[t].process; }

  void end_state(const SyncOperation& op, uint32_t t, uint64_t time) {
    State& last = states[t].back();
    last.until = time;
    last.end = op.stamp;
    State next;
    next.who = who(t);
    next.begin = op.stamp;
    states[t].push_back(next);
  }

  void run() {
    std::vector<SyncOperation> all;
    auto order = SyncOrderCursor::open_with_memory(trace);
    while (order->next()) all.push_back(order->operation());
    std::set<std::pair<uint32_t, uint64_t>> refused;
    for (const SyncOperation& op : all)
      if (op.kind == SyncKind::refused) refused.emplace(op.thread, op.number - 1);
    if (orders == Orders::always) find_odd_locks(all, refused);
    for (const SyncOperation& op : all) {
      if (op.kind == SyncKind::refused) continue;
      if (!is_memory(op.kind) && refused.contains({op.thread, op.number})) continue;
      // A handler's operations are the interrupted thread's.
      const auto [t, time] = doer(op);
      apply(op, t, time);
    }
    for (size_t t = 0; t < threads; ++t) states[t].back().clock = now[who(t)];
  }

  std::pair<uint32_t, uint64_t> doer(const SyncOperation& op) const {
    uint32_t t = op.thread;
    uint64_t time = op.time, interrupted = 0;
    while (trace.threads()[t].handler) {
      uint32_t thread = t;
      const auto events = trace.events(t);
      for (const TraceEvent& event : *events)
        if (event.kind == TraceEvent::Kind::handler_begin && event.time <= time) {
          thread = static_cast<uint32_t>(event.numbers[1]);
          interrupted = event.numbers[2];
        }
      if (thread == t) break;
      t = thread;
      time = interrupted;
    }
    return {t, time};
  }

  static bool takes(SyncKind kind) {
    return kind == SyncKind::mutex_lock || kind == SyncKind::spin_lock ||
           kind == SyncKind::cond_wake || kind == SyncKind::write_lock ||
           kind == SyncKind::read_lock;
  }
  static bool gives(SyncKind kind) {
    return kind == SyncKind::mutex_unlock || kind == SyncKind::spin_unlock ||
           kind == SyncKind::cond_wait || kind == SyncKind::rwlock_unlock;
  }
  static uint64_t lock_of(const SyncOperation& op) {
    return op.kind == SyncKind::cond_wait || op.kind == SyncKind::cond_wake ? op.other : op.object;
  }

  // Locks that somebody takes while another has them, or gives without having them: those order.
  void find_odd_locks(const std::vector<SyncOperation>& all,
                      const std::set<std::pair<uint32_t, uint64_t>>& refused) {
    std::map<Object, std::map<std::pair<uint32_t, bool>, uint64_t>>
        holders;  // by thread, and whether to itself
    for (const SyncOperation& op : all) {
      if (op.kind == SyncKind::refused || refused.contains({op.thread, op.number})) continue;
      if (!takes(op.kind) && !gives(op.kind)) continue;
      const uint32_t t = doer(op).first;
      const Object lock(process(t), lock_of(op));
      auto& now_held = holders[lock];
      if (takes(op.kind)) {
        const bool alone = op.kind != SyncKind::read_lock;
        for (const auto& [holder, times] : now_held) {
          if (times == 0) continue;
          if (holder.second ? !(alone && holder.first == t) : alone) odd.insert(lock);
        }
        ++now_held[{t, alone}];
      } else if (now_held[{t, true}] > 0) {
        --now_held[{t, true}];
      } else if (now_held[{t, false}] > 0) {
        --now_held[{t, false}];
      } else {
        odd.insert(lock);
      }
    }
  }

  // Whether somebody's turn came by chance.
  bool chance(const SyncOperation& op, uint32_t t) {
    if (orders == Orders::recorded) return false;
    if (takes(op.kind) || gives(op.kind)) return !odd.contains({process(t), lock_of(op)});
    const auto semaphore = semaphores.find({process(t), op.object});
    return op.kind == SyncKind::sem_wait && semaphore != semaphores.end() &&
           semaphore->second.initial > 0;
  }

  void apply(const SyncOperation& op, uint32_t t, uint64_t time) {
    const size_t w = who(t);
    states[t].back().clock = now[w];
    const std::pair object(process(t), op.object);
    Clock& mine = now[w];
    if (tasks && task_operation(op, t)) {
      ++mine[w];
      return end_state(op, t, time);
    }
    const auto get = [&](const Clock& from) {
      if (!from.empty()) join(mine, from);
    };
    const auto give = [&](Clock& into) {
      into.resize(n);
      join(into, mine);
    };
    switch (chance(op, t) ? SyncKind::refused : op.kind) {
      case SyncKind::mutex_lock:
      case SyncKind::spin_lock:
      case SyncKind::omp_take:
        get(plain[object]);
        break;
      case SyncKind::mutex_unlock:
      case SyncKind::spin_unlock:
      case SyncKind::omp_give:
        give(plain[object]);
        break;
      case SyncKind::cond_wait:
        give(plain[{object.first, op.other}]);
        break;
      case SyncKind::cond_wake:
        get(plain[{object.first, op.other}]);
        break;
      case SyncKind::read_lock:
        get(written[object]);
        break;
      case SyncKind::write_lock:
        get(written[object]);
        get(read[object]);
        writer[object] = w;
        break;
      case SyncKind::rwlock_unlock:
        if (writer.contains(object) && writer[object] == w) {
          give(written[object]);
          writer.erase(object);
        } else {
          give(read[object]);
        }
        break;
      case SyncKind::barrier_init:
        for (auto& [key, clock] : rounds)
          if (key.first == object) clock.clear();
        break;
      case SyncKind::barrier_arrive:
        give(rounds[{object, op.other}]);
        break;
      case SyncKind::barrier_leave:
        get(rounds[{object, op.other}]);
        break;
      case SyncKind::sem_init:
        semaphores[object] = {true, op.other, 0, {}};
        break;
      case SyncKind::sem_post:
        semaphores[object].posts.push_back(mine);
        break;
      case SyncKind::sem_wait: {
        Semaphore& s = semaphores[object];
        ++s.waits;
        size_t needed = s.posts.size();
        if (s.known) {
          needed = s.waits <= s.initial ? 0 : s.waits - s.initial;
          needed = std::min(needed, s.posts.size());
        }
        for (size_t i = 0; i < needed; ++i) get(s.posts[i]);
        break;
      }
      case SyncKind::once_done:
        give(places[object].clock);
        break;
      case SyncKind::once:
        get(places[object].clock);
        break;
      case SyncKind::thread_create:
        create(op, t, w);
        break;
      case SyncKind::thread_join:
        if (alive.contains(object)) get(now[alive[object]]);
        break;
      case SyncKind::allocated:
        memory.push_back({op.object, op.other, op.stamp, object.first});
        break;
      default:
        break;
    }
    if (op.kind == SyncKind::fence) {
      const uint32_t o = op.result & 15;
      if (o == 1 || o == 2 || o >= 4) join(mine, pending[w]);
      if (o >= 3) fence[w] = mine;
    } else if (is_atomic(op.kind)) {
      atomic(op, t, w, places[object]);
    }
    ++mine[w];
    end_state(op, t, time);
  }

  // Deferred tasks (docs/threads.md): true when the operation was about them.
  bool task_operation(const SyncOperation& op, uint32_t t) {
    if (op.kind != SyncKind::omp_give && op.kind != SyncKind::omp_take) return false;
    const uint64_t thing = op.object >> 60;
    if (thing == 12 || thing == 13)
      return doers.size() > threads;  // coarse, for those who know of threads alone
    if (thing != 15) return false;
    const std::pair<uint32_t, uint64_t> number(process(t), op.object & ((uint64_t{1} << 56) - 1));
    const size_t w = who(t);
    Clock& mine = now[w];
    Clock& event = fulfilled[process(t)];
    const auto add = [&](Clock& into) {
      into.resize(n);
      join(into, mine);
    };
    const auto stop = [&] {
      if (doers[who(t)].asks) own[t].resize(n), join(own[t], now[who(t)]);
    };
    const auto go_on = [&] {
      if (doers[who(t)].asks) join(now[who(t)], own[t]);
    };
    const auto wait = [&](const Clock& for_what) { join(mine, for_what), join(mine, event); };
    switch (op.object >> 56 & 15) {
      case 0: {
        const auto known = by_number.find(number);
        if (op.kind == SyncKind::omp_give && known == by_number.end()) {
          Doer task;
          task.number = number;
          task.asks = own_users.contains(number);
          task.parent = w;
          task.in_group = !doers[w].groups.empty();
          if (task.in_group) task.groups.push_back(doers[w].groups.back());
          const size_t id = doers.size();
          doers.push_back(task);
          by_number[number] = id;
          last_made[t] = id;
          join(now[id], mine);
        } else if (op.kind == SyncKind::omp_give) {
          stop();
          running[t].pop_back();
          go_on();
        } else if (known != by_number.end()) {
          const size_t id = known->second;
          stop();
          running[t].push_back(id);
          if (!doers[id].started && !doers[id].depends.empty()) {
            join(now[id], event);
            join(now[id], doers[doers[id].parent].every);
            for (const auto& [address, writes] : doers[id].depends) {
              const auto& before = doers[doers[id].parent].written_read[address];
              join(now[id], address == 0 ? doers[doers[id].parent].dependents : before.first);
              if (writes) join(now[id], before.second);
            }
          }
          doers[id].started = true;
          go_on();
        }
        break;
      }
      case 1: {
        const auto known = by_number.find(number);
        if (known == by_number.end() || known->second != w) break;  // it never began
        stop();
        Doer& parent = doers[doers[w].parent];
        add(parent.done);
        add(all_done[process(t)]);
        if (doers[w].in_group) add(groups[doers[w].groups[0]]);
        for (const auto& [address, writes] : doers[w].depends) {
          add(parent.dependents);
          add(address == 0 ? parent.every
              : writes     ? parent.written_read[address].first
                           : parent.written_read[address].second);
        }
        running[t].pop_back();
        go_on();
        break;
      }
      case 2:
        wait(doers[w].done);
        break;
      case 3:
        doers[w].groups.push_back(groups.size());
        groups.emplace_back();
        break;
      case 4:
        wait(groups[doers[w].groups.back()]);
        doers[w].groups.pop_back();
        break;
      case 5:
        wait(all_done[process(t)]);
        break;
      case 6:
      case 7:
        doers[last_made[t]].depends.push_back({number.second, (op.object >> 56 & 15) == 7});
        break;
      case 8:
        own_first[t] = number.second;
        break;
      case 9:
        own_memory.push_back({own_first[t], number.second, 0, t});
        break;
      case 10:
        doers[w].asks = true;
        go_on();
        break;
      case 11:
        add(event);
        break;
      case 12:
        doers[last_made[t]].parent = doers[w].parent;
        break;
      case 13: {
        const auto known = by_number.find(number);
        if (known == by_number.end()) break;
        for (const auto& [address, writes] : doers[known->second].depends) {
          join(mine, event);
          join(mine, doers[w].every);
          const auto& before = doers[w].written_read[address];
          join(mine, address == 0 ? doers[w].dependents : before.first);
          if (writes) join(mine, before.second);
        }
        break;
      }
      default:
        break;
    }
    return true;
  }

  // Whether it is a task, and the memory its thread's.
  bool uses_own(uint32_t t, const State& state, uint64_t first, uint64_t last) const {
    return state.who >= threads && std::ranges::any_of(own_memory, [&](const Memory& m) {
             return m.process == t && first < m.end && last >= m.first;
           });
  }

  void create(const SyncOperation& op, uint32_t t, size_t w) {
    uint32_t best = kNone;
    for (uint32_t c = 0; c < threads; ++c) {
      const ThreadInfo& info = trace.threads()[c];
      if (info.handler || info.parent != op.thread || info.handle != op.object || born.contains(c))
        continue;
      if (info.process != process(t)) continue;
      if (best == kNone ||
          (info.parent_time == op.time && trace.threads()[best].parent_time != op.time))
        best = c;
    }
    alive.erase({process(t), op.object});
    if (best == kNone) return;
    born.insert(best);
    alive[{process(t), op.object}] = best;
    join(now[best], now[w]);
  }

  // A release sequence is a thread's, whatever it runs.
  void atomic(const SyncOperation& op, uint32_t t, size_t w, Place& place) {
    place.clock.resize(n);
    const bool failed = (op.result & 256) != 0, unordered = (op.result & 512) != 0;
    const uint32_t o = failed ? op.result >> 4 & 15 : op.result & 15;
    const bool loads = op.kind != SyncKind::atomic_store,
               stores = op.kind != SyncKind::atomic_load && !failed;
    const bool acquires = o == 1 || o == 2 || o >= 4, releases = o >= 3;
    const bool exchanges = op.kind == SyncKind::atomic_rmw || op.kind == SyncKind::atomic_cmpxchg;
    if (orders == Orders::always && exchanges) {
    } else if (unordered || (loads && acquires))
      join(now[w], place.clock);
    else if (loads)
      join(pending[w], place.clock);
    State access;
    access.who = w;
    access.clock = now[w];
    access.begin = access.end = op.stamp;
    atomics[{t, op.time}] = {access, stores};
    if (!stores) return;
    const bool keeps = op.kind != SyncKind::atomic_store || unordered;
    if (!keeps) place.clock = place.head == t ? place.head_clock : Clock(n);
    if (releases) {
      place.head = t;
      place.head_clock = now[w];
      join(place.clock, now[w]);
    } else {
      if (!keeps && place.head != t) place.head = kNone;
      join(place.clock, fence[w]);
    }
  }

  const Trace& trace;
  const Orders orders;
  const bool tasks;
  const std::set<std::pair<uint32_t, uint64_t>> own_users;
  size_t threads, n;                       // n: with tasks
  std::vector<Clock> now, fence, pending;  // by thread and task
  std::vector<std::vector<State>> states;  // by thread
  std::vector<Doer> doers;
  std::vector<std::vector<size_t>> running;  // by thread: tasks, the innermost last
  std::vector<Clock> own, groups;            // by thread; by taskgroup
  std::vector<size_t> last_made;
  std::vector<uint64_t> own_first;
  std::vector<Memory> own_memory;  // process: the thread
  std::map<std::pair<uint32_t, uint64_t>, size_t> by_number;
  std::map<uint32_t, Clock> all_done, fulfilled;                            // by process
  std::map<std::pair<uint32_t, uint64_t>, std::pair<State, bool>> atomics;  // by thread and time
  using Object = std::pair<uint32_t, uint64_t>;
  std::map<Object, Clock> plain, written, read;
  std::map<Object, uint32_t> writer, alive;
  std::map<std::pair<Object, uint64_t>, Clock> rounds;
  std::map<Object, Semaphore> semaphores;
  std::map<Object, Place> places;
  std::set<uint32_t> born;
  std::vector<Memory> memory;
  std::set<Object> odd;
};

}  // namespace vestige
