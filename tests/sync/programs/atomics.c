// Atomic operations on a few locations, of several sizes, two of them in one word. Each thread logs what
// it read and wrote, in its own order: "a THREAD LOCATION KIND READ WRITTEN".
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 4, kRounds = 3000 };

static _Atomic long wide;
static struct {
  _Atomic int low;
  _Atomic short high;
} narrow;
static _Atomic(unsigned char) byte;

struct entry {
  const volatile void* location;
  const char* kind;
  long read, written;
};
struct log {
  unsigned long thread;
  long used;
  struct entry entries[4 * kRounds];
};

static void note(struct log* log, const volatile void* location, const char* kind, long read, long written) {
  log->entries[log->used++] = (struct entry){location, kind, read, written};
}

#define OPERATE(location, type)                                                                      \
  switch (random >> 8 & 7) {                                                                         \
    case 0:                                                                                          \
      atomic_store_explicit(&location, (type)fresh, memory_order_release);                           \
      note(log, &location, "atomic_store", 0, (type)fresh);                                          \
      break;                                                                                         \
    case 1:                                                                                          \
      atomic_store_explicit(&location, (type)fresh, memory_order_relaxed);                           \
      note(log, &location, "atomic_store", 0, (type)fresh);                                          \
      break;                                                                                         \
    case 2: {                                                                                        \
      type seen = atomic_load_explicit(&location, memory_order_relaxed);                             \
      note(log, &location, "atomic_load", seen, 0);                                                  \
      break;                                                                                         \
    }                                                                                                \
    case 3: {                                                                                        \
      type seen = atomic_exchange(&location, (type)fresh);                                           \
      note(log, &location, "atomic_rmw", seen, (type)fresh);                                         \
      break;                                                                                         \
    }                                                                                                \
    case 4: {                                                                                        \
      type seen = atomic_fetch_add_explicit(&location, 3, memory_order_acq_rel);                     \
      note(log, &location, "atomic_rmw", seen, (type)(seen + 3));                                    \
      break;                                                                                         \
    }                                                                                                \
    case 5: {                                                                                        \
      type expected = last;                                                                          \
      const int done = atomic_compare_exchange_strong(&location, &expected, (type)fresh);            \
      note(log, &location, "atomic_cmpxchg", done ? last : expected, done ? (type)fresh : expected); \
      break;                                                                                         \
    }                                                                                                \
    default: {                                                                                       \
      type seen = atomic_load_explicit(&location, memory_order_acquire);                             \
      note(log, &location, "atomic_load", last = seen, 0);                                           \
    }                                                                                                \
  }

static void* run(void* argument) {
  struct log* log = calloc(1, sizeof *log);
  log->thread = (unsigned long)pthread_self();
  unsigned random = 1 + (unsigned)(long)argument;
  long last_wide = 0, last_low = 0, last_high = 0, last_byte = 0;
  for (int i = 0; i < kRounds; ++i) {
    random = random * 1664525u + 1013904223u;
    const long fresh = (long)i * kThreads + (long)argument;
    switch (random >> 20 & 3) {
#define last last_wide
      case 0: OPERATE(wide, long) break;
#undef last
#define last last_low
      case 1: OPERATE(narrow.low, int) break;
#undef last
#define last last_high
      case 2: OPERATE(narrow.high, short) break;
#undef last
#define last last_byte
      default: OPERATE(byte, unsigned char)
#undef last
    }
    if (i % 16 == 0) atomic_thread_fence(memory_order_seq_cst);
  }
  return log;
}

int main(void) {
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, run, (void*)i);
  for (int i = 0; i < kThreads; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    const struct log* log = result;
    for (long k = 0; k < log->used; ++k)
      printf("a %lx %lx %s %ld %ld\n", log->thread, (unsigned long)log->entries[k].location, log->entries[k].kind,
             log->entries[k].read, log->entries[k].written);
  }
  return 0;
}
