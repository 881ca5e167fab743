// Synchronization operations of the program, told in the ring of whoever does them, each with a
// stamp from one counter that the whole session shares. (The processor's clock would need no shared
// cache line, but costs as much to read, is not unique and takes ten bits a stamp in the file
// instead of nearly none; and long before the line becomes a bottleneck, the collector is one.)
//
// What takes (a lock, a token, a thread's end) is stamped when it has what it wanted; what gives
// (an unlock, a post, a signal) is stamped and told before it does. So whatever made an operation
// possible has a lower stamp, and lies in its ring even if the process is killed at the next
// instruction.
//
// An attempt that gets nothing (a trylock of a lock that is held) is no operation and is not told.
// When giving fails (an unlock by somebody else than the owner), `refused` follows.
//
// Nothing here attaches a thread, allocates or takes a lock: it may be called before the
// constructor, in handlers (which have rings of their own), in a forked child and without a
// session.
#pragma once

#include "record/runtime/abi.h"
#include "record/runtime/threads.h"

namespace vestige::runtime {

// Where what runs now is told; null when nothing is recorded, and where __vestige_thread is behind
// the truth: libgcc's unwinder locks, and an asynchronous cancellation runs it in the middle of
// recorded code.
inline RingWriter* writer_in_time() {
  RingWriter* writer = recording() ? current_writer(this_thread()) : nullptr;
  if (writer == nullptr || __atomic_load_n(__vestige_thread.next, __ATOMIC_RELAXED) != 0) {
    return nullptr;
  }
  return writer;
}

// Inside of MPI, whose own locks are its own business: nothing but messages is told. More than 0 in
// threads that it made, for all their life.
extern constinit thread_local uint32_t quiet;

inline RingWriter* sync_writer() { return quiet != 0 ? nullptr : writer_in_time(); }

inline uint64_t take_stamp() {
  return session.header->next_stamp.fetch_add(1, std::memory_order_relaxed) + 1;
}

void tell_sync(RingWriter& writer, protocol::SyncKind kind, const volatile void* object,
               uint64_t stamp, int result = 0);
// Of kinds that have one: the other object, or a number.
void tell_sync_with(RingWriter& writer, protocol::SyncKind kind, const volatile void* object,
                    uint64_t other, int result = 0);

// The operation took place just now, or is about to.
void tell_sync(protocol::SyncKind kind, const volatile void* object);

// An attempt to take something came back with this error number.
void tell_taken(protocol::SyncKind kind, const volatile void* object, int result);

void tell_refused(const volatile void* object, int result);

// Around a function that gives: `give` returns an error number.
template <typename Give>
int tell_given(protocol::SyncKind kind, const volatile void* object, const Give& give) {
  RingWriter* writer = sync_writer();
  if (writer == nullptr) return give();
  tell_sync(*writer, kind, object, take_stamp());
  int result = give();
  if (result != 0) tell_refused(object, result);
  return result;
}

}  // namespace vestige::runtime
