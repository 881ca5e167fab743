#include "record/runtime/order.h"

#include "record/runtime/abi.h"
#include "record/runtime/heap.h"
#include "record/runtime/order_thread.h"
#include "record/runtime/values.h"

namespace vestige::runtime {

using namespace protocol;

namespace {

constexpr uint32_t kReadersAtOnce = 1 << 12;

std::atomic<OrderThread*> threads[kMostOrderThreads];
std::atomic<uint32_t> thread_count;

void tell_earlier(OrderThread& me) {
  for (uint32_t i = 0; i < me.earlier_count; ++i) {
    const OrderThread::Earlier& earlier = me.earlier[i];
    tell_record(me.completed, kOrderRing,
                threads[earlier.thread].load(std::memory_order_relaxed)->ring);
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
  uint32_t place = 0;
  while (place < me.earlier_count && me.earlier[place].thread != thread) ++place;
  if (place == OrderThread::kMostEarlier) {
    tell_earlier(me);
    place = 0;
  }
  me.earlier[place] = {position, thread, statement};
  if (place == me.earlier_count) ++me.earlier_count;
  // Last: who jumps away tells what stands there, and nobody tells again what is known.
  compiler_barrier();
  me.known[thread] = position;
}

void comes_behind(OrderThread& me, uint32_t thread, uint64_t position, uint32_t statement) {
  if (thread == 0 || thread == me.number || is_known(me, thread, position)) return;
  note_earlier(me, thread, position, statement);
}

bool is_exact(const OrderCell& cell) { return cell.contested || !gives_rights(); }

GranuleReader* new_reader(OrderThread& me) {
  if (GranuleReader* reader = me.free_readers) {
    me.free_readers = reader->next;
    return reader;
  }
  if (me.fresh_count == 0) {
    me.fresh_readers =
        static_cast<GranuleReader*>(map_zeros(kReadersAtOnce * sizeof(GranuleReader)));
    if (me.fresh_readers == nullptr) return nullptr;
    me.fresh_count = kReadersAtOnce;
  }
  return me.fresh_readers + --me.fresh_count;
}

__attribute__((noinline)) void note_readers(OrderThread& me, OrderCell& cell) {
  while (GranuleReader* reader = cell.readers) {
    comes_behind(me, reader->thread, reader->position, reader->statement);
    cell.readers = reader->next;
    reader->next = me.free_readers;
    me.free_readers = reader;
  }
}

// One more reader. Without memory the one before is told as if this one came behind it, which it
// does.
__attribute__((noinline)) bool add_reader(OrderThread& me, OrderCell& cell, uint64_t granule) {
  const uint64_t position = me.position();
  if (cell.reader == kSeveral)
    for (GranuleReader* reader = cell.readers; reader != nullptr; reader = reader->next)
      if (reader->thread == me.number) {
        reader->position = position;
        reader->statement = me.statement;
        return true;
      }
  GranuleReader* other = cell.reader == kSeveral ? nullptr : new_reader(me);
  GranuleReader* mine = new_reader(me);
  if (mine == nullptr || (other == nullptr && cell.reader != kSeveral)) {
    if (!is_exact(cell) && !contest(me, cell, granule)) return false;
    if (cell.reader == kSeveral)
      note_readers(me, cell);
    else
      comes_behind(me, cell.reader, cell.read, cell.read_statement);
    cell.reader = static_cast<uint16_t>(me.number);
    cell.read = position;
    cell.read_statement = me.statement;
    return true;
  }
  if (other != nullptr) {
    *other = {nullptr, cell.read, cell.reader, cell.read_statement};
    cell.readers = other;
  }
  *mine = {cell.readers, position, me.number, me.statement};
  cell.readers = mine;
  cell.reader = kSeveral;
  return true;
}

// A mark that its thread may have gone beyond by its right.
bool comes_behind_mark(OrderThread& me, uint64_t granule, uint32_t thread, uint64_t position,
                       uint32_t statement) {
  if (thread == 0 || thread == me.number || position < me.settled[thread]) return true;
  AccessMark last{position, statement};
  if (!last_use(*order_thread(thread), granule, last)) return false;
  comes_behind(me, thread, last.position, static_cast<uint32_t>(last.statement));
  return true;
}

// Of a cell that others may have rights to: comes behind those that conflict, or contests the cell.
bool meet(OrderThread& me, OrderCell& cell, uint64_t granule, bool writes) {
  bool open = is_open(me, cell.writer, cell.written);
  if (writes && cell.reader != kSeveral)
    open = open || is_open(me, cell.reader, cell.read);
  else if (writes)
    for (const GranuleReader* reader = cell.readers; reader != nullptr; reader = reader->next)
      open = open || is_open(me, reader->thread, reader->position);
  if (open) return contest(me, cell, granule);
  if (!comes_behind_mark(me, granule, cell.writer, cell.written, cell.write_statement))
    return false;
  if (!writes) return true;
  if (cell.reader != kSeveral)
    return comes_behind_mark(me, granule, cell.reader, cell.read, cell.read_statement);
  for (const GranuleReader* reader = cell.readers; reader != nullptr; reader = reader->next)
    if (!comes_behind_mark(me, granule, reader->thread, reader->position, reader->statement))
      return false;
  return true;
}

// Whether what comes behind the present access comes behind that reader's as well.
bool takes_place_of(const OrderThread& me, const OrderCell& cell) {
  if (cell.reader == 0 || cell.reader == me.number) return true;
  if (cell.reader == kSeveral) return false;
  return is_exact(cell) ? is_known(me, cell.reader, cell.read)
                        : cell.read < me.settled[cell.reader];
}

// False: the access has no place.
bool note(OrderThread& me, OrderCell& cell, uint64_t granule, bool writes) {
  if (!is_exact(cell) && !meet(me, cell, granule, writes)) return false;
  const uint64_t position = me.position();
  // Where marks are not exact, meet() has seen to it that they are known.
  comes_behind(me, cell.writer, cell.written, cell.write_statement);
  if (writes) {
    if (cell.reader == kSeveral)
      note_readers(me, cell);
    else
      comes_behind(me, cell.reader, cell.read, cell.read_statement);
    cell.reader = 0;
    cell.writer = static_cast<uint16_t>(me.number);
    cell.written = position;
    cell.write_statement = me.statement & 0x7fffffff;
    return true;
  }
  if (!takes_place_of(me, cell)) return add_reader(me, cell, granule);
  cell.reader = static_cast<uint16_t>(me.number);
  cell.read = position;
  cell.read_statement = me.statement;
  return true;
}

bool note(OrderThread& me, OrderThread::Range range, bool writes) {
  for (uint64_t granule = range.first; granule <= range.last; ++granule)
    if (!note(me, *cell_of(granule), granule, writes)) return false;
  return true;
}

bool range_of(uint64_t address, uint64_t bytes, OrderThread::Range& range) {
  if (bytes == 0 || address >= kAddressEnd || bytes > kAddressEnd - address) return false;
  range = {address / 8, (address + bytes - 1) / 8};
  return true;
}

// A new access of this thread.
void arrive(OrderThread& me, uint32_t* next, uint64_t what) {
  if (me.holds) let_go_of(me);
  me.earlier_count = 0;
  me.complete = (what & 2) != 0;
  me.statement = static_cast<uint32_t>(what >> 2);
  me.completed = (__vestige_thread.origin + word_of(next)) / 4;
  me.count(me.completed + (me.complete ? 0 : 1));
  if (me.complete) me.ordinal = kLastAccess;
}

// It has its place, and takes place now. Before it gets rights: see last_use().
void enter(OrderThread& me, uint64_t granule) {
  me.current.store(granule, std::memory_order_relaxed);
  store_access(me.now, me.position(), me.statement);
}

// What others did up to their last stamps, where those are below this one.
void learn(OrderThread& me, uint64_t stamp) {
  const uint32_t count = thread_count.load(std::memory_order_relaxed);
  for (uint32_t i = 1; i <= count && i < kSeveral; ++i) {
    OrderThread* other = threads[i].load(std::memory_order_acquire);
    if (other == nullptr || other == &me) continue;
    const uint64_t taken = other->stamp.load(std::memory_order_acquire);
    const uint64_t position = other->stamped.load(std::memory_order_acquire);
    if (taken == 0 || taken > stamp || other->stamp.load(std::memory_order_relaxed) != taken)
      continue;
    if (me.known[i] < position) me.known[i] = position;
    if (me.settled[i] < position) me.settled[i] = position;
  }
}

void lose(OrderThread& me) {
  let_go_of(me);
  tell_earlier(me);
  tell_record(me.completed, kOrderLost, 0);
}

bool wanted() { return several_threads.load(std::memory_order_relaxed) && recording(); }

}  // namespace

constinit thread_local OrderThread* self_order = nullptr;

OrderThread* order_thread(uint32_t number) {
  return threads[number].load(std::memory_order_acquire);
}

void begin_order(ThreadState* state) {
  state->order = nullptr;
  self_order = nullptr;
  if (__vestige_thread.mode != kVestigeFull ||
      session.header->order.load(std::memory_order_relaxed) == Order::none)
    return;
  const uint32_t number = thread_count.fetch_add(1, std::memory_order_relaxed) + 1;
  if (number >= kSeveral) return;
  auto* me = static_cast<OrderThread*>(map_zeros(sizeof(OrderThread)));
  if (me == nullptr) return;
  prepare_rights();
  me->number = number;
  me->segment = 2;
  me->ring = state->writer.serial;
  threads[number].store(me, std::memory_order_release);
  state->order = me;
  self_order = me;
  __vestige_thread.mode = kVestigeOrder;
}

void restart_order(ThreadState* state) {
  if (state->order == nullptr) return;
  forget_cells();
  const uint32_t count = thread_count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i <= count && i < kMostOrderThreads; ++i)
    threads[i].store(nullptr, std::memory_order_relaxed);
  thread_count.store(0, std::memory_order_relaxed);
  const bool tells = __vestige_thread.mode == kVestigeOrder;
  if (tells) __vestige_thread.mode = kVestigeFull;
  begin_order(state);
}

void end_order(ThreadState* state) {
  if (state->order == nullptr) return;
  OrderThread& me = *state->order;
  let_go_of(me);
  me.current.store(0, std::memory_order_release);
  note_last_use(me);
  me.closed.store(UINT64_MAX, std::memory_order_release);
  system_call(SYS_madvise, word_of(me.rights), sizeof(OrderThread) - offsetof(OrderThread, rights),
              MADV_DONTNEED);
  state->order = nullptr;
  self_order = nullptr;
}

void order_depth(ThreadState* state) {
  if (state->order != nullptr) state->order->depth.store(state->depth, std::memory_order_relaxed);
}

void order_left(ThreadState* state) {
  if (state->order == nullptr || state->depth != 0) return;
  let_go_of(*state->order);
  state->order->current.store(0, std::memory_order_release);
}

void order_abandoned(ThreadState* state) {
  if (state->order == nullptr || state->depth != 0) return;
  OrderThread& me = *state->order;
  tell_earlier(me);
  const uint64_t completed = paths_completed(__vestige_thread);
  if (me.time == completed + 1) tell_record(completed, kOrderLeft, me.ordinal);
}

void order_stamped(ThreadState* state, uint64_t stamp) {
  if (state == nullptr || state->order == nullptr || state->depth != 0) return;
  OrderThread& me = *state->order;
  // Behind every access of the paths completed.
  const uint64_t position = (paths_completed(__vestige_thread) + 1) << kOrdinalBits;
  end_segment(me, position);
  me.stamp.store(0, std::memory_order_relaxed);
  me.stamped.store(position, std::memory_order_release);
  me.stamp.store(stamp, std::memory_order_release);
  learn(me, stamp);
}

}  // namespace vestige::runtime

