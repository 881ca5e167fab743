// fatal HOW: dies of a signal. The line it strikes at is marked HERE and the way.
#include <pthread.h>
#include <signal.h>

#include "tally.h"

void fault_in_library(int* where);

static volatile int zero;
static int* volatile nowhere;
static const char* volatile no_text;

NOINLINE static int null_write(int x) {
  CALLED();
  if (x > 1) {
    *nowhere = x;  // HERE null
  }
  return x + 1;
}

NOINLINE static int divide(int x) {
  CALLED();
  int result = x;
  while (x > 0) {
    result += x / zero;  // HERE divide
    --x;
  }
  return result;
}

NOINLINE static size_t measure(int x) {
  CALLED();
  return strlen(no_text) + (size_t)x;  // HERE strlen
}

NOINLINE static int overflow(int n) {
  volatile char room[256];
  room[n % 256] = (char)n;
  return overflow(n + 1) + room[(n + 1) % 256];  // HERE overflow
}

static inline __attribute__((always_inline)) int follow(int* volatile* where) {
  return **where;  // HERE inlined
}

NOINLINE static int walk_list(int x) {
  static int* volatile far_away = (int*)0x1238;
  CALLED();
  return x + follow(&far_away);  // HERE walk
}

// What it calls is not recorded, and does not come back.
NOINLINE static int show(int x) {
  CALLED();
  puts(no_text + x);  // HERE puts
  if (x > 2) return 3;
  return x + 1;
}

NOINLINE static void give_up(void) {
  CALLED();
  abort();  // HERE abort
}

NOINLINE static void trap(void) {
  CALLED();
  __builtin_trap();  // HERE trap
}

static void* in_thread(void* argument) {
  CALLED();
  null_write(3);
  return argument;
}

static void handler(int signal) {
  CALLED();
  null_write(signal);
}

// Survives one fault and dies of the next.
static void once(int signal) {
  CALLED();
  (void)signal;
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigaction(SIGSEGV, &action, NULL);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "null")) null_write(2);
  if (!strcmp(how, "divide")) return divide(3);
  if (!strcmp(how, "strlen")) return (int)measure(1);
  if (!strcmp(how, "overflow")) return overflow(0);
  if (!strcmp(how, "inlined")) return walk_list(2);
  if (!strcmp(how, "puts")) return show(1);
  if (!strcmp(how, "abort")) give_up();
  if (!strcmp(how, "trap")) trap();
  if (!strcmp(how, "library")) fault_in_library(nowhere);
  if (!strcmp(how, "call")) ((void (*)(void))nowhere)();
  if (!strcmp(how, "thread")) {
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
  }
  if (!strcmp(how, "handler")) {
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
  }
  if (!strcmp(how, "twice")) {
    signal(SIGSEGV, once);
    null_write(2);
  }
  if (!strcmp(how, "mask")) {  // a blocked synchronous fault kills at once
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    null_write(2);
  }
  return 0;
}
