// Local static variables of C++: initialized once, by whoever comes first. Programs look at the
// guard's first byte themselves before they come here; that look is an atomic operation of theirs,
// at the same address.

#include "record/runtime/interpose.h"
#include "record/runtime/once.h"

#ifdef VESTIGE_STATIC
// Programs in C have none.
#pragma weak __real___cxa_guard_acquire
#pragma weak __real___cxa_guard_release
#pragma weak __real___cxa_guard_abort
#endif

using namespace vestige;
using namespace vestige::runtime;

namespace {

// Where the C++ library is loaded late and hidden, there is nobody to ask: byte 0 says that it is
// done, byte 1 that somebody is at it.
int acquire_alone(void* guard) {
  auto* bytes = static_cast<uint8_t*>(guard);
  while (__atomic_load_n(bytes, __ATOMIC_ACQUIRE) == 0) {
    uint8_t nobody = 0;
    if (__atomic_compare_exchange_n(bytes + 1, &nobody, 1, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED)) {
      if (__atomic_load_n(bytes, __ATOMIC_ACQUIRE) == 0) return 1;
      __atomic_store_n(bytes + 1, 0, __ATOMIC_RELEASE);
      return 0;
    }
    system_call(SYS_sched_yield);
  }
  return 0;
}

}  // namespace

VESTIGE_INTERPOSE_LATE(int, __cxa_guard_acquire, (void* guard)) {
  auto* real = VESTIGE_REAL(__cxa_guard_acquire);
  const int mine = real != nullptr ? real(guard) : acquire_alone(guard);
  if (mine == 0) {
    tell_sync(protocol::SyncKind::once, guard);
  } else {
    tell_attempt_begins(guard);
  }
  return mine;
}

VESTIGE_INTERPOSE_LATE(void, __cxa_guard_release, (void* guard)) {
  tell_sync(protocol::SyncKind::once_done, guard);
  if (auto* real = VESTIGE_REAL(__cxa_guard_release); real != nullptr) return real(guard);
  auto* bytes = static_cast<uint8_t*>(guard);
  __atomic_store_n(bytes, 1, __ATOMIC_RELEASE);
  __atomic_store_n(bytes + 1, 0, __ATOMIC_RELEASE);
}

// An exception left the initialization.
VESTIGE_INTERPOSE_LATE(void, __cxa_guard_abort, (void* guard)) {
  tell_attempt_left(guard);
  if (auto* real = VESTIGE_REAL(__cxa_guard_abort); real != nullptr) return real(guard);
  __atomic_store_n(static_cast<uint8_t*>(guard) + 1, 0, __ATOMIC_RELEASE);
}
