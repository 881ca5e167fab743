// leaving HOW: the process ends from deep inside.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>

#include "tally.h"

static const char* how;

static void at_exit(void) { CALLED(); }
static void at_quick_exit_1(void) { CALLED(); }

NOINLINE static int leave(int status) {
  CALLED();
  if (!strcmp(how, "exit")) exit(status);
  if (!strcmp(how, "_exit")) _exit(status);
  if (!strcmp(how, "_Exit")) _Exit(status);
  if (!strcmp(how, "quick_exit")) quick_exit(status);
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "raise")) raise(SIGTERM);
  if (!strcmp(how, "syscall")) syscall(SYS_exit_group, status);
  if (!strcmp(how, "thread_syscall")) syscall(SYS_exit, status);
  return status;
}

NOINLINE static int nest(int depth) {
  CALLED();
  int status = depth == 0 ? leave(21) : nest(depth - 1) + 1;
  KEEP_FRAME();
  return status;
}

static int compare(const void* a, const void* b) {
  CALLED();
  if (!strcmp(how, "callback")) exit(nest(2));
  return *(const int*)a - *(const int*)b;
}

static void* run(void* argument) {
  nest(5);
  return argument;
}

int main(int argc, char** argv) {
  how = argc > 1 ? argv[1] : "";
  atexit(at_exit);
  at_quick_exit(at_quick_exit_1);
  if (!strcmp(how, "callback")) {
    int numbers[] = {3, 1, 2};
    qsort(numbers, 3, sizeof *numbers, compare);
  }
  if (argc > 2) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    return 22;
  }
  return nest(5);
}
