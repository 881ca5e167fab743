// One order of the paths of all threads, in which whatever was written by the time synchronization
// says comes before whoever may read it.
//
// Between two synchronization operations a thread runs alone as far as is known, so runs of paths
// are put in order: by the stamp of the operation that ends them (of a thread's last run: that of
// its join). What happened before something else, in the sense of query/order/happens_before.h,
// comes before it here; what is not ordered comes in the order of the stamps, whatever the machine
// did. Where the order of accesses was recorded, it comes in that order (ordered_runs.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "query/order/happens_before.h"
#include "vestige/trace.h"

namespace vestige {

struct ThreadRun {
  uint32_t thread = 0;
  uint64_t first_time = 1, paths = 0;
  uint64_t first_order = 1;  // the number of its first path
  uint64_t end_time() const { return first_time + paths; }
  uint64_t end_order() const { return first_order + paths; }
};

struct OrderedRuns;
class Interleaving;

// The runs as files keep them: thread, times skipped since its run before, paths.
void put_runs(const Interleaving& order, size_t threads, ByteWriter& out);
// Nothing when they make no sense.
std::optional<Interleaving> take_runs(ByteReader& in, size_t threads);

// Immutable.
class Interleaving {
 public:
  Interleaving() = default;
  // Numbers the paths of the runs; those of one thread must follow each other in time.
  Interleaving(size_t threads, std::vector<ThreadRun> runs);
  // Of these threads of a trace.
  static Interleaving make(const Trace& trace, const std::vector<uint32_t>& threads,
                           const races::HappensBefore& order);
  // By the recorded order of accesses, too.
  static Interleaving make(size_t threads, OrderedRuns runs);

  // Whether a path is known to come behind what it read of one that has a lower number, as the
  // recorded order of accesses has it (ordered_runs.h).
  bool trusts(uint64_t reader, uint64_t writer) const;
  bool is_ordered() const { return ordered_; }

  // By rising order.
  const std::vector<ThreadRun>& runs() const { return runs_; }
  // The number of a path; 0: it is in no run.
  uint64_t order(uint32_t thread, uint64_t time) const;
  // The run of a path with this number; null: there is none.
  const ThreadRun* run_of(uint64_t order) const;

 private:
  std::vector<ThreadRun> runs_;
  std::vector<std::vector<uint32_t>> of_thread_;  // numbers of runs, by rising time
  bool ordered_ = false;
  std::vector<uint64_t> early_;  // numbers of paths, rising
  struct Doubt {
    uint64_t first = 0, last = 0;
  };
  std::vector<Doubt> doubts_;  // numbers of paths, rising, apart from each other
};

}  // namespace vestige
