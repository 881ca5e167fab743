// Locks that several readers may have at once. std::shared_mutex comes through here as well.

#include <pthread.h>

#include "record/runtime/interpose.h"
#include "record/runtime/sync.h"

using namespace vestige::runtime;
using vestige::protocol::SyncKind;

VESTIGE_INTERPOSE(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock)) {
  int result = VESTIGE_REAL(pthread_rwlock_rdlock)(lock);
  tell_taken(SyncKind::read_lock, lock, result);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock)) {
  int result = VESTIGE_REAL(pthread_rwlock_tryrdlock)(lock);
  tell_taken(SyncKind::read_lock, lock, result);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_rwlock_timedrdlock,
                  (pthread_rwlock_t * lock, const timespec* until)) {
  int result = VESTIGE_REAL(pthread_rwlock_timedrdlock)(lock, until);
  tell_taken(SyncKind::read_lock, lock, result);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_rwlock_clockrdlock,
                  (pthread_rwlock_t * lock, clockid_t clock, const timespec* until)) {
  int result = VESTIGE_REAL(pthread_rwlock_clockrdlock)(lock, clock, until);
  tell_taken(SyncKind::read_lock, lock, result);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock)) {
  int result = VESTIGE_REAL(pthread_rwlock_wrlock)(lock);
  tell_taken(SyncKind::write_lock, lock, result);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_rwlock_trywrlock, (pthread_rwlock_t * lock)) {
  int result = VESTIGE_REAL(pthread_rwlock_trywrlock)(lock);
  tell_taken(SyncKind::write_lock, lock, result);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_rwlock_timedwrlock,
                  (pthread_rwlock_t * lock, const timespec* until)) {
  int result = VESTIGE_REAL(pthread_rwlock_timedwrlock)(lock, until);
  tell_taken(SyncKind::write_lock, lock, result);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_rwlock_clockwrlock,
                  (pthread_rwlock_t * lock, clockid_t clock, const timespec* until)) {
  int result = VESTIGE_REAL(pthread_rwlock_clockwrlock)(lock, clock, until);
  tell_taken(SyncKind::write_lock, lock, result);
  return result;
}

VESTIGE_INTERPOSE(int, pthread_rwlock_unlock, (pthread_rwlock_t * lock)) {
  return tell_given(SyncKind::rwlock_unlock, lock,
                    [&] { return VESTIGE_REAL(pthread_rwlock_unlock)(lock); });
}
