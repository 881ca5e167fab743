// Signals that kill by default leave a marker: where, with which registers. The handler stands in
// for the default disposition only, and only while a session is attached; it runs on the
// thread's alternate stack (a stack overflow is one of the things that kill), and then the process
// dies of the same signal in the same way.
#pragma once

#include <signal.h>

namespace vestige::runtime {

bool is_fatal(int signal);
void fatal_handler(int signal, siginfo_t* info, void* context);
void fill_fatal_action(struct sigaction* action);

// Puts the fatal handler where the default disposition is (dispositions.cpp).
void install_fatal_handler(int signal);
void install_fatal_handlers();

// A forked child has no other threads that could hold it.
void open_disposition_lock();

}  // namespace vestige::runtime
