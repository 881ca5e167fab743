// Initialization that happens once: who ran it says so when it is complete, and everybody who came
// through says that it was. libstdc++'s call_once comes through here as well.

#include <pthread.h>
#include <threads.h>

#include "record/runtime/interpose.h"
#include "record/runtime/sync.h"

namespace vestige::runtime {
namespace {

using Routine = void (*)();

struct Once {
  Routine routine;
  const volatile void* control;
};
// What this thread is about to run: the routine has no argument that could carry it. An exception
// may leave it behind; the next one sets it before anybody looks.
constinit thread_local const Once* present = nullptr;

void run_once() {
  const Once once = *present;
  once.routine();
  tell_sync(protocol::SyncKind::once_done, once.control);
}

// `call` is libc's function, given the routine to run.
template <typename Call>
int tell_once(const volatile void* control, Routine routine, const Call& call) {
  if (sync_writer() == nullptr) return call(routine);
  const Once once = {routine, control};
  const Once* before = present;
  present = &once;
  int result = call(run_once);
  present = before;
  if (result == 0) tell_sync(protocol::SyncKind::once, control);
  return result;
}

}  // namespace
}  // namespace vestige::runtime

using namespace vestige::runtime;

VESTIGE_INTERPOSE(int, pthread_once, (pthread_once_t * control, void (*routine)())) {
  return tell_once(control, routine,
                   [&](Routine run) { return VESTIGE_REAL(pthread_once)(control, run); });
}

VESTIGE_INTERPOSE(void, call_once, (once_flag * flag, void (*routine)())) {
  tell_once(flag, routine, [&](Routine run) {
    VESTIGE_REAL(call_once)(flag, run);
    return 0;
  });
}
