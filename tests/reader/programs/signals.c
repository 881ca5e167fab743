// A handler that runs recorded code, and an end by a fault.
#include <signal.h>

static volatile int hits;
static int twice(int n) { return n + n; }
static void on_signal(int signal) { hits = hits + twice(signal) / signal; }

static int fault(volatile int* p) { return *p; }

int main(void) {
  signal(SIGUSR1, on_signal);
  for (int i = 0; i < 5; ++i) raise(SIGUSR1);
  return fault((volatile int*)(long)(hits - 10));
}
