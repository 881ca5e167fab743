// Stack switching is not followed: words of several stacks would read as one. So that no trace is
// silently wrong, each switch says in the ring that what is known of the call stack is void.

#include <errno.h>
#include <ucontext.h>

#include "record/runtime/events.h"
#include "record/runtime/interpose.h"
#include "record/runtime/threads.h"

namespace vestige::runtime {
namespace {

void say_switch() {
  const int kept = errno;
  if (RingWriter* writer = current_writer(this_thread()))
    write_event(*writer, protocol::EventKind::stack_switch);
  errno = kept;
}

}  // namespace
}  // namespace vestige::runtime

VESTIGE_INTERPOSE(int, swapcontext, (ucontext_t * save, const ucontext_t* to)) {
  ::vestige::runtime::say_switch();
  return VESTIGE_REAL(swapcontext)(save, to);
}

VESTIGE_INTERPOSE(int, setcontext, (const ucontext_t* to)) {
  ::vestige::runtime::say_switch();
  return VESTIGE_REAL(setcontext)(to);
}
