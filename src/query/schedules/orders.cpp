#include "query/schedules/orders.h"

#include <algorithm>
#include <unordered_map>

#include "query/order/sync_semantics.h"

namespace vestige::schedules {

namespace {

constexpr uint64_t kOrdered = 14;  // src/record/runtime/openmp.h

// What one worker does is in one order, whatever the directives. The team's own code is that of
// worker 0.
UnitKey key_of(const Place& place, const Unit& unit) {
  using Kind = Unit::Kind;
  if (unit.kind == Kind::team || unit.kind == Kind::chunk_code)
    return {place.region, place.round, Kind::piece, kNone, 0};
  if (unit.bound) return {place.region, place.round, Kind::piece, kNone, unit.number};
  return {place.region, place.round, unit.kind, unit.work, unit.number};
}

struct Does {
  bool takes = false, gives = false;
  uint64_t object = 0;
};

Does what_does(const SyncOperation& op, bool fences) {
  switch (op.kind) {
    case SyncKind::mutex_lock:
    case SyncKind::spin_lock:
    case SyncKind::read_lock:
    case SyncKind::write_lock:
    case SyncKind::sem_wait:
    case SyncKind::barrier_leave:
    case SyncKind::once:
    case SyncKind::descriptor_take:
      return {true, false, op.object};
    case SyncKind::cond_wake:
      return {true, false, op.other};
    case SyncKind::mutex_unlock:
    case SyncKind::spin_unlock:
    case SyncKind::rwlock_unlock:
    case SyncKind::sem_post:
    case SyncKind::barrier_arrive:
    case SyncKind::once_done:
    case SyncKind::descriptor_give:
      return {false, true, op.object};
    case SyncKind::cond_wait:
      return {false, true, op.other};
    case SyncKind::thread_create:
      return {false, true, 0};
    case SyncKind::thread_join:
      return {true, false, 0};
    case SyncKind::omp_take:
    case SyncKind::omp_give:
      if (op.object >> 60 != kOrdered) return {};
      return {op.kind == SyncKind::omp_take, op.kind == SyncKind::omp_give, op.object};
    case SyncKind::atomic_load:
    case SyncKind::atomic_store:
    case SyncKind::atomic_rmw:
    case SyncKind::atomic_cmpxchg: {
      const order::AtomicOperation how(op);
      return {how.loads && (how.acquires || fences), how.stores && (how.releases || fences),
              op.object};
    }
    default:
      return {};
  }
}

}  // namespace

class Orders::Reader {
 public:
  Reader(const Trace& trace, const Timelines& lines, TeamCode& code, Orders& into)
      : trace_(trace), into_(into), running_(trace.threads().size()) {
    for (uint32_t t = 0; t < trace.threads().size(); ++t)
      units_.emplace_back(trace, lines.threads[t], code);
    into_.lines_ = &lines;
    into_.threads_.resize(trace.threads().size());
  }

  Result<void> read() {
    bool fences = false;
    for (const bool first : {true, false}) {
      auto cursor =
          first ? SyncOrderCursor::open(trace_) : SyncOrderCursor::open_with_memory(trace_);
      if (!cursor) return std::unexpected(std::move(cursor.error()));
      while (cursor->next()) {
        if (first)
          fences = fences || cursor->operation().kind == SyncKind::fence;
        else
          operation(cursor->operation(), fences);
      }
      if (cursor->error() != nullptr) return std::unexpected(*cursor->error());
    }
    return {};
  }

 private:
  struct Running {
    std::map<UnitKey, Known> known;
    Known whole;
    std::vector<uint64_t> locks;
  };
  struct OfObject {
    uint32_t number = 0, releases = 0;
    Known given;
  };

  static void join(Known& into, const Known& more) {
    if (into.size() < more.size()) into.resize(more.size(), 0);
    for (size_t i = 0; i < more.size(); ++i) into[i] = std::max(into[i], more[i]);
  }

  void operation(const SyncOperation& op, bool fences) {
    OfThread& thread = into_.threads_[op.thread];
    if (op.kind == SyncKind::allocated) {
      thread.anew.push_back({op.time, op.object, op.other});
      return;
    }
    if (is_memory(op.kind)) return;
    Running& running = running_[op.thread];
    hold(running, op);
    thread.held.push_back({op.time, op.stamp, running.locks});
    const Does does = what_does(op, fences);
    if (!does.takes && !does.gives) return;
    const Place* place = into_.lines_->threads[op.thread].at(op.time);
    UnitKey key{kNone, 0, Unit::Kind::none, kNone, 0};
    if (place != nullptr) key = key_of(*place, units_[op.thread].of_end(*place).unit);
    const auto process = uint64_t{trace_.threads()[op.thread].process};
    OfObject& object = objects_[{process, does.object}];
    if (object.number == 0) object.number = static_cast<uint32_t>(objects_.size());
    Known& known = running.known[key];
    OfUnit& unit = thread.units[key];
    if (does.takes) {
      join(known, object.given);
      join(running.whole, object.given);
      unit.known.push_back({op.time, std::make_shared<const Known>(known)});
      thread.known.push_back({op.time, std::make_shared<const Known>(running.whole)});
      thread.acquires.push_back(op.time);
    }
    if (does.gives) {
      const uint32_t release = ++object.releases;
      Known given = known;
      if (given.size() <= object.number) given.resize(object.number + 1, 0);
      given[object.number] = release;
      join(object.given, given);
      unit.releases.push_back({op.time, object.number, release});
    }
  }

