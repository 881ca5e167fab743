// What the order of accesses keeps (order.h): of each thread and of each granule.
#pragma once

#include <immintrin.h>

#include "record/runtime/threads.h"

namespace vestige::runtime {

inline constexpr uint32_t kMostOrderThreads = 1 << 16;
// In the place of a reader: `readers` is a list.
inline constexpr uint32_t kSeveral = kMostOrderThreads - 1;
inline constexpr unsigned kOrdinalBits = 16;
static_assert(protocol::kLastAccess == (1 << kOrdinalBits) - 1);
inline constexpr uint64_t kAddressEnd = uint64_t{1} << 47;
// Granules: longer accesses take locks, and get no rights.
inline constexpr uint64_t kMostRights = 8;
// In the place of a granule: the access is a copy.
inline constexpr uint64_t kInSeveral = UINT64_MAX;

// A thread's access. Read and written as one: aligned 16 bytes are, with SSE, on processors that
// have AVX.
struct alignas(16) AccessMark {
  uint64_t position;  // number of the path, and above how many accesses of it
  uint64_t statement;
};
inline void store_access(AccessMark& to, uint64_t position, uint64_t statement) {
  const __m128i both =
      _mm_set_epi64x(static_cast<long long>(statement), static_cast<long long>(position));
  asm volatile("movdqa %1, %0" : "=m"(to) : "x"(both) : "memory");
}
inline AccessMark load_access(const AccessMark& from) {
  __m128i both;
  asm volatile("movdqa %1, %0" : "=x"(both) : "m"(from) : "memory");
  return {static_cast<uint64_t>(_mm_cvtsi128_si64(both)),
          static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(both, both)))};
}

// One of several threads that read a granule since it was written.
struct GranuleReader {
  GranuleReader* next;
  uint64_t position;
  uint32_t thread, statement;
};

struct OrderCell {
  std::atomic<uint32_t> owner;  // number of who has the lock
  uint16_t writer, reader;      // numbers; 0: nobody
  uint64_t written;
  union {
    uint64_t read;
    GranuleReader* readers;
  };
  uint32_t write_statement : 31;
  uint32_t contested : 1;  // no rights are given to it
  uint32_t read_statement;
};
static_assert(sizeof(OrderCell) == 32);

// Never unmapped: others look at it after its thread's end.
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
  static constexpr unsigned kRightLines = 10;
  static constexpr unsigned kSegmentBits = 19;

  std::atomic<uint64_t>
      current;       // the first granule of the access in progress, 0 when there is none
  uint64_t segment;  // its number, above bit 0: how often this thread took a stamp
  uint64_t time;     // of the last access's path
  uint64_t ordinal;  // of the last access, in its path
  AccessMark now;    // the last access that took locks, done or in progress
  bool holds;        // it has locks, or is about to
  uint32_t number;
  uint64_t ring;                 // serial
  uint64_t began;                // the first position of the segment
  std::atomic<uint64_t> closed;  // what has a lower position lies in segments before
  std::atomic<uint32_t> depth;
  // The last stamp, and the last position before it. The stamp is 0 while the two change.
  std::atomic<uint64_t> stamp, stamped;
  OrderCell* cell;  // what it has, when that is one
  Range held[2];
  uint32_t held_count;
  uint32_t earlier_count;
  Earlier earlier[kMostEarlier];
  uint64_t completed;  // of the present access: what it is told with
  uint32_t statement;
  bool complete;
  GranuleReader* free_readers;
  GranuleReader* fresh_readers;
  uint32_t fresh_count;
  // By granule: the granule, the segment in which there is a right to it, and in bit 0 whether that
  // is to write as well; and its last use. No segment has number 0: that is a use, and no right.
  alignas(4096) std::atomic<uint64_t> rights[8 << kRightLines];
  AccessMark used[8 << kRightLines];
  uint64_t known[kMostOrderThreads];    // by number: what has at most this position comes before
  uint64_t settled[kMostOrderThreads];  // likewise, by stamps alone: what has a lower position

  // Neighbours stay together.
  static uint64_t place_of(uint64_t granule) {
    const uint64_t line = (granule >> 3) * 0x9e3779b97f4a7c15 >> (64 - kRightLines);
    return line << 3 | (granule & 7);
  }
  static uint64_t use_of(uint64_t granule) { return granule << (kSegmentBits + 1); }
  uint64_t right_of(uint64_t granule) const { return use_of(granule) | segment; }
  void use(uint64_t place, uint64_t by) {
    __atomic_store_n(&used[place].position, position(), __ATOMIC_RELAXED);
    __atomic_store_n(&used[place].statement, by, __ATOMIC_RELAXED);
  }
  // Another access of this thread, in the path in progress.
  void count(uint64_t path) {
    if (path != time) {
      time = path;
      ordinal = 0;
    }
    if (ordinal < protocol::kLastAccess) ++ordinal;
  }
  uint64_t position() const { return time << kOrdinalBits | ordinal; }
};
static_assert(kAddressEnd / 8 <= uint64_t{1} << (63 - OrderThread::kSegmentBits));

extern constinit thread_local OrderThread* self_order;
OrderThread* order_thread(uint32_t number);

// order_cells.cpp. Cells by granule, in leaves that are mapped when they are first asked for; null
// when there is no memory.
OrderCell* cell_of(uint64_t granule);
void forget_cells();
bool take(OrderThread& me, OrderCell& cell);
bool take(OrderThread& me, OrderThread::Range range);
void let_go_of(OrderThread& me);
// False when it has waited long enough for one who runs a handler.
class OrderPatience {
 public:
  bool wait(const OrderThread* other);

 private:
  uint32_t spins_ = 0, in_handler_ = 0;
};
void* map_zeros(uint64_t bytes);

// order_rights.cpp.
void prepare_rights();
// Whether cells that are not contested may have been used by rights since their marks were left.
bool gives_rights();
// For who has the lock of the cell, has left its mark and is about to access the granule.
void grant(OrderThread& me, const OrderCell& cell, uint64_t granule, bool writes);
// The marks of a cell that others have rights to become what they are worth, and nobody has rights
// to it any more. False: somebody does not let go.
bool contest(OrderThread& me, OrderCell& cell, uint64_t granule);
// The mark of another thread's that was left in this position: whether the thread may still have
// its right.
bool is_open(const OrderThread& me, uint32_t thread, uint64_t position);
// The last use that the owner of a mark made of the granule, or something that it did behind that.
// False: that does not come to an end. For who has the lock of the cell, when the mark is not open.
bool last_use(const OrderThread& other, uint64_t granule, AccessMark& mark);
// Before the table of rights is cleared.
void note_last_use(OrderThread& me);
void end_segment(OrderThread& me, uint64_t position);

}  // namespace vestige::runtime
