// Mutexes and spin locks, of pthreads and of C11. std::mutex and its kin come through here as well.

#include <pthread.h>
#include <threads.h>

#include "record/runtime/interpose.h"
#include "record/runtime/sync.h"

using namespace vestige::runtime;
using vestige::protocol::SyncKind;

VESTIGE_INTERPOSE(int, pthread_mutex_lock, (pthread_mutex_t * mutex)) {
  int result = VESTIGE_REAL(pthread_mutex_lock)(mutex);
  tell_taken(SyncKind::mutex_lock, mutex, result);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_mutex_trylock, (pthread_mutex_t * mutex)) {
  int result = VESTIGE_REAL(pthread_mutex_trylock)(mutex);
  tell_taken(SyncKind::mutex_lock, mutex, result);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_mutex_timedlock, (pthread_mutex_t * mutex, const timespec* until)) {
  int result = VESTIGE_REAL(pthread_mutex_timedlock)(mutex, until);
  tell_taken(SyncKind::mutex_lock, mutex, result);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_mutex_clocklock,
                  (pthread_mutex_t * mutex, clockid_t clock, const timespec* until)) {
  int result = VESTIGE_REAL(pthread_mutex_clocklock)(mutex, clock, until);
  tell_taken(SyncKind::mutex_lock, mutex, result);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_mutex_unlock, (pthread_mutex_t * mutex)) {
  return tell_given(SyncKind::mutex_unlock, mutex,
                    [&] { return VESTIGE_REAL(pthread_mutex_unlock)(mutex); });
}

VESTIGE_INTERPOSE(int, mtx_lock, (mtx_t * mutex)) {
  int result = VESTIGE_REAL(mtx_lock)(mutex);
  if (result == thrd_success) tell_sync(SyncKind::mutex_lock, mutex);
  return result;
}

VESTIGE_INTERPOSE(int, mtx_trylock, (mtx_t * mutex)) {
  int result = VESTIGE_REAL(mtx_trylock)(mutex);
  if (result == thrd_success) tell_sync(SyncKind::mutex_lock, mutex);
  return result;
}

VESTIGE_INTERPOSE(int, mtx_timedlock, (mtx_t * mutex, const timespec* until)) {
  int result = VESTIGE_REAL(mtx_timedlock)(mutex, until);
  if (result == thrd_success) tell_sync(SyncKind::mutex_lock, mutex);
  return result;
}

VESTIGE_INTERPOSE(int, mtx_unlock, (mtx_t * mutex)) {
  return tell_given(SyncKind::mutex_unlock, mutex, [&] { return VESTIGE_REAL(mtx_unlock)(mutex); });
}

VESTIGE_INTERPOSE(int, pthread_spin_lock, (pthread_spinlock_t * lock)) {
  int result = VESTIGE_REAL(pthread_spin_lock)(lock);
  tell_taken(SyncKind::spin_lock, lock, result);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_spin_trylock, (pthread_spinlock_t * lock)) {
  int result = VESTIGE_REAL(pthread_spin_trylock)(lock);
  tell_taken(SyncKind::spin_lock, lock, result);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_spin_unlock, (pthread_spinlock_t * lock)) {
  return tell_given(SyncKind::spin_unlock, lock,
                    [&] { return VESTIGE_REAL(pthread_spin_unlock)(lock); });
}
