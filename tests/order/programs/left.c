// Threads that leave paths in their middle, by a jump out of a signal handler, and race meanwhile. What such a path
// wrote is not in the trace, but others came behind it: upper halves are written there only, and read nowhere.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "gate.h"

#define CELLS 6
#define ROUNDS 150

static volatile struct {
  uint32_t lower, upper;
} cells[CELLS] __attribute__((aligned(64)));
static volatile char* trap;
static __thread sigjmp_buf back;
static unsigned seed;

static void leave(int signal) { siglongjmp(back, signal); }

static unsigned next(unsigned* state) {
  *state = *state * 1103515245 + 12345;
  return *state >> 16;
}

static void* work(void* number) {
  const int me = (int)(long)number;
  unsigned state = seed * 3 + (unsigned)me * 7919;
  pass_gate(me, 3);
  for (int i = 0; i < ROUNDS; ++i) {
    const unsigned a = next(&state) % CELLS, b = next(&state) % CELLS, c = next(&state) % CELLS;
    cells[a].lower = cells[a].lower + 1;
    // Twice without a path in between, now and then.
    const int times = (int)(next(&state) % 3);
    const int came = sigsetjmp(back, 1);
    if (came == 0 && times > 0) {
      cells[a].upper = 1;
      cells[b].upper = 2;
      cells[c].upper = 3;
      cells[b].upper = 4;
      *trap = 1;
    }
    if (came == SIGSEGV && times > 1) {
      cells[c].upper = 5;
      cells[a].upper = 6;
      __asm__ volatile("ud2");
    }
    cells[c].lower = cells[b].lower + 1;
    if (next(&state) % 16 == 0) sched_yield();
  }
  return 0;
}

int main(int argc, char** argv) {
  seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  struct sigaction action = {.sa_handler = leave};
  sigaction(SIGSEGV, &action, 0);
  sigaction(SIGILL, &action, 0);
  trap = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return 0;
}
