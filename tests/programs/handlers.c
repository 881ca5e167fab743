// handlers HOW COUNT: timer signals, a thousand a second, while main computes.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include "tally.h"

static volatile sig_atomic_t fired;
static sigjmp_buf back;
static volatile sig_atomic_t armed;

NOINLINE static unsigned in_handler(unsigned n) {
  CALLED();
  return n * 3;
}

static void on_timer(int signal) {
  CALLED();
  fired = fired + 1;
  in_handler((unsigned)signal);
}

static void on_timer_jump(int signal) {
  CALLED();
  fired = fired + 1;
  in_handler((unsigned)signal);
  if (armed) {
    armed = 0;
    siglongjmp(back, 1);
  }
}

static void on_nested(int signal) {
  CALLED();
  fired = fired + 1;
  if (signal == SIGUSR1) raise(SIGUSR2);
  in_handler((unsigned)signal);
}

NOINLINE static unsigned compute(unsigned n) {
  CALLED();
  unsigned x = n;
  for (unsigned i = 0; i <= n % 8; ++i) {
    x = x % 2 ? 3 * x + 1 : x / 2;
    WASTE_TIME();
  }
  return x;
}

NOINLINE static void interrupted_for_ever(void) {
  CALLED();
  armed = 1;
  for (unsigned n = 0;; ++n) compute(n);
}

static void start_timer(void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval often = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &often, NULL);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int count = argc > 2 ? atoi(argv[2]) : 100;
  unsigned n = 0;
  if (!strcmp(how, "timer")) {
    start_timer(on_timer);
    while (fired < count) compute(++n);
  } else if (!strcmp(how, "jump")) {
    start_timer(on_timer_jump);
    for (volatile int i = 0; i < count; i = i + 1)
      if (sigsetjmp(back, 1) == 0) interrupted_for_ever();
  } else if (!strcmp(how, "nested")) {
    signal(SIGUSR1, on_nested);
    signal(SIGUSR2, on_nested);
    for (int i = 0; i < count; ++i) {
      raise(SIGUSR1);
      n += compute(n + (unsigned)i);
    }
  } else if (!strcmp(how, "alternate")) {
    stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = on_timer_jump, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    for (volatile int i = 0; i < count; i = i + 1) {
      if (sigsetjmp(back, 1) == 0) {
        armed = 1;
        compute(1);
        raise(SIGUSR1);
      }
    }
  }
  struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  return 0;
}
