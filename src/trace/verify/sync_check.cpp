#include "trace/verify/sync_check.h"

#include <cerrno>
#include <map>

#include "store/sync_rows.h"
#include "trace/state.h"
#include "vestige/sync.h"

namespace vestige {

namespace {

constexpr size_t kMostMessages = 20;

class StampOrderCheck {
 public:
  StampOrderCheck(const Trace& trace, SyncCheck& check)
      : trace_(trace), check_(check), threads_(trace.threads().size()) {}

  void operation(const SyncOperation& op) {
    if (op.stamp == stamp_ && seen_) problem(op, "has a stamp that another operation has");
    seen_ = true;
    stamp_ = op.stamp;
    Progress& thread = threads_[op.thread];
    if (thread.seen && op.stamp <= thread.stamp) problem(op, "has a stamp below the one before");
    if (thread.seen && op.time < thread.time) problem(op, "has a time below the one before");
    const ThreadInfo& info = trace_.threads()[op.thread];
    const auto& chunks = trace_.state().chunks[op.thread];
    const uint64_t end = chunks.empty() ? 1 : chunks.back().end_time();
    if (has_paths_ && info.end != EndReason::unknown && op.time >= end)
      problem(op, "is behind the thread's end");
    thread.seen = true;
    thread.stamp = op.stamp;
    thread.time = op.time;
    if (!thread.doubt.empty() && op.kind != SyncKind::refused) note(std::move(thread.doubt));
    thread.doubt.clear();
    const std::pair object(info.process, op.object);
    switch (op.kind) {
      case SyncKind::mutex_lock:
      case SyncKind::spin_lock:
        return take(op, object);
      case SyncKind::mutex_unlock:
      case SyncKind::spin_unlock:
        return give(op, object);
      case SyncKind::cond_wait:
        return give(op, {info.process, op.other});
      case SyncKind::cond_wake:
        return take(op, {info.process, op.other});
      case SyncKind::barrier_init:
        barriers_[object] = {op.other, 0};
        return;
      case SyncKind::barrier_arrive:
        ++barriers_[object].arrived;
        return;
      case SyncKind::barrier_leave:
        return leave(op, barriers_[object]);
      default:
        if (sync_kind_name(op.kind) == "unknown") problem(op, "is of no known kind");
    }
  }

 private:
  using Object = std::pair<uint32_t, uint64_t>;  // process, address
  struct Progress {
    bool seen = false;
    uint64_t stamp = 0, time = 0;
    std::string doubt;  // a note, unless the next operation says that this one was refused
  };
  struct Holder {
    uint32_t thread = 0;
    uint64_t times = 0;  // of recursive locks
  };
  struct Barrier {
    uint64_t participants = 0, arrived = 0;
  };

  void take(const SyncOperation& op, Object object) {
    Holder& holder = holders_[object];
    if (holder.times != 0 && holder.thread != op.thread) {
      if (op.result != EOWNERDEAD)
        note(name(op) + "took what thread " + std::to_string(holder.thread) + " had");
      holder.times = 0;
    }
    holder.thread = op.thread;
    ++holder.times;
  }
  void give(const SyncOperation& op, Object object) {
    const auto holder = holders_.find(object);
    if (holder == holders_.end() || holder->second.times == 0) return;  // taken before recording
    if (holder->second.thread != op.thread)
      threads_[op.thread].doubt =
          name(op) + "gave what thread " + std::to_string(holder->second.thread) + " had";
    else if (--holder->second.times == 0)
      holders_.erase(holder);
  }
  void leave(const SyncOperation& op, const Barrier& barrier) {
    if (barrier.participants == 0) return;  // made before recording
    if (barrier.arrived < op.other * barrier.participants)
      note(name(op) + "left a barrier for " + std::to_string(barrier.participants) + " after " +
           std::to_string(barrier.arrived) + " arrivals");
  }

  static std::string name(const SyncOperation& op) {
    return "thread " + std::to_string(op.thread) + ": synchronization operation " +
           std::to_string(op.number) + " (" + std::string(sync_kind_name(op.kind)) + ", time " +
           std::to_string(op.time) + ", stamp " + std::to_string(op.stamp) + ") ";
  }
  void problem(const SyncOperation& op, const std::string& what) {
    if (check_.problems.size() < kMostMessages) check_.problems.push_back(name(op) + what);
  }
  void note(std::string what) {
    if (check_.notes.size() < kMostMessages) check_.notes.push_back(std::move(what));
  }

  const Trace& trace_;
  const bool has_paths_ = trace_.meta("represents") != "dor";
  SyncCheck& check_;
  bool seen_ = false;
  uint64_t stamp_ = 0;
  std::vector<Progress> threads_;
  std::map<Object, Holder> holders_;
  std::map<Object, Barrier> barriers_;
};

// What the heads of chunks say, against their rows.
Result<void> check_chunks(const Trace::State& state, SyncCheck& check) {
  for (const size_t row : state.sync_rows) {
    const auto payload = state.store.payload(row);
    if (!payload) return std::unexpected(payload.error());
    const auto at = [&](const std::string& what) {
      if (check.problems.size() < kMostMessages)
        check.problems.push_back("sync chunk at byte " +
                                 std::to_string(state.store.rows()[row].offset) + ": " + what);
    };
    const auto chunk = SyncChunk::view(*payload);
    if (!chunk) {
      at(chunk.error().message);
      continue;
    }
    if (chunk->thread >= state.threads.size()) at("its thread is not described");
    SyncRowsDecoder decoder(chunk->rows, chunk->count);
    uint64_t atomics = 0, last_time = 0;
    for (;;) {
      const auto rows = decoder.next();
      if (!rows) {
        at(rows.error().message);
        break;
      }
      if (rows->empty()) {
        if (atomics != chunk->atomics || last_time != chunk->last_time)
          at("its rows are not what its head says");
        break;
      }
      for (const SyncRow& operation : *rows) atomics += is_atomic(operation.kind);
      last_time = rows->back().time;
    }
  }
  return {};
}

}  // namespace

Result<SyncCheck> check_syncs(const Trace& trace) {
  SyncCheck check;
  if (auto ok = check_chunks(trace.state(), check); !ok)
    return std::unexpected(std::move(ok.error()));
  if (!check.problems.empty()) return check;
  auto order = SyncOrderCursor::open(trace);
  if (!order) return std::unexpected(std::move(order.error()));
  StampOrderCheck checks(trace, check);
  while (order->next()) checks.operation(order->operation());
  if (order->error()) check.problems.push_back(order->error()->message);
  return check;
}

}  // namespace vestige
