// Condition variables, of pthreads and of C11. A wait gives its mutex away and takes it back: two
// operations. A thread that is cancelled in between has the mutex again before its cleanup handlers
// run, so it says so there (result: ECANCELED).

#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "record/runtime/interpose.h"
#include "record/runtime/sync.h"

namespace vestige::runtime {
namespace {

struct ConditionWait {
  const volatile void* condition;
  const volatile void* mutex;
};

void tell_awake(const ConditionWait& waiting, int result) {
  // Looked up again: a handler that ran meanwhile may have forked.
  if (RingWriter* writer = sync_writer()) {
    tell_sync_with(*writer, protocol::SyncKind::cond_wake, waiting.condition,
                   word_of(waiting.mutex), result);
  }
}

// libc's own handler ran before and has taken the mutex.
void tell_cancelled(void* waiting) { tell_awake(*static_cast<ConditionWait*>(waiting), ECANCELED); }

// `wait` returns an error number.
template <typename Wait>
int tell_wait(const volatile void* condition, const volatile void* mutex, const Wait& wait) {
  RingWriter* writer = sync_writer();
  if (writer == nullptr) return wait();
  tell_sync_with(*writer, protocol::SyncKind::cond_wait, condition, word_of(mutex));
  ConditionWait waiting = {condition, mutex};
  volatile int result = 0;  // lives on behind the setjmp in pthread_cleanup_push
  pthread_cleanup_push(tell_cancelled, &waiting);
  result = wait();
  pthread_cleanup_pop(0);
  tell_awake(waiting, result);
  return result;
}

int error_of(int result) {
  return result == thrd_timedout ? ETIMEDOUT : result == thrd_success ? 0 : EINVAL;
}

}  // namespace
}  // namespace vestige::runtime

using namespace vestige::runtime;
using vestige::protocol::SyncKind;

VESTIGE_INTERPOSE(int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t* mutex)) {
  return tell_wait(condition, mutex,
                   [&] { return VESTIGE_REAL(pthread_cond_wait)(condition, mutex); });
}

VESTIGE_INTERPOSE(int, pthread_cond_timedwait,
                  (pthread_cond_t * condition, pthread_mutex_t* mutex, const timespec* until)) {
  return tell_wait(condition, mutex,
                   [&] { return VESTIGE_REAL(pthread_cond_timedwait)(condition, mutex, until); });
}

VESTIGE_INTERPOSE(int, pthread_cond_clockwait,
                  (pthread_cond_t * condition, pthread_mutex_t* mutex, clockid_t clock,
                   const timespec* until)) {
  return tell_wait(condition, mutex, [&] {
    return VESTIGE_REAL(pthread_cond_clockwait)(condition, mutex, clock, until);
  });
}

VESTIGE_INTERPOSE(int, pthread_cond_signal, (pthread_cond_t * condition)) {
  return tell_given(SyncKind::cond_signal, condition,
                    [&] { return VESTIGE_REAL(pthread_cond_signal)(condition); });
}

VESTIGE_INTERPOSE(int, pthread_cond_broadcast, (pthread_cond_t * condition)) {
  return tell_given(SyncKind::cond_broadcast, condition,
                    [&] { return VESTIGE_REAL(pthread_cond_broadcast)(condition); });
}

VESTIGE_INTERPOSE(int, cnd_wait, (cnd_t * condition, mtx_t* mutex)) {
  int result = thrd_success;
  tell_wait(condition, mutex, [&] {
    result = VESTIGE_REAL(cnd_wait)(condition, mutex);
    return error_of(result);
  });
  return result;
}

VESTIGE_INTERPOSE(int, cnd_timedwait, (cnd_t * condition, mtx_t* mutex, const timespec* until)) {
  int result = thrd_success;
  tell_wait(condition, mutex, [&] {
    result = VESTIGE_REAL(cnd_timedwait)(condition, mutex, until);
    return error_of(result);
  });
  return result;
}

VESTIGE_INTERPOSE(int, cnd_signal, (cnd_t * condition)) {
  return tell_given(SyncKind::cond_signal, condition,
                    [&] { return VESTIGE_REAL(cnd_signal)(condition); });
}

VESTIGE_INTERPOSE(int, cnd_broadcast, (cnd_t * condition)) {
  return tell_given(SyncKind::cond_broadcast, condition,
                    [&] { return VESTIGE_REAL(cnd_broadcast)(condition); });
}
