// Which stretches of threads are ordered, plainly: a full vector clock for each. For the twins.
//
// Written apart from src/query, straight from docs/threads.md.
#pragma once

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>
#include <vector>

#include "query/rows/reference_source.h"
#include "vestige/query.h"
#include "vestige/sync.h"
#include "vestige/values.h"

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

// What happened to be ordered; or what is so in every schedule: turns that are taken by chance
// order nothing then.
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

// What lies at an address may end here: at an operation on memory, or where somebody writes there,
// between two of their operations.
struct End {
  uint64_t after = 0, before = 0;
};
using Address = std::pair<uint32_t, uint64_t>;           // process, address
using Thing = std::tuple<uint32_t, uint64_t, uint64_t>;  // and which of those that lay there
using Ends = std::map<Address, std::vector<End>>;

// Counts what lay at each address, as operations come along. Between two of them something else has
// begun when some end lies between them as a whole.
struct Things {
  const Ends* ends = nullptr;
  std::map<Address, std::pair<uint64_t, uint64_t>>
      seen;  // the last operation's stamp; how many there were
  Thing at(const Address& address, uint64_t stamp) {
    auto& [last, count] = seen[address];
    if (const auto found = ends->find(address); found != ends->end() && last != 0)
      count += std::ranges::any_of(
          found->second, [&](const End& end) { return last <= end.after && end.before <= stamp; });
    last = stamp;
    return {address.first, address.second, count};
  }
};

// Somebody who has a lock; as often as they took it.
struct Holder {
  uint32_t thread = 0;
  size_t who = 0;
  bool alone = false;
  bool is(uint32_t t, size_t w) const { return thread == t || who == w; }
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

// What one call of a library function did to memory. `time`: an access of the program at this time
// would lie in the same segment.
struct LibraryUse {
  uint32_t thread = 0;
  uint64_t call = 0, time = 0, id = 0, first = 0, bytes = 0;
  bool writes = false;
};

// Reads lie where the call was made, writes where it came back; where recorded code ran between,
// both do.
inline std::vector<LibraryUse> library_uses(const Trace& trace) {
  std::vector<LibraryUse> all;
  (void)read_library_ranges(trace, {}, [&](const LibraryAccess& access) {
    if (trace.threads()[access.thread].handler || !access.bytes) return true;
    LibraryUse use{
        access.thread, access.time, access.return_time, statement_id(trace, access.call), 0,
        *access.bytes, true};
    const bool writes = access.kind != LibraryAccess::Kind::read;
    if (writes && access.address) {
      use.first = *access.address;
      all.push_back(use);
    }
    const auto source = writes ? access.source : access.address;
    if (!source) return true;
    use.first = *source;
    use.writes = false;
    if (access.return_time == access.time + 1) use.time = access.time;
    all.push_back(use);
    return true;
  });
  return all;
}

// The call that gave a block back; none when a library did that in the middle of something else.
inline std::optional<LibraryUse> freed_block(const Trace& trace, const SyncOperation& op) {
  if (op.kind != SyncKind::freed || op.result == 0 || trace.threads()[op.thread].handler) return {};
  auto path = trace.walk(op.thread);
  if (op.time == 0 || !path || !path->seek(op.time)) return {};
  const Function& function = trace.functions()[path->function()];
  const auto& segment = function.segments[path->path().segments.back()];
  const uint32_t last = segment.first_statement + segment.statement_count - 1;
  const bool calls = segment.end == SegmentEnd::call || segment.end == SegmentEnd::tail_call;
  const uint32_t callee = calls ? function.statements[last].callee : kNone;
  if (callee == kNone) return {};
  const std::string& name = function.symbols[callee];
  for (const char* one : {"free", "cfree", "realloc", "reallocarray"})
    if (name == one || name.starts_with("_ZdlPv") || name.starts_with("_ZdaPv"))
      return LibraryUse{op.thread, op.time,
                        op.time,   uint64_t{function.first_statement} + last,
                        op.object, uint64_t{op.result} * 8,
                        true};
  return {};
}

struct Twin {
  // `tasks`: deferred tasks of OpenMP are apart from threads; those in `own_users` know their
  // thread.
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
    find_ends(all, refused);
    things.ends = &ends;
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

  static bool has_address(const SyncOperation& op) {
    return !is_message(op.kind) && !is_descriptor(op.kind) && !is_memory(op.kind) &&
           op.kind != SyncKind::omp_give && op.kind != SyncKind::omp_take &&
           op.kind != SyncKind::thread_create && op.kind != SyncKind::thread_join &&
           op.kind != SyncKind::fence;
  }

