#include "record/runtime/order.h"

#include <immintrin.h>

#include "record/runtime/abi.h"
#include "record/runtime/heap.h"
#include "record/runtime/values.h"

namespace vestige::runtime {

using namespace protocol;

// What a thread has to do with the order. Never unmapped: others look at it after its end.
struct OrderThread {
  struct Range {
    uint64_t first, last;  // granules
  };
  // An access of another thread that comes before the present one.
  struct Earlier {
    uint64_t position;
    uint32_t thread, statement;
  };
  static constexpr uint32_t kMostEarlier = 16;

  uint32_t number;
  uint64_t ring;  // serial
  uint64_t time;      // of the last access's path
  uint64_t ordinal;   // of the last access, in its path
  std::atomic<uint32_t> depth;
  // The last stamp, and the last position before it. The stamp is 0 while the two change.
  std::atomic<uint64_t> stamp, stamped;
  struct Cell* cell;  // what it has, when that is one
  Range held[2];
  uint32_t held_count;
  uint32_t earlier_count;
  Earlier earlier[kMostEarlier];
  uint64_t completed;  // of the present access: what it is told with
  uint32_t statement;
  bool complete;
  struct Reader* free_readers;
  struct Reader* fresh_readers;
  uint32_t fresh_count;
  uint64_t known[1 << 16];  // by number: what has at most this position comes before
};

// One of several threads that read a granule since it was written.
struct Reader {
  Reader* next;
  uint64_t position;
  uint32_t thread, statement;
};

namespace {

constexpr uint32_t kMostThreads = 1 << 16;
constexpr uint32_t kSeveral = kMostThreads - 1;  // in the place of a reader: `read` points to a list
constexpr unsigned kOrdinalBits = 16;
static_assert(kLastAccess == (1 << kOrdinalBits) - 1);
constexpr uint64_t kAddressEnd = uint64_t{1} << 47;
constexpr uint64_t kLeafCells = 1 << 17, kInnerLeaves = 1 << 14, kInners = 1 << 13;
constexpr uint32_t kSpinsAtCell = 100, kPatienceAtCell = 2000;
constexpr uint32_t kReadersAtOnce = 1 << 12;

}  // namespace

struct Cell {
  std::atomic<uint32_t> owner;  // number of who has the lock
  uint16_t writer, reader;      // numbers; 0: nobody
  uint64_t written;
  union {
    uint64_t read;
    Reader* readers;
  };
  uint32_t write_statement, read_statement;
};
static_assert(sizeof(Cell) == 32);

namespace {

// Cells by granule, in leaves that are mapped when they are first asked for.
std::atomic<std::atomic<Cell*>*> inners[kInners];
std::atomic<OrderThread*> threads[kMostThreads];
std::atomic<uint32_t> thread_count;

constinit thread_local OrderThread* self_order = nullptr;

void* map_zeros(uint64_t bytes) {
  return map_memory(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

template <typename T>
__attribute__((noinline)) T* make(std::atomic<T*>& place, uint64_t bytes) {
  T* fresh = static_cast<T*>(map_zeros(bytes));
  T* present = nullptr;
  if (fresh == nullptr || place.compare_exchange_strong(present, fresh)) return fresh;
  unmap_memory(fresh, bytes);
  return present;
}

// Null when there is no memory for it.
Cell* cell_of(uint64_t granule) {
  std::atomic<std::atomic<Cell*>*>& inner_place = inners[granule / (kLeafCells * kInnerLeaves)];
  std::atomic<Cell*>* inner = inner_place.load(std::memory_order_acquire);
  if (inner == nullptr) inner = make(inner_place, kInnerLeaves * sizeof(std::atomic<Cell*>));
  if (inner == nullptr) return nullptr;
  std::atomic<Cell*>& leaf_place = inner[granule / kLeafCells % kInnerLeaves];
  Cell* leaf = leaf_place.load(std::memory_order_acquire);
  if (leaf == nullptr) leaf = make(leaf_place, kLeafCells * sizeof(Cell));
  return leaf == nullptr ? nullptr : leaf + granule % kLeafCells;
}

bool try_take(Cell& cell, uint32_t number) {
  uint32_t nobody = 0;
  return cell.owner.load(std::memory_order_relaxed) == 0 &&
         cell.owner.compare_exchange_strong(nobody, number, std::memory_order_acquire);
}

__attribute__((noinline)) bool take_slowly(Cell& cell, uint32_t number) {
  for (uint32_t in_handler = 0; in_handler < kPatienceAtCell;) {
    for (uint32_t spin = 0; spin < kSpinsAtCell; ++spin) {
      if (try_take(cell, number)) return true;
      _mm_pause();
    }
    const uint32_t owner = cell.owner.load(std::memory_order_relaxed) % kMostThreads;
    OrderThread* other = threads[owner].load(std::memory_order_relaxed);
    in_handler = other != nullptr && other->depth.load(std::memory_order_relaxed) != 0 ? in_handler + 1 : 0;
    if (in_handler > kPatienceAtCell / 2) {
      timespec duration{0, 1'000'000};
      system_call(SYS_nanosleep, word_of(&duration), 0);
    } else {
      system_call(SYS_sched_yield);
    }
  }
  return false;
}

// A handler may have left it before it had it.
void let_go_of_cell(OrderThread& me) {
  if (me.cell->owner.load(std::memory_order_relaxed) == me.number)
    me.cell->owner.store(0, std::memory_order_release);
  me.cell = nullptr;
}

void let_go_of(OrderThread& me) {
  if (me.cell != nullptr) let_go_of_cell(me);
  for (uint32_t i = 0; i < me.held_count; ++i)
    for (uint64_t granule = me.held[i].first; granule <= me.held[i].last; ++granule) {
      Cell* cell = cell_of(granule);
      if (cell != nullptr && cell->owner.load(std::memory_order_relaxed) == me.number)
        cell->owner.store(0, std::memory_order_release);
    }
  compiler_barrier();
  me.held_count = 0;
}

bool take(OrderThread& me, OrderThread::Range range) {
  me.held[me.held_count] = range;
  compiler_barrier();
  ++me.held_count;
  compiler_barrier();
  for (uint64_t granule = range.first; granule <= range.last; ++granule) {
    Cell* cell = cell_of(granule);
    if (cell == nullptr || (!try_take(*cell, me.number) && !take_slowly(*cell, me.number)))
      return false;
  }
  return true;
}

void tell_earlier(OrderThread& me) {
  for (uint32_t i = 0; i < me.earlier_count; ++i) {
    const OrderThread::Earlier& earlier = me.earlier[i];
    tell_record(me.completed, kOrderRing, threads[earlier.thread].load(std::memory_order_relaxed)->ring);
    tell_record(me.completed, kOrderTime, earlier.position >> kOrdinalBits);
    tell_record(me.completed, kOrderStatements, uint64_t{earlier.statement} << 32 | me.statement);
    tell_record(me.completed, kOrderEdge,
                (earlier.position & kLastAccess) | me.ordinal << kOrdinalBits |
                    (me.complete ? kAccessComplete : 0));
  }
  me.earlier_count = 0;
}

// An ordinal that is the last stands for all behind it.
bool is_known(const OrderThread& me, uint32_t thread, uint64_t position) {
  return (position & kLastAccess) == kLastAccess ? me.known[thread] > position
                                                   : me.known[thread] >= position;
}

__attribute__((noinline)) void note_earlier(OrderThread& me, uint32_t thread, uint64_t position,
                                            uint32_t statement) {
  me.known[thread] = position;
  for (uint32_t i = 0; i < me.earlier_count; ++i)
    if (me.earlier[i].thread == thread) {
      me.earlier[i] = {position, thread, statement};
      return;
    }
  if (me.earlier_count == OrderThread::kMostEarlier) tell_earlier(me);
  me.earlier[me.earlier_count++] = {position, thread, statement};
}

void comes_behind(OrderThread& me, uint32_t thread, uint64_t position, uint32_t statement) {
  if (thread == 0 || thread == me.number || is_known(me, thread, position)) return;
  note_earlier(me, thread, position, statement);
}

Reader* new_reader(OrderThread& me) {
  if (Reader* reader = me.free_readers) {
    me.free_readers = reader->next;
    return reader;
  }
  if (me.fresh_count == 0) {
    me.fresh_readers = static_cast<Reader*>(map_zeros(kReadersAtOnce * sizeof(Reader)));
    if (me.fresh_readers == nullptr) return nullptr;
    me.fresh_count = kReadersAtOnce;
  }
  return me.fresh_readers + --me.fresh_count;
}

__attribute__((noinline)) void note_readers(OrderThread& me, Cell& cell) {
  while (Reader* reader = cell.readers) {
    comes_behind(me, reader->thread, reader->position, reader->statement);
    cell.readers = reader->next;
    reader->next = me.free_readers;
    me.free_readers = reader;
  }
}

// One more reader. Without memory the one before is told as if this one came behind it, which it does.
__attribute__((noinline)) void add_reader(OrderThread& me, Cell& cell, uint64_t position) {
  if (cell.reader == kSeveral)
    for (Reader* reader = cell.readers; reader != nullptr; reader = reader->next)
      if (reader->thread == me.number) {
        reader->position = position;
        reader->statement = me.statement;
        return;
      }
  Reader* other = cell.reader == kSeveral ? nullptr : new_reader(me);
  Reader* mine = new_reader(me);
  if (mine == nullptr || (other == nullptr && cell.reader != kSeveral)) {
    if (cell.reader == kSeveral)
      note_readers(me, cell);
    else
      comes_behind(me, cell.reader, cell.read, cell.read_statement);
    cell.reader = static_cast<uint16_t>(me.number);
    cell.read = position;
    cell.read_statement = me.statement;
    return;
  }
  if (other != nullptr) {
    *other = {nullptr, cell.read, cell.reader, cell.read_statement};
    cell.readers = other;
  }
  *mine = {cell.readers, position, me.number, me.statement};
  cell.readers = mine;
  cell.reader = kSeveral;
}

void note(OrderThread& me, Cell& cell, bool writes) {
  const uint64_t position = me.time << kOrdinalBits | me.ordinal;
  comes_behind(me, cell.writer, cell.written, cell.write_statement);
  if (writes) {
    if (cell.reader == kSeveral)
      note_readers(me, cell);
    else
      comes_behind(me, cell.reader, cell.read, cell.read_statement);
    cell.reader = 0;
    cell.writer = static_cast<uint16_t>(me.number);
    cell.written = position;
    cell.write_statement = me.statement;
  } else if (cell.reader == 0 || cell.reader == me.number ||
             (cell.reader != kSeveral && is_known(me, cell.reader, cell.read))) {
    // What comes behind this read comes behind the one it takes the place of.
    cell.reader = static_cast<uint16_t>(me.number);
    cell.read = position;
    cell.read_statement = me.statement;
  } else {
    add_reader(me, cell, position);
  }
}

void note(OrderThread& me, OrderThread::Range range, bool writes) {
  for (uint64_t granule = range.first; granule <= range.last; ++granule)
    note(me, *cell_of(granule), writes);
}

bool range_of(uint64_t address, uint64_t bytes, OrderThread::Range& range) {
  if (bytes == 0 || address >= kAddressEnd || bytes > kAddressEnd - address) return false;
  range = {address / 8, (address + bytes - 1) / 8};
  return true;
}

// A new access of this thread.
void arrive(OrderThread& me, uint32_t* next, uint64_t what) {
  if (me.held_count != 0 || me.cell != nullptr) let_go_of(me);
  me.earlier_count = 0;
  me.complete = (what & 2) != 0;
  me.statement = static_cast<uint32_t>(what >> 2);
  me.completed = (__vestige_thread.origin + word_of(next)) / 4;
  const uint64_t time = me.completed + (me.complete ? 0 : 1);
  if (time != me.time) {
    me.time = time;
    me.ordinal = 0;
  }
  if (me.complete)
    me.ordinal = kLastAccess;
  else if (me.ordinal < kLastAccess)
    ++me.ordinal;
}

// What others did up to their last stamps, where those are below this one.
void learn(OrderThread& me, uint64_t stamp) {
  const uint32_t count = thread_count.load(std::memory_order_relaxed);
  for (uint32_t i = 1; i <= count && i < kSeveral; ++i) {
    OrderThread* other = threads[i].load(std::memory_order_acquire);
    if (other == nullptr || other == &me) continue;
    const uint64_t taken = other->stamp.load(std::memory_order_acquire);
    const uint64_t position = other->stamped.load(std::memory_order_acquire);
    if (taken == 0 || taken > stamp || other->stamp.load(std::memory_order_relaxed) != taken) continue;
    if (me.known[i] < position) me.known[i] = position;
  }
}

void lose(OrderThread& me) {
  let_go_of(me);
  tell_record(me.completed, kOrderLost, 0);
}

bool wanted() { return several_threads.load(std::memory_order_relaxed) && recording(); }

}  // namespace

void begin_order(ThreadState* state) {
  state->order = nullptr;
  self_order = nullptr;
  if (__vestige_thread.mode != kVestigeFull ||
      session.header->order.load(std::memory_order_relaxed) == 0)
    return;
  const uint32_t number = thread_count.fetch_add(1, std::memory_order_relaxed) + 1;
  if (number >= kSeveral) return;
  auto* me = static_cast<OrderThread*>(map_zeros(sizeof(OrderThread)));
  if (me == nullptr) return;
  me->number = number;
  me->ring = state->writer.serial;
  threads[number].store(me, std::memory_order_release);
  state->order = me;
  self_order = me;
  __vestige_thread.mode = kVestigeOrder;
}

void restart_order(ThreadState* state) {
  if (state->order == nullptr) return;
  for (std::atomic<std::atomic<Cell*>*>& place : inners) {
    std::atomic<Cell*>* inner = place.load(std::memory_order_relaxed);
    if (inner == nullptr) continue;
    for (uint64_t i = 0; i < kInnerLeaves; ++i)
      if (Cell* leaf = inner[i].load(std::memory_order_relaxed))
        unmap_memory(leaf, kLeafCells * sizeof(Cell));
    place.store(nullptr, std::memory_order_relaxed);
    unmap_memory(inner, kInnerLeaves * sizeof(std::atomic<Cell*>));
  }
  const uint32_t count = thread_count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i <= count && i < kMostThreads; ++i)
    threads[i].store(nullptr, std::memory_order_relaxed);
  thread_count.store(0, std::memory_order_relaxed);
  const bool tells = __vestige_thread.mode == kVestigeOrder;
  if (tells) __vestige_thread.mode = kVestigeFull;
  begin_order(state);
}

void end_order(ThreadState* state) {
  if (state->order == nullptr) return;
  let_go_of(*state->order);
  system_call(SYS_madvise, (word_of(state->order->known) + 4095) & ~uint64_t{4095},
              sizeof(OrderThread::known) - 4096, MADV_DONTNEED);
  state->order = nullptr;
  self_order = nullptr;
}

void order_depth(ThreadState* state) {
  if (state->order != nullptr) state->order->depth.store(state->depth, std::memory_order_relaxed);
}

void order_stamped(ThreadState* state, uint64_t stamp) {
  if (state == nullptr || state->order == nullptr || state->depth != 0) return;
  OrderThread& me = *state->order;
  me.stamp.store(0, std::memory_order_relaxed);
  // Behind every access of the paths completed.
  me.stamped.store((paths_completed(__vestige_thread) + 1) << kOrdinalBits, std::memory_order_release);
  me.stamp.store(stamp, std::memory_order_release);
  learn(me, stamp);
}

}  // namespace vestige::runtime

using namespace vestige::runtime;

extern "C" __attribute__((preserve_most)) void __vestige_order_begin(uint32_t* next, uint64_t what,
                                                                     uint64_t address,
                                                                     uint64_t bytes) {
  OrderThread* me = self_order;
  OrderThread::Range range;
  if (me == nullptr || !wanted() || !range_of(address, bytes, range)) return;
  arrive(*me, next, what);
  // The stamp that an atomic operation is about to take is above all that were taken when it has the lock.
  if (range.first != range.last) {
    if (!take(*me, range)) return lose(*me);
    if (me->complete) learn(*me, UINT64_MAX);
    return note(*me, range, (what & 1) != 0);
  }
  Cell* cell = cell_of(range.first);
  if (cell == nullptr) return lose(*me);
  me->cell = cell;
  compiler_barrier();
  if (!try_take(*cell, me->number) && !take_slowly(*cell, me->number)) return lose(*me);
  if (me->complete) learn(*me, UINT64_MAX);
  note(*me, *cell, (what & 1) != 0);
}

extern "C" __attribute__((preserve_most)) void __vestige_order_copy(uint32_t* next, uint64_t what,
                                                                    uint64_t to, uint64_t from,
                                                                    uint64_t bytes) {
  OrderThread* me = self_order;
  OrderThread::Range written, read;
  if (me == nullptr || !wanted() || !range_of(to, bytes, written) || !range_of(from, bytes, read))
    return;
  arrive(*me, next, what);
  bool taken;
  if (written.first <= read.last && read.first <= written.last)
    taken = take(*me, {written.first < read.first ? written.first : read.first,
                       written.last > read.last ? written.last : read.last});
  else
    taken = written.first < read.first ? take(*me, written) && take(*me, read)
                                       : take(*me, read) && take(*me, written);
  if (!taken) return lose(*me);
  note(*me, read, false);
  note(*me, written, true);
}

extern "C" __attribute__((preserve_most)) void __vestige_order_end() {
  OrderThread* me = self_order;
  if (me == nullptr) return;
  if (me->cell != nullptr)
    let_go_of_cell(*me);
  else if (me->held_count != 0)
    let_go_of(*me);
  else
    return;
  if (me->earlier_count != 0) tell_earlier(*me);
}
