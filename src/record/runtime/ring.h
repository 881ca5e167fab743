// The writer's end of one ring, and the position inside it.
//
// Where a thread stands is in __vestige_thread alone (for inline code); a RingWriter knows the ring
// around it. One writer per thread, and one per depth of signal handlers nested in it.
//
// Invariants:
// 1. __vestige_thread.next lies in piece (filled % kPieces) of the current writer's ring, and
//    limit is that piece's end − kPieceSlackBytes.
// 2. (origin + next) / 4 is the number of paths completed; hand-over and events preserve it.
// 3. Behind the last word written the piece is zero, except for the payload of an event whose
//    header is not stored yet.
// 4. kReservedWords at the end of each piece are left to fatal_signal, which cannot wait for a
//    new piece.
//
// claim() and hand_over() block signals; both are async-signal-safe.
#pragma once

#include "record/runtime/session.h"

namespace vestige::runtime {

inline constexpr uint32_t kReservedWords = 64;

// A thread's or handler's place in the session: whose ring it was when it started something.
struct RingOrigin {
  uint32_t ring = kNoRing;
  uint64_t serial = 0;
  uint64_t time = 0;
  uint32_t made = 0;  // RingEntry::made of what it started
};

struct RingWriter {
  protocol::RingEntry* entry;  // null: nothing is recorded here
  uint32_t* memory;
  uint64_t filled;
  uint64_t serial;
  uint32_t index;
  // An event being written: where it begins, and what __vestige_thread becomes when it is whole.
  volatile bool committing;
  uint32_t* commit_at;
  VestigeThread committed;

  uint32_t* piece() const {
    return memory + filled % protocol::kPieces * (protocol::kPieceBytes / 4);
  }
  uint32_t* piece_end() const { return piece() + protocol::kPieceBytes / 4; }
  uint32_t* limit() const { return piece_end() - protocol::kPieceSlackBytes / 4; }
};

enum class Patience { none, wait };

// Takes a free ring. With Patience::wait it gives a busy collector a moment to free one.
// False: none is to be had, and writer.entry is null.
bool claim(RingWriter& writer, protocol::RingKind kind, const RingOrigin& parent,
           Patience patience);

// Hands the current piece to the collector, waiting for the next one if it must; handlers run
// meanwhile. False: the session is over, nothing has moved.
bool give_piece(RingWriter& writer);

// The same, and moves __vestige_thread to the next one.
bool hand_over(RingWriter& writer);

// The thread writes here no more.
void close(RingWriter& writer);

// Moves __vestige_thread, keeping the number of completed paths.
void move_to(uint32_t* next, uint32_t* limit);

// Rings that this process must not claim: see fork.cpp.
void forbid_ring(uint32_t index);

}  // namespace vestige::runtime
