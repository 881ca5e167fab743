#include "query/races/witness.h"

#include <algorithm>

#include "query/races/kept_runs.h"
#include "query/rows/row_source.h"
#include "query/rows/statement_set.h"
#include "query/rows/transfer_source.h"
#include "vestige/query.h"
#include "vestige/values.h"

namespace vestige::races {

namespace {

// The first call of the run's library function that does so to the address.
Result<uint64_t> find_call(const Trace& trace, const Windows& windows, uint32_t thread,
                           const AccessRun& run, uint64_t address) {
  const auto ref = *statement_by_id(trace, run.access.statement);
  const auto all = windows.of(thread);
  const auto window = std::ranges::lower_bound(all, run.first_time, {}, &Window::last_time);
  TransferSource source(trace, windows);
  source.begin(thread, static_cast<size_t>(window - all.begin()));
  std::vector<Transfer> some;
  while (true) {
    const auto read = source.read(some);
    if (!read) return std::unexpected(read.error());
    if (!*read) return run.first_time;
    for (const Transfer& seen : some) {
      if (StatementRef{seen.function, seen.statement} != ref || seen.call_time < run.first_time ||
          !seen.has_length)
        continue;
      const bool touches =
          run.access.writes
              ? seen.kind != LibraryRange::Kind::read && seen.has_to &&
                    address - seen.to < seen.length
              : (seen.kind == LibraryRange::Kind::read || seen.kind == LibraryRange::Kind::copy) &&
                    seen.has_from && address - seen.from < seen.length;
      if (touches) return seen.call_time;
    }
  }
}

// The first instance of the run's statement that touches the address.
Result<uint64_t> find_time(const Trace& trace, const Windows& windows, uint32_t thread,
                           const AccessRun& run, uint64_t address) {
  if (run.access.atomic || run.first_time == run.last_time) return run.first_time;
  const auto ref = statement_by_id(trace, run.access.statement);
  if (has_library_ranges(trace.functions()[ref->function], ref->statement))
    return find_call(trace, windows, thread, run, address);
  const StatementSet set(trace, std::span(&*ref, 1));
  const auto all = windows.of(thread);
  const auto at = std::ranges::lower_bound(all, run.first_time, {}, &Window::last_time);
  auto rows = open_rows(trace, windows, set,
                        {.thread = thread,
                         .first_window = static_cast<size_t>(at - all.begin()),
                         .first_time = run.first_time,
                         .last_time = run.last_time});
  if (!rows) return std::unexpected(std::move(rows.error()));
  const bool reads_source =
      !run.access.writes &&
      trace.functions()[ref->function].statements[ref->statement].op == Op::call;
  std::vector<Observation> some;
  while (true) {
    some.clear();
    const auto read = (*rows)->read(some);
    if (!read) return std::unexpected(read.error());
    for (const Observation& row : some) {
      const uint64_t first = reads_source ? row.source : row.address;
      const uint64_t bytes = row.has_length ? row.length : run.where.bytes;
      if ((reads_source ? row.has_source : row.has_address) && address - first < bytes)
        return row.time;
    }
    if (!*read) return run.first_time;
  }
}

uint32_t last_location(const Function& function, const Path& path) {
  const vestige::Segment& last = function.segments[path.segments.back()];
  for (uint32_t i = last.statement_count; i-- > 0;)
    if (const uint32_t at = function.statements[last.first_statement + i].location; at != kNone)
      return at;
  return kNone;
}

Result<std::vector<RaceFrame>> stack_of(const Trace& trace, const RaceSide& side,
                                        const StatementRef& statement) {
  std::vector<RaceFrame> frames;
  frames.push_back(
      {statement.function, place_of(trace.functions()[statement.function], statement.statement)});
  auto cursor = trace.walk(side.thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  if (!cursor->seek(side.time)) return frames;
  const bool enters = cursor->path().enters;
  auto below = trace.stack(side.thread, side.time - 1);
  if (!below) return std::unexpected(std::move(below.error()));
  if (!enters && !below->empty()) below->pop_back();
  for (size_t i = below->size(); i-- > 0;) {
    const Path* path = trace.path((*below)[i].path);
    if (path == nullptr)
      frames.push_back({});
    else
      frames.push_back({path->function, last_location(trace.functions()[path->function], *path)});
  }
  return frames;
}

// Of glibc on x86-64: a lock is the smallest part of a variable that holds them all.
constexpr uint64_t kMutexBytes = 40, kRwlockBytes = 56, kSpinBytes = 4;

// Without what is inside of it.
std::string lock_name(const std::string& name) { return name.substr(0, name.find(".__")); }

// Follows which locks a thread has.
class HeldLocks {
 public:
  void operation(const SyncOperation& op) {
    switch (op.kind) {
      case SyncKind::mutex_lock:
        return take(op.object, kMutexBytes, false);
      case SyncKind::spin_lock:
        return take(op.object, kSpinBytes, false);
      case SyncKind::write_lock:
        return take(op.object, kRwlockBytes, false);
      case SyncKind::read_lock:
        return take(op.object, kRwlockBytes, true);
      case SyncKind::cond_wake:
        return take(op.other, kMutexBytes, false);
      case SyncKind::mutex_unlock:
      case SyncKind::spin_unlock:
      case SyncKind::rwlock_unlock:
        return give(op.object);
      case SyncKind::cond_wait:
        return give(op.other);
      default:
        return;
    }
  }
  std::vector<RaceLock> held(const GlobalNames& names) const {
    std::vector<RaceLock> locks;
    for (const Held& one : held_)
      locks.push_back({one.object, lock_name(names.at(one.object, one.bytes)), one.shared});
    return locks;
  }

 private:
  struct Held {
    uint64_t object = 0, bytes = 0;
    bool shared = false;
  };
  void take(uint64_t object, uint64_t bytes, bool shared) {
    held_.push_back({object, bytes, shared});
  }
  void give(uint64_t object) {
    for (size_t i = held_.size(); i-- > 0;)
      if (held_[i].object == object) {
        held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
        return;
      }
  }
  std::vector<Held> held_;
};

struct Wanted {
  uint64_t stamp = 0;  // of the operation that begins the segment
  RaceSide* side = nullptr;
};

Result<void> find_locks(const Trace& trace, const GlobalNames& names, uint32_t thread,
                        std::vector<Wanted> wanted) {
  std::ranges::sort(wanted, {}, &Wanted::stamp);
  auto cursor = SyncCursor::open(trace, thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  HeldLocks locks;
  uint64_t done = 0;
  size_t next = 0;
  const auto settle = [&](uint64_t before) {
    for (; next < wanted.size() && wanted[next].stamp < before; ++next) {
      wanted[next].side->operations = done;
      wanted[next].side->locks = locks.held(names);
    }
  };
  while (next < wanted.size() && cursor->next()) {
    settle(cursor->operation().stamp);
    locks.operation(cursor->operation());
    done = cursor->operation().number;
  }
  if (cursor->error()) return std::unexpected(*cursor->error());
  settle(UINT64_MAX);
  return {};
}

}  // namespace

void name_locks(const GlobalNames& names, std::vector<SyncMisuse>& misuses) {
  for (SyncMisuse& misuse : misuses) {
    const SyncOperation& op = misuse.operation;
    const bool waits = op.kind == SyncKind::cond_wait;
    const uint64_t bytes = op.kind == SyncKind::rwlock_unlock ? kRwlockBytes
                           : op.kind == SyncKind::spin_unlock ? kSpinBytes
                                                              : kMutexBytes;
    misuse.lock = lock_name(names.at(waits ? op.other : op.object, bytes));
  }
}

Result<void> describe_sides(const Trace& trace, const GlobalNames& names,
                            const std::vector<KnownSide>& sides) {
  std::vector<std::vector<Wanted>> wanted(trace.threads().size());
  for (const KnownSide& known : sides) {
    auto stack = stack_of(trace, *known.side, known.statement);
    if (!stack) return std::unexpected(std::move(stack.error()));
    known.side->stack = std::move(*stack);
    wanted[known.side->thread].push_back({known.stamp, known.side});
  }
  for (uint32_t t = 0; t < wanted.size(); ++t) {
    if (wanted[t].empty()) continue;
    if (auto found = find_locks(trace, names, t, std::move(wanted[t])); !found) return found;
  }
  return {};
}

Result<void> describe(const Trace& trace, const Windows* windows, const HappensBefore& order,
                      const GlobalNames& names, const std::vector<Meeting>& meetings,
                      std::vector<Race>& races) {
  std::vector<std::vector<Wanted>> wanted(trace.threads().size());
  std::vector<KeptTouch> touches;
  if (!windows) {
    for (const Meeting& meeting : meetings)
      for (const AccessRun& run : meeting.run)
        touches.push_back({run.thread, run, meeting.address, 0});
    if (auto found = find_kept_times(trace, touches); !found) return found;
  }
  for (size_t i = 0; i < races.size(); ++i) {
    const Meeting& meeting = meetings[i];
    Race& race = races[i];
    race.address = meeting.address;
    race.variable =
        names.at(meeting.address, std::min(meeting.run[0].where.bytes, meeting.run[1].where.bytes));
    for (const int k : {0, 1}) {
      RaceSide& side = k == 0 ? race.side_a : race.side_b;
      side.thread = meeting.run[k].thread;
      side.strand = meeting.strand[k];
      const auto time =
          windows ? find_time(trace, *windows, side.thread, meeting.run[k], meeting.address)
                  : Result<uint64_t>(touches[2 * i + static_cast<size_t>(k)].time);
      if (!time) return std::unexpected(time.error());
      side.time = *time;
      auto stack = stack_of(trace, side, k == 0 ? race.a.statement : race.b.statement);
      if (!stack) return std::unexpected(std::move(stack.error()));
      side.stack = std::move(*stack);
      const Segment& segment = order.of(meeting.strand[k]).segments[meeting.segment[k]];
      wanted[side.thread].push_back({segment.first_stamp, &side});
    }
  }
  for (uint32_t t = 0; t < wanted.size(); ++t) {
    if (wanted[t].empty()) continue;
    if (auto found = find_locks(trace, names, t, std::move(wanted[t])); !found) return found;
  }
  return {};
}

}  // namespace vestige::races
