// The locks of cells (order.h).
#include "record/runtime/order_thread.h"

namespace vestige::runtime {

namespace {

constexpr uint64_t kLeafCells = 1 << 17, kInnerLeaves = 1 << 14, kInners = 1 << 13;
constexpr uint32_t kSpinsAtCell = 100, kPatienceAtCell = 2000;

std::atomic<std::atomic<OrderCell*>*> inners[kInners];

template <typename T>
__attribute__((noinline)) T* make(std::atomic<T*>& place, uint64_t bytes) {
  T* fresh = static_cast<T*>(map_zeros(bytes));
  T* present = nullptr;
  if (fresh == nullptr || place.compare_exchange_strong(present, fresh)) return fresh;
  unmap_memory(fresh, bytes);
  return present;
}

bool try_take(OrderCell& cell, uint32_t number) {
  uint32_t nobody = 0;
  return cell.owner.load(std::memory_order_relaxed) == 0 &&
         cell.owner.compare_exchange_strong(nobody, number, std::memory_order_acquire);
}

__attribute__((noinline)) bool take_slowly(OrderCell& cell, uint32_t number) {
  OrderPatience patience;
  while (!try_take(cell, number)) {
    const uint32_t owner = cell.owner.load(std::memory_order_relaxed) % kMostOrderThreads;
    if (!patience.wait(order_thread(owner))) return false;
  }
  return true;
}

// A handler may have left it before it had it.
void let_go_of_cell(OrderThread& me, OrderCell& cell) {
  if (cell.owner.load(std::memory_order_relaxed) == me.number)
    cell.owner.store(0, std::memory_order_release);
}

}  // namespace

void* map_zeros(uint64_t bytes) {
  return map_memory(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

bool OrderPatience::wait(const OrderThread* other) {
  if (++spins_ < kSpinsAtCell) {
    _mm_pause();
    return true;
  }
  spins_ = 0;
  in_handler_ =
      other != nullptr && other->depth.load(std::memory_order_relaxed) != 0 ? in_handler_ + 1 : 0;
  if (in_handler_ > kPatienceAtCell / 2) {
    timespec duration{0, 1'000'000};
    system_call(SYS_nanosleep, word_of(&duration), 0);
  } else {
    system_call(SYS_sched_yield);
  }
  return in_handler_ < kPatienceAtCell;
}

OrderCell* cell_of(uint64_t granule) {
  std::atomic<std::atomic<OrderCell*>*>& inner_place =
      inners[granule / (kLeafCells * kInnerLeaves)];
  std::atomic<OrderCell*>* inner = inner_place.load(std::memory_order_acquire);
  if (inner == nullptr) inner = make(inner_place, kInnerLeaves * sizeof(std::atomic<OrderCell*>));
  if (inner == nullptr) return nullptr;
  std::atomic<OrderCell*>& leaf_place = inner[granule / kLeafCells % kInnerLeaves];
  OrderCell* leaf = leaf_place.load(std::memory_order_acquire);
  if (leaf == nullptr) leaf = make(leaf_place, kLeafCells * sizeof(OrderCell));
  return leaf == nullptr ? nullptr : leaf + granule % kLeafCells;
}

void forget_cells() {
  for (std::atomic<std::atomic<OrderCell*>*>& place : inners) {
    std::atomic<OrderCell*>* inner = place.load(std::memory_order_relaxed);
    if (inner == nullptr) continue;
    for (uint64_t i = 0; i < kInnerLeaves; ++i)
      if (OrderCell* leaf = inner[i].load(std::memory_order_relaxed))
        unmap_memory(leaf, kLeafCells * sizeof(OrderCell));
    place.store(nullptr, std::memory_order_relaxed);
    unmap_memory(inner, kInnerLeaves * sizeof(std::atomic<OrderCell*>));
  }
}

void let_go_of(OrderThread& me) {
  if (me.cell != nullptr) let_go_of_cell(me, *me.cell);
  for (uint32_t i = 0; i < me.held_count; ++i)
    for (uint64_t granule = me.held[i].first; granule <= me.held[i].last; ++granule)
      if (OrderCell* cell = cell_of(granule)) let_go_of_cell(me, *cell);
  compiler_barrier();
  me.cell = nullptr;
  me.held_count = 0;
  me.holds = false;
}

bool take(OrderThread& me, OrderCell& cell) {
  me.cell = &cell;
  compiler_barrier();
  me.holds = true;
  compiler_barrier();
  return try_take(cell, me.number) || take_slowly(cell, me.number);
}

bool take(OrderThread& me, OrderThread::Range range) {
  me.held[me.held_count] = range;
  compiler_barrier();
  ++me.held_count;
  me.holds = true;
  compiler_barrier();
  for (uint64_t granule = range.first; granule <= range.last; ++granule) {
    OrderCell* cell = cell_of(granule);
    if (cell == nullptr || (!try_take(*cell, me.number) && !take_slowly(*cell, me.number)))
      return false;
  }
  return true;
}

}  // namespace vestige::runtime
