// Rights (order.h): who may go on without a lock, and how that ends.
#include <cpuid.h>
#include <linux/membarrier.h>

#include "record/runtime/order_thread.h"

namespace vestige::runtime {

namespace {

constexpr unsigned kKey = OrderThread::kSegmentBits + 1;  // above it is the granule of a right

std::atomic<bool> given;

// Every other thread of this process has done what it stored before, and sees what this one did.
bool all_pass_barrier() {
  return system_call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

bool has_wide_accesses() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_AVX) != 0;
}

// Whatever access the thread may have been in by a right to this granule is over.
bool access_over(const OrderThread& other, uint64_t granule) {
  OrderPatience patience;
  for (;;) {
    const uint64_t current = other.current.load(std::memory_order_acquire);
    if (current != kInSeveral && (current == 0 || granule - current >= kMostRights)) return true;
    if (!patience.wait(&other)) return false;
  }
}

// The last access with locks, when it is over.
bool last_locked(const OrderThread& other, AccessMark& last) {
  last = load_access(other.now);
  const uint64_t current = other.current.load(std::memory_order_acquire);
  OrderPatience patience;
  while (current != 0 && other.current.load(std::memory_order_acquire) == current &&
         load_access(other.now).position == last.position)
    if (!patience.wait(&other)) return false;
  return true;
}

template <typename Do>
bool each_mark(const OrderThread& me, OrderCell& cell, Do&& act) {
  if (cell.writer != 0 && cell.writer != me.number) {
    AccessMark mark{cell.written, cell.write_statement};
    if (!act(*order_thread(cell.writer), mark)) return false;
    cell.written = mark.position;
    cell.write_statement = static_cast<uint32_t>(mark.statement) & 0x7fffffff;
  }
  if (cell.reader == kSeveral) {
    for (GranuleReader* reader = cell.readers; reader != nullptr; reader = reader->next) {
      if (reader->thread == me.number) continue;
      AccessMark mark{reader->position, reader->statement};
      if (!act(*order_thread(reader->thread), mark)) return false;
      reader->position = mark.position;
      reader->statement = static_cast<uint32_t>(mark.statement);
    }
  } else if (cell.reader != 0 && cell.reader != me.number) {
    AccessMark mark{cell.read, cell.read_statement};
    if (!act(*order_thread(cell.reader), mark)) return false;
    cell.read = mark.position;
    cell.read_statement = static_cast<uint32_t>(mark.statement);
  }
  return true;
}

}  // namespace

void prepare_rights() {
  given.store(session.header->order.load(std::memory_order_relaxed) != protocol::Order::by_locks &&
                  has_wide_accesses() &&
                  system_call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0,
              std::memory_order_relaxed);
}

bool gives_rights() { return given.load(std::memory_order_relaxed); }

void grant(OrderThread& me, const OrderCell& cell, uint64_t granule, bool writes) {
  if (cell.contested || !gives_rights()) return;
  const bool alone = writes || (cell.writer == me.number && cell.written >= me.began &&
                                (cell.reader == 0 || cell.reader == me.number));
  const uint64_t place = OrderThread::place_of(granule);
  me.rights[place].store(
      me.complete ? OrderThread::use_of(granule) : me.right_of(granule) | (alone ? 1 : 0),
      std::memory_order_release);
  me.use(place, me.statement);
}

bool is_open(const OrderThread& me, uint32_t thread, uint64_t position) {
  if (thread == 0 || thread == me.number || position < me.settled[thread]) return false;
  return order_thread(thread)->closed.load(std::memory_order_acquire) <= position;
}

bool last_use(const OrderThread& other, uint64_t granule, AccessMark& mark) {
  const uint64_t place = OrderThread::place_of(granule);
  const auto is_there = [&] {
    return OrderThread::use_of(granule) >> kKey ==
           other.rights[place].load(std::memory_order_acquire) >> kKey;
  };
  AccessMark last{0, 0};
  if (is_there()) {
    last.position = __atomic_load_n(&other.used[place].position, __ATOMIC_ACQUIRE);
    last.statement = __atomic_load_n(&other.used[place].statement, __ATOMIC_ACQUIRE);
  }
  // Something else took its place, in an access with locks, or the thread has ended.
  const bool gone = !is_there() || other.closed.load(std::memory_order_acquire) == UINT64_MAX;
  if (gone && !last_locked(other, last)) return false;
  if (last.position > mark.position) mark = last;
  return true;
}

__attribute__((noinline)) bool contest(OrderThread& me, OrderCell& cell, uint64_t granule) {
  const uint64_t place = OrderThread::place_of(granule), use = OrderThread::use_of(granule);
  each_mark(me, cell, [&](OrderThread& other, AccessMark&) {
    uint64_t right = other.rights[place].load(std::memory_order_relaxed);
    // Its owner may be about to put something else there.
    if (right >> kKey == granule) other.rights[place].compare_exchange_strong(right, use);
    return true;
  });
  // Whoever looked at its right before that shows in `current` that it is in an access.
  if (!all_pass_barrier()) return false;
  if (me.rights[place].load(std::memory_order_relaxed) >> kKey == granule)
    me.rights[place].store(use, std::memory_order_relaxed);
  cell.contested = 1;
  return each_mark(me, cell, [&](OrderThread& other, AccessMark& mark) {
    return access_over(other, granule) && last_use(other, granule, mark);
  });
}

void note_last_use(OrderThread& me) {
  AccessMark last = me.now;
  for (const AccessMark& use : me.used)
    if (use.position > last.position) last = use;
  store_access(me.now, last.position, last.statement);
}

void end_segment(OrderThread& me, uint64_t position) {
  me.segment += 2;
  if (me.segment >> (OrderThread::kSegmentBits + 1) != 0) {
    me.segment = 2;
    note_last_use(me);
    for (std::atomic<uint64_t>& right : me.rights) right.store(0, std::memory_order_relaxed);
  }
  me.began = position;
  me.closed.store(position, std::memory_order_release);
}

}  // namespace vestige::runtime
