// What orders two units of one thread beside the thread itself: locks, atomic operations, `ordered`
// …, in the recorded order.
//
// Each release at an object has a number. What a unit knows is, by object, the last release that
// came before it. An access comes before another one when its unit released something behind it
// that the other unit knows.
//
// It errs towards order: reading locks count as others, all operations of a kind on one object go
// on for ever, and fences make every atomic operation one that acquires and releases. So races may
// be missed, and none is invented.
//
// Memory: what is known, for each operation of a unit. Immutable once made.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "query/schedules/units.h"
#include "query/threads/lives.h"
#include "vestige/sync.h"

namespace vestige::schedules {

using UnitKey = std::tuple<uint32_t, uint32_t, Unit::Kind, uint32_t, int64_t>;

class Orders {
 public:
  static Result<Orders> read(const Trace& trace, const Timelines& lines, TeamCode& code);

  // The access a before b, of the same thread.
  bool ordered(uint32_t thread, const Place& at_a, const Standing& a, const Place& at_b,
               const Standing& b) const;
  // Locks that are held by both.
  bool excluded(uint32_t thread, uint64_t time_a, uint64_t time_b) const;
  // The stamp of the last operation before this time's path.
  uint64_t stamp_before(uint32_t thread, uint64_t time) const;
  // How many operations there were.
  size_t operations_before(uint32_t thread, uint64_t time) const;

  // Memory that this thread got anew.
  struct Anew {
    uint64_t time = 0, first = 0, end = 0;
  };
  const std::vector<Anew>& anew(uint32_t thread) const { return threads_[thread].anew; }

 private:
  using Known = std::vector<uint32_t>;  // by object: the last release
  struct Release {
    uint64_t time = 0;
    uint32_t object = 0, number = 0;
  };
  struct Behind {
    uint64_t time = 0;
    std::shared_ptr<const Known> known;
  };
  struct OfUnit {
    std::vector<Release> releases;
    std::vector<Behind> known;
  };
  struct OfThread {
    std::map<UnitKey, OfUnit> units;
    std::vector<Behind> known;  // of the thread as a whole
    std::vector<uint64_t> acquires;
    struct Held {
      uint64_t time = 0, stamp = 0;
      std::vector<uint64_t> locks;
    };
    std::vector<Held> held;
    std::vector<Anew> anew;
  };
  class Reader;
  static const Known* at(const std::vector<Behind>& known, uint64_t time);
  static bool knows(const Known* known, const std::vector<Release>& releases, uint64_t from);

  const Timelines* lines_ = nullptr;
  std::vector<OfThread> threads_;
};

}  // namespace vestige::schedules
