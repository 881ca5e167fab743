// The collector: notices processes, modules and rings as they appear in the session, drains the
// rings into thread logs, and sees every thread and process to its end.
//
// One thread does all of it but what it leaves to a pool: encoding words and synchronization, and
// draining the rings of told values. With the words of several rings a crew helps it: each parses
// another thread's, up to where it needs what the threads have in common; the rest of that turn is
// parsed alone.
//
// Invariants:
// 1. A module's chunk is in the file before the first control chunk that uses its paths.
// 2. A thread's chunk comes before its control chunks, its end behind them; a process's end behind
//    its threads'.
// 3. After stop() nothing of the session is read and no log is written to.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "base/crew.h"
#include "base/worker_pool.h"
#include "record/collect/load_map.h"
#include "record/collect/module_table.h"
#include "record/collect/order_log.h"
#include "record/collect/process_table.h"
#include "record/collect/ring_drain.h"
#include "record/collect/thread_order.h"
#include "record/collect/values_drain.h"
#include "vestige/record.h"

namespace vestige {

class Collector final : public SessionDirectory {
 public:
  Collector(const Session& session, StoreWriter& writer, PathKinds& kinds,
            const RecordOptions& options, pid_t main, RankTable* ranks = nullptr);

  // One round: looks for what is new and drains what is full. Returns whether there was work.
  bool work();
  // What happens at its own pace, about every 50 ms: deaths, and data that has waited a second.
  // At once when a child is known to have ended.
  void tick(bool child_ended);
  // Sleeps until somebody rings, at most 20 ms.
  void sleep();
  // The program is gone, and so is every process that was recorded.
  bool finished();
  // Ends the recording: the program goes on without it.
  void stop(const std::string& problem);

  bool stopped() const { return stopped_; }
  bool gave_checked() const { return gave_checked_; }
  const ProcessTable& processes() const { return processes_; }
  void fill(RecordSummary& summary) const;

  uint8_t resolve(uint32_t path) override;
  uint32_t function_of(uint32_t path) const override { return kinds_.function_of(path); }
  uint32_t module(uint32_t session_index) override;
  uint32_t address_table(uint32_t session_index) override;
  void loaded(uint32_t process, uint32_t module, uint64_t address) override;
  void unloaded(uint32_t process, uint32_t module) override;
  Moment moment(uint32_t ring, uint64_t serial, uint64_t target_time) override;
  void forking(uint64_t serial, uint64_t target_time, std::vector<Frame> stack) override;
  Place place(uint32_t process, uint64_t pc) override;
  void stamped(uint32_t thread, uint64_t time, uint64_t stamp) override {
    if (order_) order_->stamp(thread, time, stamp);
  }

  // What is left of the order of accesses; behind all else.
  void finish_order();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr size_t kSpareValueEncoders = 8;
  struct Thread {
    uint32_t process;                     // the session's index
    std::unique_ptr<ThreadLog> log;       // until the end
    std::unique_ptr<RingDrain> drain;     // until the end
    std::unique_ptr<ValuesDrain> values;  // until the end, when values are told
    Clock::time_point values_since{};     // when they were last asked to be written to their last
    std::optional<uint64_t> told_up_to;   // the path whose values, and all before, will be then
    uint64_t known_up_to = 0;             // what the file says of that
    ThreadClock clock;                    // after the end
    uint64_t waiting_chunk = UINT64_MAX;  // the chunk that had something pending …
    Clock::time_point waiting_since{};    // … at this time
  };

  uint32_t take_words();
  void discover();
  void discover_rings();
  void open_thread(uint32_t ring);
  void open_values(uint32_t ring);
  void close_values(Thread& thread);
  bool close_when_drained(Thread& thread);
  std::vector<Frame> stack_at_fork(Thread& creator, uint64_t serial, uint64_t time);
  void close_thread(Thread& thread, ProcessEnd end);
  void close_process(uint32_t process, ProcessEnd end);
  void flush_waiting(Clock::time_point now);
  void check(const Result<void>& result);
  bool over_size() const;

  const Session& session_;
  StoreWriter& writer_;
  PathKinds& kinds_;
  const RecordOptions& options_;
  ModuleTable modules_;
  ProcessTable processes_;
  LoadMap load_map_;
  std::optional<OrderLog> order_;        // when it is asked for
  std::unique_ptr<WorkerPool> workers_;  // outlives the encoders
  EncoderPool encoders_;
  Spares<RecordEncoder> value_encoders_{kSpareValueEncoders};
  std::unique_ptr<Crew> readers_;                 // null: rings are read one after the other
  std::vector<RingDrain*> waiting_;               // rings with something in them, in this round
  std::deque<Thread> threads_;                    // by the trace's index
  std::map<uint64_t, uint32_t> thread_of_ring_;   // ring serial → thread
  std::map<uint32_t, uint32_t> active_;           // ring index → thread
  std::map<uint32_t, uint32_t> values_rings_;     // ring index → thread
  std::map<uint32_t, ThreadOrder> thread_order_;  // by the session's process index
  // (ring serial, target time) → the stack there; until the child is seen
  std::map<std::pair<uint64_t, uint64_t>, std::vector<Frame>> forks_;
  Clock::time_point last_tick_{}, last_peek_{};
  std::optional<Clock::time_point>
      alone_since_;        // nothing recorded is left; an orphan may come yet
  uint32_t doorbell_ = 0;  // as it was before the last look around
  uint64_t paths_ = 0;
  bool stopped_ = false;
  bool gave_checked_ = false;
  bool size_cap_reached_ = false;
  std::string problem_;
};

}  // namespace vestige
