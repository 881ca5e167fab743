// Semaphores and barriers. A barrier's rounds need no telling: arrivals are stamped before they count,
// so of a barrier for n the first n arrivals are round 1, the next n round 2.

#include <errno.h>
#include <pthread.h>
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

VESTIGE_INTERPOSE(int, pthread_barrier_init,
                  (pthread_barrier_t * barrier, const pthread_barrierattr_t* attributes,
                   unsigned participants)) {
  int result = VESTIGE_REAL(pthread_barrier_init)(barrier, attributes, participants);
  if (result != 0) return result;
  if (RingWriter* writer = sync_writer())
    tell_sync_with(*writer, SyncKind::barrier_init, barrier, participants);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_barrier_wait, (pthread_barrier_t * barrier)) {
  RingWriter* writer = sync_writer();
  if (writer == nullptr) return VESTIGE_REAL(pthread_barrier_wait)(barrier);
  tell_sync(*writer, SyncKind::barrier_arrive, barrier, take_stamp());
  int result = VESTIGE_REAL(pthread_barrier_wait)(barrier);
  writer = sync_writer();
  if (writer == nullptr) return result;
  tell_sync(*writer, SyncKind::barrier_leave, barrier, take_stamp(),
            result == PTHREAD_BARRIER_SERIAL_THREAD ? 1 : result);
  return result;
}
