// The plain twin of `vestige races`: a full vector clock for every access, every access against every other.
//
//     naive_races TRACE        one line per racing pair of statements: #ID kind #ID kind count
//
// Written apart from src/query/races, straight from docs/threads.md.
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "query/reference_source.h"
#include "vestige/sync.h"

using namespace vestige;

namespace {

using Clock = std::vector<uint64_t>;

void join(Clock& into, const Clock& from) {
  for (size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

// What a thread knows between two operations.
struct State {
  uint64_t until = UINT64_MAX;  // times up to this one
  uint64_t begin = 0, end = UINT64_MAX;  // stamps
  Clock clock;
};

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

struct Twin {
  explicit Twin(const Trace& trace)
      : trace(trace), n(trace.threads().size()), now(n, Clock(n)), fence(n, Clock(n)), pending(n, Clock(n)),
        states(n) {
    for (size_t t = 0; t < n; ++t) {
      now[t][t] = 1;
      states[t].push_back({});
    }
  }

  uint32_t process(uint32_t t) const { return trace.threads()[t].process; }

  void end_state(const SyncOperation& op, uint32_t t, uint64_t time) {
    State& last = states[t].back();
    last.until = time;
    last.end = op.stamp;
    State next;
    next.begin = op.stamp;
    states[t].push_back(next);
  }

  void run() {
    std::vector<SyncOperation> all;
    auto order = SyncOrder::open_with_memory(trace);
    while (order->next()) all.push_back(order->operation());
    std::set<std::pair<uint32_t, uint64_t>> refused;
    for (const SyncOperation& op : all)
      if (op.kind == SyncKind::refused) refused.emplace(op.thread, op.number - 1);
    for (const SyncOperation& op : all) {
      if (op.kind == SyncKind::refused) continue;
      if (!is_memory(op.kind) && refused.contains({op.thread, op.number})) continue;
      // A handler's operations are the interrupted thread's.
      uint32_t t = op.thread;
      uint64_t time = op.time;
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
      apply(op, t, time);
    }
    for (size_t t = 0; t < n; ++t) states[t].back().clock = now[t];
  }

  void apply(const SyncOperation& op, uint32_t t, uint64_t time) {
    states[t].back().clock = now[t];
    const std::pair object(process(t), op.object);
    Clock& mine = now[t];
    const auto get = [&](const Clock& from) { if (!from.empty()) join(mine, from); };
    const auto give = [&](Clock& into) {
      into.resize(n);
      join(into, mine);
    };
    switch (op.kind) {
      case SyncKind::mutex_lock: case SyncKind::spin_lock: case SyncKind::omp_take: get(plain[object]); break;
      case SyncKind::mutex_unlock: case SyncKind::spin_unlock: case SyncKind::omp_give: give(plain[object]); break;
      case SyncKind::cond_wait: give(plain[{object.first, op.other}]); break;
      case SyncKind::cond_wake: get(plain[{object.first, op.other}]); break;
      case SyncKind::read_lock: get(written[object]); break;
      case SyncKind::write_lock:
        get(written[object]);
        get(read[object]);
        writer[object] = t;
        break;
      case SyncKind::rwlock_unlock:
        if (writer.contains(object) && writer[object] == t) {
          give(written[object]);
          writer.erase(object);
        } else {
          give(read[object]);
        }
        break;
      case SyncKind::barrier_init:
        for (auto& [key, clock] : rounds) if (key.first == object) clock.clear();
        break;
      case SyncKind::barrier_arrive: give(rounds[{object, op.other}]); break;
      case SyncKind::barrier_leave: get(rounds[{object, op.other}]); break;
      case SyncKind::sem_init: semaphores[object] = {true, op.other, 0, {}}; break;
      case SyncKind::sem_post: semaphores[object].posts.push_back(mine); break;
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
      case SyncKind::once_done: give(places[object].clock); break;
      case SyncKind::once: get(places[object].clock); break;
      case SyncKind::thread_create: create(op, t); break;
      case SyncKind::thread_join:
        if (alive.contains(object)) get(now[alive[object]]);
        break;
      case SyncKind::allocated: memory.push_back({op.object, op.other, op.stamp, object.first}); break;
      default: break;
    }
    if (op.kind == SyncKind::fence) {
      const uint32_t o = op.result & 15;
      if (o == 1 || o == 2 || o >= 4) join(mine, pending[t]);
      if (o >= 3) fence[t] = mine;
    } else if (is_atomic(op.kind)) {
      atomic(op, t, time, places[object]);
    }
    ++mine[t];
    end_state(op, t, time);
  }

  void create(const SyncOperation& op, uint32_t t) {
    uint32_t best = kNone;
    for (uint32_t c = 0; c < n; ++c) {
      const ThreadInfo& info = trace.threads()[c];
      if (info.handler || info.parent != op.thread || info.handle != op.object || born.contains(c)) continue;
      if (info.process != process(t)) continue;
      if (best == kNone || (info.parent_time == op.time && trace.threads()[best].parent_time != op.time)) best = c;
    }
    alive.erase({process(t), op.object});
    if (best == kNone) return;
    born.insert(best);
    alive[{process(t), op.object}] = best;
    join(now[best], now[t]);
  }

  void atomic(const SyncOperation& op, uint32_t t, uint64_t time, Place& place) {
    place.clock.resize(n);
    const bool failed = (op.result & 256) != 0, unordered = (op.result & 512) != 0;
    const uint32_t o = failed ? op.result >> 4 & 15 : op.result & 15;
    const bool loads = op.kind != SyncKind::atomic_store, stores = op.kind != SyncKind::atomic_load && !failed;
    const bool acquires = o == 1 || o == 2 || o >= 4, releases = o >= 3;
    if (unordered || (loads && acquires))
      join(now[t], place.clock);
    else if (loads)
      join(pending[t], place.clock);
    State access;
    access.clock = now[t];
    access.begin = access.end = op.stamp;
    atomics[{t, op.time}] = {access, stores};
    (void)time;
    if (!stores) return;
    const bool keeps = op.kind != SyncKind::atomic_store || unordered;
    if (!keeps) place.clock = place.head == t ? place.head_clock : Clock(n);
    if (releases) {
      place.head = t;
      place.head_clock = now[t];
      join(place.clock, now[t]);
    } else {
      if (!keeps && place.head != t) place.head = kNone;
      join(place.clock, fence[t]);
    }
  }

  const Trace& trace;
  size_t n;
  std::vector<Clock> now, fence, pending;
  std::vector<std::vector<State>> states;
  std::map<std::pair<uint32_t, uint64_t>, std::pair<State, bool>> atomics;  // by thread and time
  using Object = std::pair<uint32_t, uint64_t>;
  std::map<Object, Clock> plain, written, read;
  std::map<Object, uint32_t> writer, alive;
  std::map<std::pair<Object, uint64_t>, Clock> rounds;
  std::map<Object, Semaphore> semaphores;
  std::map<Object, Place> places;
  std::set<uint32_t> born;
  std::vector<Memory> memory;
  uint64_t interrupted = 0;
};

struct Seen {
  uint64_t id = 0, first = 0, last = 0;
  uint32_t thread = 0;
  bool writes = false, atomic = false;
  const State* state = nullptr;
  uint64_t times = 1;
  auto key() const { return std::tuple(id, writes, atomic); }
};

bool before(const Seen& a, const Seen& b) {
  return b.state->clock[a.thread] >= a.state->clock[a.thread];
}

}  // namespace

int main(int argc, char** argv) {
  auto trace = Trace::open(argc > 1 ? argv[1] : "");
  if (!trace) return 2;
  Twin twin(*trace);
  twin.run();
  auto source = ReferenceSource::open(*trace);
  if (!source) return 2;
  std::vector<Seen> all;
  std::vector<TimedReference> piece;
  for (const uint32_t t : source->threads()) {
    if (trace->threads()[t].handler) continue;
    if (!source->seek(t, 0)) return 2;
    while (source->read(piece) && !piece.empty()) {
      for (const TimedReference& timed : piece) {
        const Reference& r = timed.reference;
        if (r.bytes == 0) continue;
        Seen seen{r.statement_id, r.address, r.address + r.bytes - 1, t, r.kind != Reference::Kind::read, false, nullptr};
        const auto ref = *statement_by_id(*trace, r.statement_id);
        const Statement& statement = trace->functions()[ref.function].statements[ref.statement];
        const bool atomic = r.kind == Reference::Kind::modify ||
                            (statement.op != Op::call && statement.attributes.size() > 3 && statement.attributes[3] != 0);
        if (atomic) {
          const auto found = twin.atomics.find({t, timed.time});
          if (found == twin.atomics.end()) continue;
          seen.atomic = true;
          seen.writes = found->second.second;
          seen.state = &found->second.first;
        } else {
          seen.state = &*std::ranges::lower_bound(twin.states[t], timed.time, {}, &State::until);
        }
        all.push_back(seen);
      }
    }
  }
  // The same access again and again, between the same operations, is one that counts so often.
  const auto whole = [](const Seen& s) { return std::tuple(s.first, s.last, s.thread, s.key(), s.state); };
  std::ranges::sort(all, {}, whole);
  size_t end = 0;
  for (const Seen& seen : all) {
    if (end > 0 && whole(all[end - 1]) == whole(seen))
      ++all[end - 1].times;
    else
      all[end++] = seen;
  }
  all.resize(end);
  std::map<std::tuple<uint64_t, bool, bool, uint64_t, bool, bool>, uint64_t> pairs;
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = i + 1; j < all.size(); ++j) {
      const Seen &a = all[i], &b = all[j];
      if (b.first > a.last) break;  // and so do all that follow
      if (a.thread == b.thread || twin.process(a.thread) != twin.process(b.thread)) continue;
      if (!(a.writes || b.writes) || (a.atomic && b.atomic) || before(a, b) || before(b, a)) continue;
      const uint64_t first = std::max(a.first, b.first), last = std::min(a.last, b.last);
      const bool apart = std::ranges::any_of(twin.memory, [&](const Memory& m) {
        if (m.process != twin.process(a.thread) || m.first > last || m.end <= first) return false;
        return (a.state->end <= m.stamp && m.stamp <= b.state->begin) ||
               (b.state->end <= m.stamp && m.stamp <= a.state->begin);
      });
      if (apart) continue;
      const auto &low = a.key() <= b.key() ? a : b, &high = a.key() <= b.key() ? b : a;
      pairs[{low.id, low.writes, low.atomic, high.id, high.writes, high.atomic}] += a.times * b.times;
    }
  }
  for (const auto& [key, count] : pairs) {
    const auto& [a, aw, aa, b, bw, ba] = key;
    std::printf("%lu %c %lu %c %lu\n", a, aw ? 'W' : 'R', b, bw ? 'W' : 'R', count);
  }
  return 0;
}
