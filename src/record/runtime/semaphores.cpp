// Semaphores of POSIX.

#include <errno.h>
#include <semaphore.h>

#include "record/runtime/interpose.h"
#include "record/runtime/sync.h"

using namespace vestige::runtime;
using vestige::protocol::SyncKind;

VESTIGE_INTERPOSE(int, sem_init, (sem_t * semaphore, int shared, unsigned value)) {
  int result = VESTIGE_REAL(sem_init)(semaphore, shared, value);
  if (result != 0) return result;
  if (RingWriter* writer = sync_writer())
    tell_sync_with(*writer, SyncKind::sem_init, semaphore, value);
  return result;
}

VESTIGE_INTERPOSE(int, sem_wait, (sem_t * semaphore)) {
  int result = VESTIGE_REAL(sem_wait)(semaphore);
  if (result == 0) tell_sync(SyncKind::sem_wait, semaphore);
  return result;
}

VESTIGE_INTERPOSE(int, sem_trywait, (sem_t * semaphore)) {
  int result = VESTIGE_REAL(sem_trywait)(semaphore);
  if (result == 0) tell_sync(SyncKind::sem_wait, semaphore);
  return result;
}

VESTIGE_INTERPOSE(int, sem_timedwait, (sem_t * semaphore, const timespec* until)) {
  int result = VESTIGE_REAL(sem_timedwait)(semaphore, until);
  if (result == 0) tell_sync(SyncKind::sem_wait, semaphore);
  return result;
}

VESTIGE_INTERPOSE(int, sem_clockwait, (sem_t * semaphore, clockid_t clock, const timespec* until)) {
  int result = VESTIGE_REAL(sem_clockwait)(semaphore, clock, until);
  if (result == 0) tell_sync(SyncKind::sem_wait, semaphore);
  return result;
}

VESTIGE_INTERPOSE(int, sem_post, (sem_t * semaphore)) {
  int result = 0;
  tell_given(SyncKind::sem_post, semaphore, [&] {
    result = VESTIGE_REAL(sem_post)(semaphore);
    return result == 0 ? 0 : errno;
  });
  return result;
}
