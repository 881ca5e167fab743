// Rights (order.h): who may go on without a lock, and how that ends.
#include <cpuid.h>
#include <linux/membarrier.h>

#include "record/runtime/order_thread.h"

namespace vestige::runtime {

namespace {

std::atomic<bool> given;

// Every other thread of this process has done what it stored before, and sees what this one did.
bool all_pass_barrier() {
  return system_call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

bool has_wide_accesses() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_AVX) != 0;
}

// Whatever access the thread was in is over. What `now` says of it may come later than `current`,
// so one change is not enough.
bool access_over(const OrderThread& other) {
  const uint64_t current = other.current.load(std::memory_order_acquire);
  uint64_t seen = load_access(other.now).position;
  OrderPatience patience;
  for (int changes = 0; current != 0 && other.current.load(std::memory_order_acquire) == current;) {
    const uint64_t position = load_access(other.now).position;
    if (position != seen && ++changes == 2) return true;
    seen = position;
    if (!patience.wait(&other)) return false;
  }
  return true;
}

template <typename Do>
bool each_mark(const OrderThread& me, Cell& cell, Do&& act) {
  if (cell.writer != 0 && cell.writer != me.number) {
    Access mark{cell.written, cell.write_statement};
    if (!act(*order_thread(cell.writer), mark)) return false;
    cell.written = mark.position;
    cell.write_statement = static_cast<uint32_t>(mark.statement) & 0x7fffffff;
  }
  if (cell.reader == kSeveral) {
    for (Reader* reader = cell.readers; reader != nullptr; reader = reader->next) {
      if (reader->thread == me.number) continue;
      Access mark{reader->position, reader->statement};
      if (!act(*order_thread(reader->thread), mark)) return false;
      reader->position = mark.position;
      reader->statement = static_cast<uint32_t>(mark.statement);
    }
  } else if (cell.reader != 0 && cell.reader != me.number) {
    Access mark{cell.read, cell.read_statement};
    if (!act(*order_thread(cell.reader), mark)) return false;
    cell.read = mark.position;
    cell.read_statement = static_cast<uint32_t>(mark.statement);
  }
  return true;
}

}  // namespace

void prepare_rights() {
  given.store(has_wide_accesses() &&
                  system_call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0,
              std::memory_order_relaxed);
}

bool gives_rights() { return given.load(std::memory_order_relaxed); }

void grant(OrderThread& me, const Cell& cell, uint64_t granule, bool writes) {
  if (cell.contested || me.complete || !gives_rights()) return;
  const bool alone = writes || (cell.writer == me.number && cell.written >= me.began &&
                                (cell.reader == 0 || cell.reader == me.number));
  me.right_to(granule).store(me.right_of(granule) | (alone ? 1 : 0), std::memory_order_relaxed);
}

bool is_open(const OrderThread& me, uint32_t thread, uint64_t position) {
  if (thread == 0 || thread == me.number || position < me.settled[thread]) return false;
  return order_thread(thread)->closed.load(std::memory_order_acquire) <= position;
}

bool last_done(const OrderThread& other, Access& last) {
  last = load_access(other.now);
  OrderPatience patience;
  while (other.current.load(std::memory_order_acquire) != 0) {
    if (load_access(other.now).position != last.position) return true;
    if (!patience.wait(&other)) return false;
  }
  return true;
}

__attribute__((noinline)) bool contest(OrderThread& me, Cell& cell, uint64_t granule) {
  constexpr unsigned kKey = OrderThread::kSegmentBits + 1;
  each_mark(me, cell, [&](OrderThread& other, Access&) {
    std::atomic<uint64_t>& right = other.right_to(granule);
    if (right.load(std::memory_order_relaxed) >> kKey == granule)
      right.store(0, std::memory_order_relaxed);
    return true;
  });
  // Whoever looked at its right before that shows in `current` that it is in an access.
  if (!all_pass_barrier()) return false;
  me.right_to(granule).store(0, std::memory_order_relaxed);
  cell.contested = 1;
  return each_mark(me, cell, [&](OrderThread& other, Access& mark) {
    return access_over(other) && last_done(other, mark);
  });
}

void end_segment(OrderThread& me, uint64_t position) {
  me.segment += 2;
  if (me.segment >> (OrderThread::kSegmentBits + 1) != 0) {
    me.segment = 2;
    for (std::atomic<uint64_t>& right : me.rights) right.store(0, std::memory_order_relaxed);
  }
  me.began = position;
  me.closed.store(position, std::memory_order_release);
}

}  // namespace vestige::runtime