using namespace vestige::runtime;

namespace {

// Whether it may go on by its rights. They are looked at behind `current`: see contest().
bool may_pass(const OrderThread& me, OrderThread::Range range, bool writes) {
  if (range.last - range.first >= kMostRights) return false;
  bool may = true;
  for (uint64_t granule = range.first; granule <= range.last; ++granule) {
    const uint64_t right =
        me.rights[OrderThread::place_of(granule)].load(std::memory_order_relaxed);
    may = may && (right | (writes ? 0 : 1)) == (me.right_of(granule) | 1);
  }
  return may;
}

void use(OrderThread& me, OrderThread::Range range, uint64_t statement) {
  for (uint64_t granule = range.first; granule <= range.last; ++granule)
    me.use(OrderThread::place_of(granule), statement);
}

void grant(OrderThread& me, OrderThread::Range range, bool writes) {
  if (range.last - range.first >= kMostRights) return;
  for (uint64_t granule = range.first; granule <= range.last; ++granule)
    grant(me, *cell_of(granule), granule, writes);
}

// Into an access that needs no lock; false: it does.
bool pass(OrderThread& me, uint32_t* next, uint64_t what, OrderThread::Range range, bool writes,
          const OrderThread::Range* other) {
  if (me.holds || (what & 2) != 0) return false;
  me.current.store(other != nullptr ? kInSeveral : range.first, std::memory_order_relaxed);
  compiler_barrier();
  if (!may_pass(me, range, writes) || (other != nullptr && !may_pass(me, *other, false))) {
    me.current.store(0, std::memory_order_relaxed);
    return false;
  }
  me.count((__vestige_thread.origin + word_of(next)) / 4 + 1);
  use(me, range, what >> 2);
  if (other != nullptr) use(me, *other, what >> 2);
  return true;
}

__attribute__((preserve_most, noinline)) void begin_slowly(uint32_t* next, uint64_t what,
                                                           uint64_t address, uint64_t bytes) {
  OrderThread* me = self_order;
  OrderThread::Range range;
  if (me == nullptr) return;
  me->current.store(0, std::memory_order_relaxed);
  if (!wanted() || !range_of(address, bytes, range)) return;
  const bool writes = (what & 1) != 0;
  if (range.first != range.last && pass(*me, next, what, range, writes, nullptr)) return;
  arrive(*me, next, what);
  // The stamp that an atomic operation is about to take is above all that were taken when it has
  // the lock.
  if (range.first != range.last) {
    if (!take(*me, range)) return lose(*me);
    if (me->complete) learn(*me, UINT64_MAX);
    if (!note(*me, range, writes)) return lose(*me);
    enter(*me, range.first);
    grant(*me, range, writes);
  } else {
    OrderCell* cell = cell_of(range.first);
    if (cell == nullptr || !take(*me, *cell)) return lose(*me);
    if (me->complete) learn(*me, UINT64_MAX);
    if (!note(*me, *cell, range.first, writes)) return lose(*me);
    enter(*me, range.first);
    grant(*me, *cell, range.first, writes);
  }
}

__attribute__((preserve_most, noinline)) void end_slowly() {
  OrderThread& me = *self_order;
  let_go_of(me);
  if (me.earlier_count != 0) tell_earlier(me);
}

}  // namespace

