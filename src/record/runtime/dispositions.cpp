// sigaction and its kin, as the program sees them. The kernel is given handler_trampoline for every
// handler of the program, and the fatal handler where the program asks for the default of a
// signal that kills; the program is told what it set.
//
// Only which handler to run is kept here: flags and masks live in the kernel, whose answer also
// tells whether our trampoline is still in place (libc's internals change dispositions past us).
// Without a session nothing is translated.
//
// Async-signal-safe: a spin lock taken with signals blocked; it is opened in a forked child.

#include <errno.h>
#include <signal.h>

#include "record/runtime/fatal.h"
#include "record/runtime/handlers.h"
#include "record/runtime/interpose.h"

namespace vestige::runtime {
namespace {

struct Disposition {
  std::atomic<Handler> handler;
  std::atomic<bool> wants_info;
  std::atomic<bool> resets;  // SA_RESETHAND
};

Disposition dispositions[_NSIG];
std::atomic<uint32_t> lock;

class DispositionLock {
 public:
  DispositionLock() {
    while (lock.exchange(1, std::memory_order_acquire) != 0) system_call(SYS_sched_yield);
  }
  ~DispositionLock() { lock.store(0, std::memory_order_release); }

 private:
  SignalBlock block_;
};

// SIG_DFL, SIG_IGN, SIG_HOLD and SIG_ERR are not.
bool is_function(Handler handler) {
  return word_of(reinterpret_cast<void*>(handler)) > 2 &&
         word_of(reinterpret_cast<void*>(handler)) != ~uint64_t{0};
}

bool translates(int signal) {
  if (signal <= 0 || signal >= _NSIG || signal == SIGKILL || signal == SIGSTOP) return false;
  if (recording()) return true;
  SignalBlock block;
  return attach_session();
}

// Libc's own, whatever this process calls sigaction.
int real_sigaction(int signal, const struct sigaction* action, struct sigaction* before);

int translated_sigaction(int signal, const struct sigaction* action, struct sigaction* before) {
  DispositionLock held;
  Disposition& kept = dispositions[signal];
  Handler kept_handler = kept.handler.load();
  bool kept_wants_info = kept.wants_info.load();
  struct sigaction given;
  if (action != nullptr) {
    copy_bytes(&given, action, sizeof given);
    Handler handler = given.sa_sigaction;
    if (is_function(handler)) {
      kept.wants_info.store((given.sa_flags & SA_SIGINFO) != 0);
      kept.resets.store((given.sa_flags & SA_RESETHAND) != 0);
      kept.handler.store(handler);
      given.sa_sigaction = handler_trampoline;
      given.sa_flags |= SA_SIGINFO;
    } else if (handler == nullptr && is_fatal(signal)) {
      fill_fatal_action(&given);
    }
  }
  struct sigaction found;
  int result = real_sigaction(signal, action == nullptr ? nullptr : &given, &found);
  if (result != 0 || before == nullptr) return result;
  if (found.sa_sigaction == handler_trampoline) {
    found.sa_sigaction = kept_handler;
    if (!kept_wants_info) found.sa_flags &= ~SA_SIGINFO;
  } else if (found.sa_sigaction == fatal_handler) {
    zero_bytes(&found, sizeof found);
  }
  copy_bytes(before, &found, sizeof found);
  return 0;
}

// The functions of one argument differ in flags and masks; each libc function keeps its own.
using SimpleHandler = void (*)(int);
using SimpleSignal = SimpleHandler(int, SimpleHandler);

SimpleHandler simple(Handler handler) {
  return reinterpret_cast<SimpleHandler>(reinterpret_cast<void*>(handler));
}

SimpleHandler translated_signal(SimpleSignal* real, int signal, SimpleHandler handler,
                                bool resets) {
  DispositionLock held;
  Disposition& kept = dispositions[signal];
  SimpleHandler kept_handler = simple(kept.handler.load());
  SimpleHandler given = handler;
  Handler full = reinterpret_cast<Handler>(reinterpret_cast<void*>(handler));
  if (is_function(full)) {
    kept.wants_info.store(false);
    kept.resets.store(resets);
    kept.handler.store(full);
    given = simple(handler_trampoline);
  }
  SimpleHandler found = real(signal, given);
  if (handler == SIG_DFL && found != SIG_ERR && is_fatal(signal)) {
    struct sigaction action;
    fill_fatal_action(&action);
    real_sigaction(signal, &action, nullptr);
  }
  if (found == simple(handler_trampoline)) return kept_handler;
  if (found == simple(fatal_handler)) return SIG_DFL;
  return found;
}

}  // namespace

Handler handler_to_run(int signal) {
  Disposition& kept = dispositions[signal];
  Handler handler = kept.handler.load();
  // The kernel has put the default back already.
  if (kept.resets.load() && is_fatal(signal)) install_fatal_handler(signal);
  return handler;
}

void install_fatal_handler(int signal) {
  struct sigaction found;
  if (real_sigaction(signal, nullptr, &found) != 0 || found.sa_handler != SIG_DFL) return;
  struct sigaction action;
  fill_fatal_action(&action);
  real_sigaction(signal, &action, nullptr);
}

void open_disposition_lock() { lock.store(0); }

}  // namespace vestige::runtime

using namespace vestige::runtime;

VESTIGE_INTERPOSE(int, sigaction,
                  (int signal, const struct sigaction* action, struct sigaction* before)) {
  if (!translates(signal)) return VESTIGE_REAL(sigaction)(signal, action, before);
  return translated_sigaction(signal, action, before);
}

namespace vestige::runtime {
namespace {
int real_sigaction(int signal, const struct sigaction* action, struct sigaction* before) {
  return VESTIGE_REAL(sigaction)(signal, action, before);
}
}  // namespace
}  // namespace vestige::runtime

#define VESTIGE_INTERPOSE_SIGNAL(name, resets)                                  \
  VESTIGE_INTERPOSE(SimpleHandler, name, (int signal, SimpleHandler handler)) { \
    SimpleSignal* real = VESTIGE_REAL(name);                                    \
    if (!translates(signal)) return real(signal, handler);                      \
    return translated_signal(real, signal, handler, resets);                    \
  }

VESTIGE_INTERPOSE_SIGNAL(signal, false)
VESTIGE_INTERPOSE_SIGNAL(bsd_signal, false)
VESTIGE_INTERPOSE_SIGNAL(ssignal, false)
VESTIGE_INTERPOSE_SIGNAL(__sysv_signal, true)
VESTIGE_INTERPOSE_SIGNAL(sysv_signal, true)
VESTIGE_INTERPOSE_SIGNAL(sigset, false)
