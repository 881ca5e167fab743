// Threads that do arbitrary things, as the seed says: `random SEED THREADS STEPS`. Nothing blocks for ever.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int a[32];
static struct { short s[8]; long l; char c[16]; } mixed;
static atomic_int at[3];
static int plain[4];
static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;
static pthread_barrier_t barrier;
static unsigned seed, steps;
// The last byte of a text stays zero.
static char text[2][16];
static struct tm broken;
static int pipes[2][2], pair[2], event;
static _Atomic(char*) slots[3];

static unsigned next(unsigned* state) { *state = *state * 1664525u + 1013904223u; return *state >> 10; }

static void touch(unsigned* r) {
  unsigned k = next(r) % 32, n = 1 + next(r) % 12, s = 1 + next(r) % 4;
  char* t = text[k % 2];
  switch (next(r) % 18) {
    case 0: for (unsigned i = k; i < 32 && i < k + n * s; i += s) a[i]++; break;
    case 1: { volatile int sum = 0; for (unsigned i = k; i < 32 && i < k + n * s; i += s) sum += a[i]; } break;
    case 2: for (int i = (int)k; i >= 0; i -= (int)s) a[i] = i; break;
    case 3: mixed.s[k % 8]++; break;
    case 4: mixed.l = k; break;
    case 5: ((volatile char*)&mixed)[k]++; break;
    case 6: memcpy(a + k / 2, a + 16 + k / 4, n / 2 * 4); break;
    case 7: memset(mixed.c, 0, n); break;
    case 8: plain[k % 4]++; break;
    case 9: strcpy(t + k % 4, "some text" + n % 8); break;
    case 10: snprintf(t, 2 + n, "%u of %s", k, text[1 - k % 2]); break;
    case 11: { volatile size_t length = strlen(t + k % 8); (void)length; } break;
    case 12: t[k % 15] = (char)('a' + k % 20); break;
    case 13: { volatile char c = t[k % 15]; (void)c; } break;
    case 14: { volatile void* found = memchr(t, 'a' + (int)(k % 20), 4 + n); (void)found; } break;
    case 15: { time_t now = k; if (k % 4 == 0) gmtime_r(&now, &broken); else { volatile int y = broken.tm_hour; (void)y; } } break;
    case 16: sscanf("12 13", "%d %d", &a[k % 16], &a[k % 31]); break;
    case 17: strncpy(t + k % 3, text[1 - k % 2], n); break;
  }
}

static void* work(void* argument) {
  unsigned r = seed * 31 + (unsigned)(size_t)argument * 7919;
  for (unsigned i = 0; i < steps; i++) {
    unsigned k = next(&r) % 3;
    char byte = 1, bytes[8];
    switch (next(&r) % 18) {
      case 0: pthread_mutex_lock(&locks[k]); touch(&r); pthread_mutex_unlock(&locks[k]); break;
      case 1: if (pthread_mutex_trylock(&locks[k]) == 0) { touch(&r); touch(&r); pthread_mutex_unlock(&locks[k]); } break;
      case 2: pthread_rwlock_rdlock(&rw); touch(&r); pthread_rwlock_unlock(&rw); break;
      case 3: pthread_rwlock_wrlock(&rw); touch(&r); pthread_rwlock_unlock(&rw); break;
      case 4: atomic_fetch_add_explicit(&at[k], 1, memory_order_acq_rel); break;
      case 5: atomic_store_explicit(&at[k], (int)i, k ? memory_order_release : memory_order_relaxed); break;
      case 6: { volatile int v = atomic_load_explicit(&at[k], k ? memory_order_acquire : memory_order_relaxed); (void)v; } break;
      case 7: atomic_thread_fence(k == 0 ? memory_order_release : k == 1 ? memory_order_acquire : memory_order_seq_cst); break;
      case 8: sem_wait(&sem); touch(&r); sem_post(&sem); break;
      case 9: { int zero = 0; atomic_compare_exchange_strong_explicit(&at[k], &zero, 5, memory_order_acquire, memory_order_relaxed); } break;
      case 10: { volatile int* p = malloc(8 + 8 * k); p[0] = 1; p[1] = 2; free((void*)p); } break;
      // What another thread has written is given back here; nobody looks into it.
      case 11: { char* p = malloc(24 + 16 * k); memset(p, 1, 8 + 8 * k); free(atomic_exchange_explicit(&slots[k], p, k == 0 ? memory_order_acq_rel : memory_order_relaxed)); } break;
      case 12: touch(&r); if (write(pipes[k % 2][1], k == 2 ? &byte : text[0], 1) < 0) {} break;
      case 13: if (read(pipes[k % 2][0], k == 2 ? text[1] + 4 : bytes, 1) > 0) touch(&r); break;
      case 14: touch(&r); if (send(pair[k % 2], &byte, 1, 0) < 0) {} break;
      case 15: if (recv(pair[k % 2], bytes, 4, 0) > 0) touch(&r); break;
      case 16: { eventfd_t all; if (k == 0) { touch(&r); eventfd_write(event, 1); } else if (eventfd_read(event, &all) == 0) touch(&r); } break;
      default: touch(&r); break;
    }
    if (i % 16 == 15) pthread_barrier_wait(&barrier);
    if (i % 64 == 20) *(volatile int*)&at[k] = 3;
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  seed = (unsigned)atoi(argv[1]);
  unsigned threads = (unsigned)atoi(argv[2]);
  steps = (unsigned)atoi(argv[3]);
  sem_init(&sem, 0, 1 + seed % 2);
  event = eventfd(0, EFD_NONBLOCK);
  if (pipe2(pipes[0], O_NONBLOCK) || pipe2(pipes[1], O_NONBLOCK) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair)) return 3;
  pthread_barrier_init(&barrier, NULL, threads);
  pthread_t t[16];
  for (unsigned i = 0; i < threads && i < 16; i++) pthread_create(&t[i], NULL, work, (void*)(size_t)i);
  for (unsigned i = 0; i < threads && i < 16; i++) pthread_join(t[i], NULL);
  return 0;
}
