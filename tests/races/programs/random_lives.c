/* Threads that synchronize with things that do not live long, as the seed says: random_lives SEED THREADS STEPS. Mutexes,
   rwlocks, semaphores and atomic variables on the heap and on stacks, some lent to another thread; in a pool that the program
   hands round, initialized in three ways; barriers with fewer participants than users; unlocks by whoever comes along. Nothing blocks
   for ever. What was done how often goes to the standard output. */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int a[16];
static unsigned seed, steps, threads;
static pthread_mutex_t odd = PTHREAD_MUTEX_INITIALIZER, steady = PTHREAD_MUTEX_INITIALIZER;
struct thing { pthread_mutex_t m; pthread_rwlock_t l; sem_t s; atomic_int count; atomic_int taken; };
static struct thing pool[3];
static pthread_barrier_t few;
static atomic_int permits;
static atomic_uintptr_t last_heap, lent, lent_done;
static atomic_int heap_again, pooled, framed, misused, met, borrowed;

static unsigned next(unsigned* state) { *state = *state * 1664525u + 1013904223u; return *state >> 10; }
static void count(atomic_int* what) { atomic_fetch_add_explicit(what, 1, memory_order_relaxed); }

static void touch(unsigned* r) {
  unsigned k = next(r) % 16;
  if (next(r) % 3) a[k]++;
  else { volatile int sum = a[k]; (void)sum; }
}

static void use(struct thing* t, unsigned* r) {
  for (unsigned n = 1 + next(r) % 3; n > 0; n--)
    switch (next(r) % 5) {
      case 0: pthread_mutex_lock(&t->m); touch(r); pthread_mutex_unlock(&t->m); break;
      case 1: pthread_rwlock_rdlock(&t->l); touch(r); pthread_rwlock_unlock(&t->l); break;
      case 2: pthread_rwlock_wrlock(&t->l); touch(r); pthread_rwlock_unlock(&t->l); break;
      case 3: sem_wait(&t->s); touch(r); sem_post(&t->s); break;
      default: atomic_fetch_add(&t->count, 1); touch(r); atomic_fetch_add(&t->count, 1); break;
    }
}
/* `taken` stays: it says whose turn it is, and orders nothing. */
static void begin(struct thing* t, unsigned how) {
  if (how == 0) {
    pthread_mutex_init(&t->m, NULL);
    pthread_rwlock_init(&t->l, NULL);
    *(volatile int*)&t->count = 0;
  } else if (how == 1) {
    t->m = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    t->l = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    atomic_init(&t->count, 0);
  } else {
    memset(t, 0, offsetof(struct thing, s));
    *(volatile int*)&t->count = 0;
  }
  sem_init(&t->s, 0, 1);
}
static void end(struct thing* t, unsigned how) {
  if (how == 0) {
    pthread_mutex_destroy(&t->m);
    pthread_rwlock_destroy(&t->l);
    sem_destroy(&t->s);
  }
}

static void on_heap(unsigned* r) {
  struct thing* t = malloc(9000);
  uintptr_t before = atomic_exchange_explicit(&last_heap, (uintptr_t)t, memory_order_relaxed);
  if (before == (uintptr_t)t) count(&heap_again);
  unsigned how = next(r) % 3;
  begin(t, how);
  use(t, r);
  end(t, how);
  free(t);
}
static void in_pool(unsigned* r) {
  struct thing* t = &pool[next(r) % 3];
  if (atomic_exchange_explicit(&t->taken, 1, memory_order_relaxed)) return;
  count(&pooled);
  unsigned how = next(r) % 4;
  if (how < 3) begin(t, how);  /* else it is what it was */
  use(t, r);
  if (how < 3) end(t, how);
  if (how < 3) begin(t, how);
  atomic_store_explicit(&t->taken, 0, memory_order_relaxed);
}
/* Lent to whoever comes along meanwhile. */
static __attribute__((noinline)) void on_stack(unsigned* r) {
  struct thing t;
  begin(&t, next(r) % 3);
  count(&framed);
  uintptr_t none = 0;
  int mine = atomic_compare_exchange_strong_explicit(&lent, &none, (uintptr_t)&t, memory_order_relaxed, memory_order_relaxed);
  use(&t, r);
  if (!mine) return;
  for (int i = 0; i < 3; i++) sched_yield();
  none = (uintptr_t)&t;
  if (atomic_compare_exchange_strong_explicit(&lent, &none, 0, memory_order_relaxed, memory_order_relaxed)) return;
  while (atomic_load_explicit(&lent_done, memory_order_relaxed) != (uintptr_t)&t) usleep(20);
  atomic_store_explicit(&lent_done, 0, memory_order_relaxed);
  atomic_store_explicit(&lent, 0, memory_order_relaxed);
}
static void borrow(unsigned* r) {
  uintptr_t t = atomic_load_explicit(&lent, memory_order_relaxed);
  if (t <= 1 || !atomic_compare_exchange_strong_explicit(&lent, &t, 1, memory_order_relaxed, memory_order_relaxed)) return;
  count(&borrowed);
  use((struct thing*)t, r);
  atomic_store_explicit(&lent_done, t, memory_order_relaxed);
}
static void meet(void) {
  if (atomic_fetch_add_explicit(&permits, -1, memory_order_relaxed) <= 0) return;
  count(&met);
  pthread_barrier_wait(&few);
}

static void* work(void* argument) {
  unsigned r = seed * 31 + (unsigned)(size_t)argument * 7919;
  for (unsigned i = 0; i < steps; i++)
    switch (next(&r) % 11) {
      case 0: case 1: on_heap(&r); break;
      case 2: case 3: in_pool(&r); break;
      case 4: on_stack(&r); break;
      case 5: borrow(&r); break;
      case 6: count(&misused); touch(&r); pthread_mutex_unlock(&odd); break;
      case 7: pthread_mutex_lock(&odd); touch(&r); pthread_mutex_unlock(&odd); break;
      case 8: pthread_mutex_lock(&steady); touch(&r); pthread_mutex_unlock(&steady); break;
      case 9: meet(); touch(&r); break;
      default: touch(&r); sched_yield(); break;
    }
  while (atomic_load_explicit(&permits, memory_order_relaxed) > 0) { meet(); touch(&r); }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  mallopt(M_ARENA_MAX, 1);
  seed = (unsigned)atoi(argv[1]);
  threads = (unsigned)atoi(argv[2]);
  steps = (unsigned)atoi(argv[3]);
  unsigned participants = threads < 3 ? threads : 2 + seed % (threads - 2);
  atomic_store(&permits, (int)(participants * (1 + steps / 6)));
  pthread_barrier_init(&few, NULL, participants);
  for (int i = 0; i < 3; i++) begin(&pool[i], (unsigned)i);
  pthread_t t[16];
  for (unsigned i = 0; i < threads && i < 16; i++) pthread_create(&t[i], NULL, work, (void*)(size_t)i);
  for (unsigned i = 0; i < threads && i < 16; i++) pthread_join(t[i], NULL);
  printf("%d blocks used again, %d turns in a pool, %d frames, %d borrowed, %d foreign unlocks, %d meetings of %u among %u\n",
         heap_again, pooled, framed, borrowed, misused, met, participants, threads);
  return 0;
}
