// Loops that go round in one way, left in all the ways there are.
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

enum { kPage = 4096 };
static volatile int numbers[kPage];
static volatile long ticks;
static sigjmp_buf back;

__attribute__((noinline)) static int sum(int rounds) {
  int total = 0;
  for (int i = 0; i < rounds; ++i) total += numbers[i % kPage];
  return total;
}

static void tick(int signal) {
  (void)signal;
  ticks += 1 + sum(40);
}

static void leave(int signal) {
  (void)signal;
  siglongjmp(back, 1);
}

static void every(int microseconds, void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  sigaction(SIGALRM, &action, NULL);
  struct itimerval timer = {{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "sum";
  const int n = argc > 2 ? atoi(argv[2]) : 100;
  if (!strcmp(how, "sum")) return sum(n);
  if (!strcmp(how, "crash")) {  // behind n numbers
    char* pages = mmap(NULL, 5 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + 4 * kPage, kPage, PROT_NONE);
    volatile int* from = (int*)(pages + 4 * kPage) - n;
    int total = 0;
    for (int i = 0; i < n + 1; ++i) total += from[i];
    return total;
  }
  if (!strcmp(how, "ticks")) {
    every(500, tick);
    int total = sum(n);
    while (ticks == 0) {
    }
    every(0, tick);
    return total;
  }
  if (!strcmp(how, "jumps")) {
    volatile int jumps = 0;
    sigsetjmp(back, 1);
    while (jumps < n) {
      jumps = jumps + 1;
      every(2000, leave);
      for (;;) numbers[0] = numbers[0] + 1;
    }
    every(0, leave);
  }
  if (!strcmp(how, "forever")) {  // counts in a file
    const int file = open("count", O_RDWR | O_CREAT, 0666);
    if (ftruncate(file, sizeof(long)) != 0) return 1;
    volatile long* count = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    for (long i = 1;; ++i) *count = i;
  }
  return 0;
}
