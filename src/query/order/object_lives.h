// Which object an operation is about. An address is not enough: what lies there ends, and something
// else begins, which knows nothing of what the first one was given.
//
// A *life* of an address ends
//
//   where its memory is handed out anew (SyncKind::allocated);
//   where it is initialized or destroyed (object_begins, object_ends, barrier_init, sem_init);
//   where recorded code writes to its first byte by anything but an atomic operation: a constructor,
//   an initializer, memset. Of such a *rewrite* is known between which two operations of its thread it lies.
//   Where another thread uses the object meanwhile, the two race, and it stays what it was.
//
// So rewrites are found in a second reading: the first says which addresses are used, and when.
//
// What is stamped late belongs where it began: who leaves a barrier, or wakes up, uses the object
// at which it arrived, even if another thread destroyed it meanwhile.
//
// One owner thread. Memory: two small nodes for each address that is used.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vestige/sync.h"

namespace vestige::threads {

using Object = std::pair<uint32_t, uint64_t>;  // process, address
struct ObjectHash {
  size_t operator()(const Object& object) const {
    return (object.second ^ uint64_t{object.first} << 52) * 0x9e3779b97f4a7c15 >> 8;
  }
};

// Whether operations of this kind are about something that lies at an address: a lock, an atomic
// variable …
constexpr bool has_object(SyncKind kind) {
  return !is_message(kind) && !is_descriptor(kind) && !is_memory(kind) &&
         kind != SyncKind::omp_give && kind != SyncKind::omp_take &&
         kind != SyncKind::thread_create && kind != SyncKind::thread_join &&
         kind != SyncKind::fence;
}

// A write behind the operation with one stamp, and before that with the other one, of the same
// thread.
struct Rewrite {
  Object object;
  uint64_t after = 0, before = UINT64_MAX;
  auto operator<=>(const Rewrite&) const = default;
};
using Rewrites = std::vector<Rewrite>;  // in order

// From the first use of an address to its last, by stamps.
struct ObjectUse {
  Object object;
  uint64_t first = 0, last = 0;
};

class ObjectLives {
 public:
  // Null: none are known.
  explicit ObjectLives(std::shared_ptr<const Rewrites> rewrites = nullptr)
      : rewrites_(std::move(rewrites)) {}
  ObjectLives(const ObjectLives&) = delete;
  ObjectLives& operator=(const ObjectLives&) = delete;

  // Before an operation is looked at, by rising stamp. True: it is about memory and objects alone.
  bool operation(const SyncOperation& op, uint32_t process);

  // The object at an address, in the life that it is in at this stamp: numbers from 0. Stamps do
  // not fall.
  uint32_t at(const Object& object, uint64_t stamp);
  // The object of an operation, with what the file comment says of late stamps.
  uint32_t of(const SyncOperation& op, uint32_t process);
  // The number that the last call of at() or of() put an end to; kNone: none.
  uint32_t ended() const { return ended_; }

  // What was used more than once, by object.
  std::vector<ObjectUse> uses() const;

 private:
  struct Use {
    uint32_t number = 0;
    bool ended = false;
    uint64_t first = 0, last = 0;
    size_t rewrite = 0;  // the next one
  };
  void end(uint32_t process, uint64_t first, uint64_t end);

  const std::shared_ptr<const Rewrites> rewrites_;
  std::unordered_map<Object, Use, ObjectHash> uses_;
  std::map<Object, Use*> by_address_;
  // By thread: the barrier or condition variable.
  std::unordered_map<uint32_t, std::pair<Object, uint32_t>> waits_at_;
  uint32_t next_ = 0;
  uint32_t ended_ = kNone;
};

// Finds rewrites among accesses.
class RewriteFinder {
 public:
  explicit RewriteFinder(std::vector<ObjectUse> uses) : uses_(std::move(uses)) {}
  bool idle() const { return uses_.empty(); }

  // Plain writes to `bytes` bytes each, `count` of them, `stride` apart, behind the operation with
  // the one stamp and before that with the other one.
  void write(uint32_t process, uint64_t address, uint64_t stride, uint64_t count, uint64_t bytes,
             uint64_t after, uint64_t before);

  // Null: there are none.
  std::shared_ptr<const Rewrites> finish();

 private:
  std::vector<ObjectUse> uses_;
  Rewrites found_;
};

}  // namespace vestige::threads
