// longjmp and its kin. Outside handlers there is nothing to do: __vestige_thread is up to date, and
// the pass re-announces the activation that setjmp returns to. A jump out of a signal handler
// leaves it (handlers.h). Where the jump goes is in the jmp_buf, in glibc's disguise.

#include <setjmp.h>

#include "record/runtime/handlers.h"
#include "record/runtime/interpose.h"

namespace vestige::runtime {
namespace {

constexpr int kStackPointerInBuffer = 6;

void leave_handlers_for_jump(const struct __jmp_buf_tag* buffer) {
  ThreadState* state = this_thread();
  if (state == nullptr || state->depth == 0) return;
  uint64_t disguised = static_cast<uint64_t>(buffer->__jmpbuf[kStackPointerInBuffer]);
  uint64_t stack_address;
  asm("rorq $17, %0\n\txorq %%fs:0x30, %0" : "=r"(stack_address) : "0"(disguised) : "cc");
  leave_handlers_above(stack_address);
}

}  // namespace
}  // namespace vestige::runtime

#define VESTIGE_INTERPOSE_JUMP(name)                                          \
  VESTIGE_INTERPOSE(void, name, (struct __jmp_buf_tag * buffer, int value)) { \
    ::vestige::runtime::leave_handlers_for_jump(buffer);                      \
    VESTIGE_REAL(name)(buffer, value);                                        \
    __builtin_unreachable();                                                  \
  }

VESTIGE_INTERPOSE_JUMP(longjmp)
VESTIGE_INTERPOSE_JUMP(_longjmp)
VESTIGE_INTERPOSE_JUMP(siglongjmp)
VESTIGE_INTERPOSE_JUMP(__longjmp_chk)
