// Initialization that happens once: who ran it says so when it is complete, and everybody who came
// through says that it was. libstdc++'s call_once comes through here as well.
//
// An attempt may be left by an exception, or because its thread is cancelled; then somebody else
// makes another one, which knows of what the one before did. So who leaves says so, and from then
// on so does who begins.

#include "record/runtime/once.h"

#include <pthread.h>
#include <threads.h>

#include "record/runtime/interpose.h"

namespace vestige::runtime {
namespace {

using Routine = void (*)();

struct Once {
  Routine routine;
  const volatile void* control;
  const Once* before;
};
// What this thread is about to run: the routine has no argument that could carry it. Those that are
// running already are before it.
constinit thread_local const Once* present = nullptr;

}  // namespace

constinit std::atomic<bool> attempts_left = false;

}  // namespace vestige::runtime

using namespace vestige::runtime;

// The unwinder asks each frame's personality as it goes; that of vestige_run_once is this one,
// which needs none of the C++ library. In the second phase (2) the frames inside are gone.
extern "C" __attribute__((visibility("hidden"))) int vestige_once_left(int, int actions, uint64_t,
                                                                       void*, void*) {
  constexpr int kCleanupPhase = 2, kContinueUnwind = 8;
  if ((actions & kCleanupPhase) != 0 && present != nullptr) {
    tell_attempt_left(present->control);
    present = present->before;
  }
  return kContinueUnwind;
}

// void vestige_run_once(void (*routine)())
asm(R"(
  .text
  .hidden vestige_run_once
  .globl vestige_run_once
  .type vestige_run_once, @function
vestige_run_once:
  .cfi_startproc
  .cfi_personality 0x1b, vestige_once_left
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call *%rdi
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
  .size vestige_run_once, . - vestige_run_once
)");
extern "C" void vestige_run_once(void (*routine)());

namespace vestige::runtime {
namespace {

void run_once() {
  const Once once = *present;
  tell_attempt_begins(once.control);
  vestige_run_once(once.routine);
  tell_sync(protocol::SyncKind::once_done, once.control);
}

// `call` is libc's function, given the routine to run.
template <typename Call>
int tell_once(const volatile void* control, Routine routine, const Call& call) {
  if (sync_writer() == nullptr) return call(routine);
  const Once once = {routine, control, present};
  present = &once;
  int result = call(run_once);
  present = once.before;
  if (result == 0) tell_sync(protocol::SyncKind::once, control);
  return result;
}

}  // namespace
}  // namespace vestige::runtime

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
