// The collector's way with signals: the file is finished whatever arrives. SIGINT and its like from
// the terminal reach the program by themselves, since it is in the same process group; those that
// somebody sent to the collector alone are passed on.
//
// One guard at a time in a process: signal handlers are process-wide.
#pragma once

#include <sys/types.h>

namespace vestige {

class SignalGuard {
 public:
  SignalGuard();   // from here on signals are noted
  ~SignalGuard();  // as it was before
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  // Whether a child ended since the last call. Its signal also ends a sleep.
  bool child_ended();
  // Sends `target` what was sent to this process since the last call.
  void pass_on(pid_t target);
  // Between fork and exec: gives the program the dispositions the caller had.
  static void restore_in_child();
};

}  // namespace vestige