  static void hold(Running& running, const SyncOperation& op) {
    const bool waits = op.kind == SyncKind::cond_wait || op.kind == SyncKind::cond_wake;
    const uint64_t lock = waits ? op.other : op.object;
    switch (order::lock_use(op.kind)) {
      case order::LockUse::take:
      case order::LockUse::take_shared:
        running.locks.push_back(lock);
        return;
      case order::LockUse::give:
      case order::LockUse::give_any:
        if (const auto found = std::ranges::find(running.locks, lock); found != running.locks.end())
          running.locks.erase(found);
        return;
      case order::LockUse::none:
        return;
    }
  }

  const Trace& trace_;
  Orders& into_;
  std::vector<Units> units_;
  std::map<std::pair<uint64_t, uint64_t>, OfObject> objects_;
  std::vector<Running> running_;
};

Result<Orders> Orders::read(const Trace& trace, const Timelines& lines, TeamCode& code) {
  Orders orders;
  if (auto read = Reader(trace, lines, code, orders).read(); !read)
    return std::unexpected(std::move(read.error()));
  return orders;
}

// Behind the operations that came before the path of this time.
const Orders::Known* Orders::at(const std::vector<Behind>& known, uint64_t time) {
  const auto behind = std::ranges::lower_bound(known, time, {}, &Behind::time);
  return behind == known.begin() ? nullptr : std::prev(behind)->known.get();
}

bool Orders::knows(const Known* known, const std::vector<Release>& releases, uint64_t from) {
  if (known == nullptr) return false;
  const auto first = std::ranges::lower_bound(releases, from, {}, &Release::time);
  return std::any_of(first, releases.end(), [&](const Release& release) {
    return release.object < known->size() && (*known)[release.object] >= release.number;
  });
}

bool Orders::ordered(uint32_t t, const Place& at_a, const Standing& a, const Place& at_b,
                     const Standing& b) const {
  const OfThread& thread = threads_[t];
  const auto unit_a = thread.units.find(key_of(at_a, a.unit));
  if (unit_a == thread.units.end()) return false;
  const auto& releases = unit_a->second.releases;
  const ThreadTimeline& line = lines_->threads[t];
  if (line.regions[at_a.region].fixed) {
    // What lies between them has to run somewhere, too.
    const auto release = std::ranges::lower_bound(releases, a.time, {}, &Release::time);
    if (release == releases.end() || release->time >= b.time) return false;
    const auto acquire = std::ranges::lower_bound(thread.acquires, release->time);
    return acquire != thread.acquires.end() && *acquire < b.time;
  }
  if (b.unit.kind == Unit::Kind::task &&
      knows(at(thread.known, line.works[b.unit.work].first_time), releases, a.time))
    return true;
  const auto unit_b = thread.units.find(key_of(at_b, b.unit));
  return unit_b != thread.units.end() && knows(at(unit_b->second.known, b.time), releases, a.time);
}

bool Orders::excluded(uint32_t t, uint64_t time_a, uint64_t time_b) const {
  const auto& held = threads_[t].held;
  const auto locks = [&](uint64_t time) -> const std::vector<uint64_t>* {
    const auto behind = std::ranges::lower_bound(held, time, {}, &OfThread::Held::time);
    return behind == held.begin() ? nullptr : &std::prev(behind)->locks;
  };
  const auto* a = locks(time_a);
  const auto* b = locks(time_b);
  if (a == nullptr || b == nullptr) return false;
  return std::ranges::any_of(
      *a, [&](uint64_t lock) { return std::ranges::find(*b, lock) != b->end(); });
}

uint64_t Orders::stamp_before(uint32_t t, uint64_t time) const {
  const auto& held = threads_[t].held;
  const auto behind = std::ranges::lower_bound(held, time, {}, &OfThread::Held::time);
  return behind == held.begin() ? 0 : std::prev(behind)->stamp;
}

size_t Orders::operations_before(uint32_t t, uint64_t time) const {
  const auto& held = threads_[t].held;
  return static_cast<size_t>(std::ranges::lower_bound(held, time, {}, &OfThread::Held::time) -
                             held.begin());
}

}  // namespace vestige::schedules
