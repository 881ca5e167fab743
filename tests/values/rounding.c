// Floating point in every way of rounding, set by everything that can set it: the library, an intrinsic, assembly, a
// constructor, a thread's creator, a handler, a forked process, a function that jumps away.
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

static volatile double third = 3.0, tiny = 3e-308;
static volatile float small = 1.5e-38f;
static double sum;
static unsigned long ops;

// Nothing here is unrecorded: what it gives depends on how it was called.
__attribute__((noinline)) static double work(double x) {
  double total = 0;
  for (int i = 1; i <= 5; i++) {
    total += x / (third + i) - x * 0.1;
    total += (float)(x / i);  // narrowing rounds too
    total += (double)(9007199254740993L + i) * 1e-16;
    total += sqrt(x + i);
    ops++;
  }
  total += tiny / 7 + tiny / 3;  // denormal results and operands
  total += small / 9 * 1e30f;
  total += (tiny / 11) * 1e300 > 0;
  return total;
}
static void say(const char* what) {
  const double value = work(1.7);
  sum += value;
  printf("%s %a\n", what, value);
}

// At -O2 these leave the library to come back to their callers.
__attribute__((noinline)) static void quietly(int way) { fesetround(way); }
__attribute__((noinline)) static int rudely(int way) { return fesetround(way); }
static int (*volatile by_pointer)(int) = fesetround;

__attribute__((constructor)) static void flush_early(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }

static void* start(void* name) {
  say(name);
  quietly(FE_UPWARD);
  say("thread upward");
  return 0;
}

static volatile double from_handler;
static void handler(int number) {
  from_handler = work(number);
  fesetround(FE_TOWARDZERO);
  from_handler += work(number + 1);
}

static jmp_buf back;
__attribute__((noinline)) static void jump(int way) {
  fesetround(way);
  longjmp(back, 1);
}

static int compare(const void* a, const void* b) {
  const double x = work(*(const double*)a) / 3, y = work(*(const double*)b) / 3;
  return (x > y) - (x < y);
}

int main(void) {
  say("early");
  _mm_setcsr(0x1f80);
  say("nearest");
  const int ways[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST};
  for (int i = 0; i < 4; i++) {
    quietly(ways[i]);
    say("quietly");
    rudely(ways[(i + 1) % 4]);
    say("rudely");
    by_pointer(ways[(i + 2) % 4]);
    say("by pointer");
  }
  unsigned bits = 0x3f80;
  __asm__ volatile("ldmxcsr %0" : : "m"(bits));
  say("assembly");
  fenv_t kept;
  fegetenv(&kept);
  fesetround(FE_UPWARD);
  pthread_t thread;
  pthread_create(&thread, 0, start, "thread");
  pthread_join(thread, 0);
  say("joined");
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  printf("handler %a\n", from_handler);
  raise(SIGUSR1);
  printf("handler %a\n", from_handler);
  say("handled");
  fesetenv(&kept);
  say("environment");
  if (!setjmp(back)) jump(FE_TOWARDZERO);
  say("jumped");
  double values[9];
  for (int i = 0; i < 9; i++) values[i] = (i * 7 % 9) * 0.3;
  qsort(values, 9, sizeof *values, compare);
  printf("sorted %a\n", values[4]);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    say("child");
    fesetround(FE_TONEAREST);
    say("child nearest");
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, 0, 0);
  say("parent");
  printf("%a %lu\n", sum, ops);
  return 0;
}
