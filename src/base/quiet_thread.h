// A thread that no signal is delivered to: signals are for the one that waits for them.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace vestige {

template <class Task>
std::thread quiet_thread(Task task) {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(task));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace vestige