  // Where memory is handed out, or an object initialized or destroyed; and where somebody writes to
  // an object's first byte by anything but an atomic operation.
  void find_ends(const std::vector<SyncOperation>& all,
                 const std::set<std::pair<uint32_t, uint64_t>>& refused) {
    std::set<Address> used;
    std::vector<std::vector<std::pair<uint64_t, uint64_t>>> done(threads);  // time, stamp
    for (const SyncOperation& op : all) {
      if (op.kind == SyncKind::refused) continue;
      if (!is_memory(op.kind) && refused.contains({op.thread, op.number})) continue;
      const auto [t, time] = doer(op);
      const uint64_t before = done[t].empty() ? 0 : done[t].back().first;
      done[t].push_back({std::max(before, time), op.stamp});
      if (!has_address(op)) continue;
      used.insert({process(t), op.object});
      if (op.kind == SyncKind::cond_wait) used.insert({process(t), op.other});
    }
    const auto add = [&](uint32_t p, uint64_t first, uint64_t end, const End& what) {
      for (auto at = used.lower_bound({p, first}); at != used.end() && *at < Address(p, end); ++at)
        ends[*at].push_back(what);
    };
    for (const SyncOperation& op : all) {
      const uint32_t p = process(doer(op).first);
      if (op.kind == SyncKind::allocated) add(p, op.object, op.other, {op.stamp, op.stamp});
      if (op.kind == SyncKind::object_begins || op.kind == SyncKind::object_ends)
        add(p, op.object, op.object + 1, {op.stamp, op.stamp});
      // Operations themselves: right before them.
      if (op.kind == SyncKind::barrier_init || op.kind == SyncKind::sem_init)
        add(p, op.object, op.object + 1, {op.stamp - 1, op.stamp});
    }
    const auto write = [&](uint32_t t, uint64_t time, uint64_t address, uint64_t bytes) {
      const auto next =
          std::ranges::lower_bound(done[t], time, {}, [](const auto& one) { return one.first; });
      const size_t i = static_cast<size_t>(next - done[t].begin());
      add(process(t), address, address + bytes,
          {i == 0 ? 0 : done[t][i - 1].second,
           i == done[t].size() ? UINT64_MAX : done[t][i].second});
    };
    for (const LibraryUse& use : library_uses(trace))
      if (use.writes) write(use.thread, use.time, use.first, use.bytes);
    for (const SyncOperation& op : all)
      if (const auto block = freed_block(trace, op))
        write(op.thread, op.time, block->first, block->bytes);
    auto source = ReferenceSource::open(trace);
    if (!source) return;
    std::vector<TimedReference> piece;
    for (const uint32_t t : source->threads()) {
      if (trace.threads()[t].handler || !source->seek(t, 0)) continue;
      while (source->read(piece) && !piece.empty())
        for (const TimedReference& timed : piece) {
          const Reference& r = timed.reference;
          const auto ref = *statement_by_id(trace, r.statement_id);
          const Statement& statement = trace.functions()[ref.function].statements[ref.statement];
          const bool atomic = statement.op != Op::call && statement.attributes.size() > 3 &&
                              statement.attributes[3] != 0;
          if (r.kind != Reference::Kind::write || atomic || r.bytes == 0) continue;
          write(t, timed.time, r.address, r.bytes);
        }
    }
    for (auto& [address, list] : ends) {
      const auto order = [](const End& end) { return std::pair(end.after, end.before); };
      std::ranges::sort(list, {}, order);
      const auto same = std::ranges::unique(list, {}, order);
      list.erase(same.begin(), same.end());
    }
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
    std::map<Thing, std::map<std::pair<uint32_t, bool>, uint64_t>>
        holders;  // by thread, and whether to itself
    Things mine{&ends, {}};
    for (const SyncOperation& op : all) {
      if (op.kind == SyncKind::refused) continue;
      if (!is_memory(op.kind) && refused.contains({op.thread, op.number})) continue;
      const uint32_t t = doer(op).first;
      if (!has_address(op)) continue;
      if (op.kind == SyncKind::cond_wake && failed(op)) continue;
      const Thing lock = mine.at({process(t), lock_of(op)}, op.stamp);
      if (!takes(op.kind) && !gives(op.kind)) continue;
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

  // A wait that did not take the mutex at its end.
  static bool failed(const SyncOperation& op) { return op.result == EPERM || op.result == EINVAL; }

  // Whether somebody's turn came by chance.
  bool chance(const SyncOperation& op, const Thing& object) {
    if (orders == Orders::recorded) return false;
    if (takes(op.kind) || gives(op.kind)) return !odd.contains(object);
    const auto semaphore = semaphores.find(object);
    return op.kind == SyncKind::sem_wait && semaphore != semaphores.end() &&
           semaphore->second.initial > 0;
  }

  void apply(const SyncOperation& op, uint32_t t, uint64_t time) {
    const size_t w = who(t);
    states[t].back().clock = now[w];
    // What lies behind descriptors is the same in all processes.
    const bool descriptor =
        op.kind == SyncKind::descriptor_give || op.kind == SyncKind::descriptor_take;
    const Address address(descriptor ? UINT32_MAX : process(t), op.object);
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
    // What it is about: of waits the mutex, of whoever leaves a barrier where they arrived.
    Thing object(address.first, address.second, 0);
    if (op.kind == SyncKind::barrier_leave && arrived.contains(op.thread))
      object = arrived[op.thread];
    else if (has_address(op) && !(op.kind == SyncKind::cond_wake && failed(op)))
      object = things.at({address.first, lock_of(op)}, op.stamp);
    if (op.kind == SyncKind::barrier_arrive) arrived[op.thread] = object;
    switch (chance(op, object) ? SyncKind::refused : op.kind) {
      case SyncKind::omp_take:
      case SyncKind::descriptor_take:
        get(plain[object]);
        break;
      case SyncKind::omp_give:
      case SyncKind::descriptor_give:
        give(plain[object]);
        break;
      case SyncKind::cond_wake:
        if (failed(op)) break;
        [[fallthrough]];
      case SyncKind::mutex_lock:
      case SyncKind::spin_lock:
      case SyncKind::write_lock:
        get(plain[object]);
        get(read[object]);
        if (op.result == EOWNERDEAD)
          for (const Holder& dead : holders[object])
            if (dead.thread != t) get(now[dead.thread]);
        hold(object, {t, w, true});
        break;
      case SyncKind::read_lock:
        get(plain[object]);
        hold(object, {t, w, false});
        break;
      case SyncKind::mutex_unlock:
      case SyncKind::spin_unlock:
      case SyncKind::cond_wait:
      case SyncKind::rwlock_unlock: {
        const char had = let_go(object, t, w);
        if (had == 'w') get(plain[object]);
        if (had == 's' || (had == '?' && op.kind == SyncKind::rwlock_unlock))
          give(read[object]);
        else if (had != '-')
          give(plain[object]);
        if (had == '-') ++misuses;
        if (op.kind == SyncKind::cond_wait) waits[t] = object;
        break;
      }
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
        if (alive.contains(address)) get(now[alive[address]]);
        break;
      case SyncKind::allocated:
        memory.push_back({op.object, op.other, op.stamp, address.first});
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

  void hold(const Thing& lock, const Holder& who) {
    auto& all = holders[lock];
    ever_held.insert(lock);
    if (waits.contains(who.thread) && waits[who.thread] == lock) waits.erase(who.thread);
    // Who had it alone has given it back without a word.
    if (who.alone)
      std::erase_if(all,
                    [&](const Holder& one) { return one.alone && !one.is(who.thread, who.who); });
    all.push_back(who);
  }
  // How they had it: alone, shared; since a wait that ended without a word (w); nobody knows (?);
  // not at all (-).
  char let_go(const Thing& lock, uint32_t t, size_t w) {
    auto& all = holders[lock];
    for (const bool alone : {true, false})
      for (auto at = all.begin(); at != all.end(); ++at)
        if (at->alone == alone && at->is(t, w)) {
          all.erase(at);
          return alone ? 'a' : 's';
        }
    if (waits.contains(t) && waits[t] == lock) {
      waits.erase(t);
      return 'w';
    }
    return ever_held.contains(lock) || recorded_whole(process(t)) ? '-' : '?';
  }
  bool recorded_whole(uint32_t p) const {
    bool whole = trace.processes()[p].forked_from == kNone;
    for (uint32_t t = 0; t < threads; ++t) {
      if (process(t) != p) continue;
      whole = whole && trace.threads()[t].first_time <= 1;
      for (const TraceEvent& event : *trace.events(t))
        whole =
            whole && event.kind != TraceEvent::Kind::gap && event.kind != TraceEvent::Kind::damaged;
    }
    return whole;
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
  Ends ends;
  Things things;
  std::map<Thing, Clock> plain, read;
  std::map<Thing, std::vector<Holder>> holders;
  std::set<Thing> ever_held;
  std::map<uint32_t, Thing> waits, arrived;  // by thread
  uint64_t misuses = 0;
  std::map<Address, uint32_t> alive;
  std::map<std::pair<Thing, uint64_t>, Clock> rounds;
  std::map<Thing, Semaphore> semaphores;
  std::map<Thing, Place> places;
  std::set<uint32_t> born;
  std::vector<Memory> memory;
  std::set<Thing> odd;
};

}  // namespace vestige
