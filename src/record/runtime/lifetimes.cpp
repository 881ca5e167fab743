// Where the objects that threads synchronize with are initialized and destroyed. Barriers and
// semaphores: barriers.cpp, semaphores.cpp. What a constructor or an initializer does is no call:
// the readers see it as a write.
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "record/runtime/heap.h"
#include "record/runtime/interpose.h"

using namespace vestige::runtime;

namespace {

// `result` is what the function gave, `fine` what it gives when it did what it should.
int begun(int result, int fine, const volatile void* object) {
  if (result == fine) tell_object_begins(object);
  return result;
}
int ended(int result, const volatile void* object) {
  if (result == 0) tell_object_ends(object);
  return result;
}

}  // namespace

VESTIGE_INTERPOSE(int, pthread_mutex_init,
                  (pthread_mutex_t * mutex, const pthread_mutexattr_t* attributes)) {
  return begun(VESTIGE_REAL(pthread_mutex_init)(mutex, attributes), 0, mutex);
}
VESTIGE_INTERPOSE(int, pthread_mutex_destroy, (pthread_mutex_t * mutex)) {
  return ended(VESTIGE_REAL(pthread_mutex_destroy)(mutex), mutex);
}

VESTIGE_INTERPOSE(int, mtx_init, (mtx_t * mutex, int type)) {
  return begun(VESTIGE_REAL(mtx_init)(mutex, type), thrd_success, mutex);
}
VESTIGE_INTERPOSE(void, mtx_destroy, (mtx_t * mutex)) {
  VESTIGE_REAL(mtx_destroy)(mutex);
  tell_object_ends(mutex);
}

VESTIGE_INTERPOSE(int, pthread_spin_init, (pthread_spinlock_t * lock, int shared)) {
  return begun(VESTIGE_REAL(pthread_spin_init)(lock, shared), 0, lock);
}
VESTIGE_INTERPOSE(int, pthread_spin_destroy, (pthread_spinlock_t * lock)) {
  return ended(VESTIGE_REAL(pthread_spin_destroy)(lock), lock);
}

VESTIGE_INTERPOSE(int, pthread_rwlock_init,
                  (pthread_rwlock_t * lock, const pthread_rwlockattr_t* attributes)) {
  return begun(VESTIGE_REAL(pthread_rwlock_init)(lock, attributes), 0, lock);
}
VESTIGE_INTERPOSE(int, pthread_rwlock_destroy, (pthread_rwlock_t * lock)) {
  return ended(VESTIGE_REAL(pthread_rwlock_destroy)(lock), lock);
}

VESTIGE_INTERPOSE(int, pthread_cond_init,
                  (pthread_cond_t * condition, const pthread_condattr_t* attributes)) {
  return begun(VESTIGE_REAL(pthread_cond_init)(condition, attributes), 0, condition);
}
VESTIGE_INTERPOSE(int, pthread_cond_destroy, (pthread_cond_t * condition)) {
  return ended(VESTIGE_REAL(pthread_cond_destroy)(condition), condition);
}

VESTIGE_INTERPOSE(int, cnd_init, (cnd_t * condition)) {
  return begun(VESTIGE_REAL(cnd_init)(condition), thrd_success, condition);
}
VESTIGE_INTERPOSE(void, cnd_destroy, (cnd_t * condition)) {
  VESTIGE_REAL(cnd_destroy)(condition);
  tell_object_ends(condition);
}

VESTIGE_INTERPOSE(int, sem_destroy, (sem_t * semaphore)) {
  return ended(VESTIGE_REAL(sem_destroy)(semaphore), semaphore);
}