extern "C" __attribute__((preserve_most)) void __vestige_order_begin(uint32_t* next, uint64_t what,
                                                                     uint64_t address,
                                                                     uint64_t bytes) {
  OrderThread* me = self_order;
  // As pass(), for one granule.
  if (me != nullptr && !me->holds && bytes - 1 < 8 - (address & 7)) [[likely]] {
    const uint64_t granule = address >> 3;
    me->current.store(granule, std::memory_order_relaxed);
    compiler_barrier();
    const uint64_t place = OrderThread::place_of(granule);
    const uint64_t right = me->rights[place].load(std::memory_order_relaxed);
    if ((right | (~what & 1)) == (me->right_of(granule) | 1) && (what & 2) == 0) [[likely]] {
      me->count((__vestige_thread.origin + word_of(next)) / 4 + 1);
      me->use(place, what >> 2);
      return;
    }
  }
  [[clang::musttail]] return begin_slowly(next, what, address, bytes);
}

extern "C" __attribute__((preserve_most)) void __vestige_order_copy(uint32_t* next, uint64_t what,
                                                                    uint64_t to, uint64_t from,
                                                                    uint64_t bytes) {
  OrderThread* me = self_order;
  OrderThread::Range written, read;
  if (me == nullptr || !wanted() || !range_of(to, bytes, written) || !range_of(from, bytes, read))
    return;
  if (pass(*me, next, what, written, true, &read)) return;
  arrive(*me, next, what);
  bool taken;
  if (written.first <= read.last && read.first <= written.last)
    taken = take(*me, {written.first < read.first ? written.first : read.first,
                       written.last > read.last ? written.last : read.last});
  else
    taken = written.first < read.first ? take(*me, written) && take(*me, read)
                                       : take(*me, read) && take(*me, written);
  if (!taken || !note(*me, read, false) || !note(*me, written, true)) return lose(*me);
  enter(*me, written.first);
  grant(*me, read, false);
  grant(*me, written, true);
}

extern "C" __attribute__((preserve_most)) void __vestige_order_end() {
  OrderThread* me = self_order;
  if (me == nullptr) return;
  me->current.store(0, std::memory_order_release);
  if (me->holds) [[unlikely]] {
    [[clang::musttail]] return end_slowly();
  }
}
