// A signal handler runs as a pseudo-thread: in a ring of its own, one per thread and depth of
// nesting, kept for the next signal. The trampoline that the kernel calls switches
// __vestige_thread there and back; the interrupted code, which may hold `next` in a register,
// finds everything as it was.
//
// A handler is left by returning, or by a jump to a frame beyond it (longjmp, or an exception: the
// landing pad re-announces). Then the path it interrupted never completes: the interrupted ring
// gets `abandoned` at its true end.
//
// All of this is async-signal-safe; switching happens with signals blocked.
#pragma once

#include <signal.h>

#include "record/runtime/threads.h"

namespace vestige::runtime {

// What the kernel calls for every handler of the program, SA_SIGINFO or not: on x86-64 a handler
// of one argument does not mind three.
void handler_trampoline(int signal, siginfo_t* info, void* context);

// The program's handler for the signal, as sigaction and its kin recorded it (dispositions.cpp).
// Does what SA_RESETHAND asks for.
using Handler = void (*)(int, siginfo_t*, void*);
Handler handler_to_run(int signal);

// Control is about to be, or already is, at this stack address: leaves every handler of this
// thread that it lies beyond.
void leave_handlers_above(uint64_t stack_address);

// The thread ends, wherever it is.
void leave_all_handlers(ThreadState* state);

}  // namespace vestige::runtime
