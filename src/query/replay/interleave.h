// Several threads' references as one stream (vestige/replay.h).
//
// Memory: what each thread's feed needs, and one batch of each.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "vestige/result.h"
#include "vestige/values.h"

namespace vestige {

// The references of one thread, in order, each with a place in it; places rise.
class ThreadFeed {
 public:
  struct Placed {
    uint64_t place = 0;
    Reference reference;
    // Which access it is: of which path, and of which statement in the path's function.
    uint64_t time = 0;
    uint32_t statement = kNone;
  };
  // A synchronization operation: what has its place or a lower one is before it. What has the very
  // next place takes place with it.
  struct Mark {
    uint64_t place = 0;
    uint64_t stamp = 0;  // unique over all threads, rising within one
  };
  // An access of another thread that comes before one of this thread's (vestige/order.h).
  struct Edge {
    uint32_t from = 0;  // which of the others
    uint64_t from_time = 0;
    uint32_t from_statement = kNone;
    uint64_t to_time = 0;
    uint32_t to_statement = kNone;
    // The statements are kNone: a whole path comes before, up to and with the operation at this
    // place; or behind.
    uint64_t from_place = 0;
  };
  virtual ~ThreadFeed() = default;
  // The next ones in the place of what `out` holds; empty at the end.
  virtual Result<void> read(std::vector<Placed>& out) = 0;
  // Nothing: no more operations.
  virtual Result<std::optional<Mark>> next_mark() = 0;
  // By the accesses that they lead to, in order; nothing: no more.
  virtual Result<std::optional<Edge>> next_edge() { return std::nullopt; }
  // Whether this statement is a call, which has no references, and came back where the path begins
  // that this reference is of.
  virtual bool comes_first(uint32_t /*statement*/, const Placed& /*of*/) const { return false; }
};

struct InterleavedThread {
  std::unique_ptr<ThreadFeed> feed;
  // Which of the others started it, and the place of the last thing that one had done; kNone:
  // nobody.
  uint32_t parent = kNone;
  uint64_t parent_place = 0;
};

Result<void> interleave(std::vector<InterleavedThread> threads, uint64_t turn,
                        const std::function<bool(const Reference&)>& take);

}  // namespace vestige
