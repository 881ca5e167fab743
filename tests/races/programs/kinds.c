// Every kind of synchronization once, each the only thing that orders a write before a read. So no
// consumer of operations may see a race here, and each that leaves a kind out sees one.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { kKinds = 16 };
static int written[kKinds];
static long sum;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t for_signal = PTHREAD_MUTEX_INITIALIZER, for_all = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t one = PTHREAD_COND_INITIALIZER, all = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t to_readers = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t to_writer = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;
static int ready[6], waits[2], channel[2], event;
static atomic_int stored, added, exchanged, fenced;

static void rest(void) { nanosleep(&(struct timespec){0, 100000}, NULL); }
static void initialize(void) { written[9] = 9; }

// Once somebody waits.
static void wake(pthread_mutex_t* with, pthread_cond_t* whom, int number) {
  for (int done = 0; !done; rest()) {
    pthread_mutex_lock(with);
    done = ready[number] = waits[number - 1];
    if (done && number == 1) pthread_cond_signal(whom);
    if (done && number == 2) pthread_cond_broadcast(whom);
    pthread_mutex_unlock(with);
  }
}

// What each pair of functions does: the first writes and gives, the second takes and reads.
static void give_all(void) {
  written[0] = 1;
  pthread_mutex_lock(&mutex), ready[0] = 1, pthread_mutex_unlock(&mutex);
  written[1] = 1;
  wake(&for_signal, &one, 1);
  written[2] = 1;
  wake(&for_all, &all, 2);
  written[3] = 1;
  pthread_rwlock_wrlock(&to_readers), ready[3] = 1, pthread_rwlock_unlock(&to_readers);
  written[4] = 1;
  pthread_spin_lock(&spin), ready[4] = 1, pthread_spin_unlock(&spin);
  pthread_once(&once, initialize);
  written[5] = 1;
  atomic_store_explicit(&stored, 1, memory_order_release);
  written[6] = 1;
  atomic_fetch_add_explicit(&added, 1, memory_order_release);
  written[7] = 1;
  int zero = 0;
  atomic_compare_exchange_strong_explicit(&exchanged, &zero, 1, memory_order_release,
                                          memory_order_relaxed);
  written[8] = 1;
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&fenced, 1, memory_order_relaxed);
  written[10] = 1;
  sem_post(&semaphore);
  written[11] = 1;
  if (write(channel[1], "x", 1) != 1) abort();
  written[12] = 1;
  if (write(event, &(uint64_t){1}, 8) != 8) abort();
  written[13] = 1;
  pthread_barrier_wait(&barrier);
}

static void take_all(void) {
  for (int done = 0; !done; rest())
    pthread_mutex_lock(&mutex), done = ready[0], pthread_mutex_unlock(&mutex);
  sum += written[0];
  pthread_mutex_lock(&for_signal);
  waits[0] = 1;
  while (!ready[1]) pthread_cond_wait(&one, &for_signal);
  pthread_mutex_unlock(&for_signal);
  sum += written[1];
  pthread_mutex_lock(&for_all);
  waits[1] = 1;
  while (!ready[2]) pthread_cond_wait(&all, &for_all);
  pthread_mutex_unlock(&for_all);
  sum += written[2];
  for (int done = 0; !done; rest())
    pthread_rwlock_rdlock(&to_readers), done = ready[3], pthread_rwlock_unlock(&to_readers);
  sum += written[3];
  for (int done = 0; !done; rest())
    pthread_spin_lock(&spin), done = ready[4], pthread_spin_unlock(&spin);
  sum += written[4];
  pthread_once(&once, initialize);
  sum += written[9];
  while (!atomic_load_explicit(&stored, memory_order_acquire)) rest();
  sum += written[5];
  while (!atomic_fetch_add_explicit(&added, 0, memory_order_acquire)) rest();
  sum += written[6];
  for (int was = 1; !atomic_compare_exchange_strong_explicit(
           &exchanged, &was, 1, memory_order_acquire, memory_order_relaxed);
       was = 1)
    rest();
  sum += written[7];
  while (!atomic_load_explicit(&fenced, memory_order_relaxed)) rest();
  atomic_thread_fence(memory_order_acquire);
  sum += written[8];
  sem_wait(&semaphore);
  sum += written[10];
  char byte;
  if (read(channel[0], &byte, 1) != 1) abort();
  sum += written[11];
  uint64_t count;
  if (read(event, &count, 8) != 8) abort();
  sum += written[12];
  pthread_barrier_wait(&barrier);
  sum += written[13];
}

static void* giver(void* memory) {
  give_all();
  pthread_mutex_t own;
  pthread_mutex_init(&own, NULL);
  pthread_mutex_lock(&own);
  if (pthread_mutex_trylock(&own) == 0) abort();  // refused
  pthread_mutex_unlock(&own);
  pthread_mutex_destroy(&own);
  free(memory);
  written[14] = 1;  // join orders it
  return NULL;
}

static void* reader(void* unused) {
  (void)unused;
  pthread_rwlock_rdlock(&to_writer);
  if (written[15] != 1) abort();
  ready[5] = 1;
  pthread_rwlock_unlock(&to_writer);
  return NULL;
}

int main(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_barrier_init(&barrier, NULL, 2);
  sem_init(&semaphore, 0, 0);
  event = eventfd(0, 0);
  if (pipe(channel) != 0 || event < 0) return 1;
  written[15] = 1;  // creation orders it
  pthread_t first, second;
  pthread_create(&second, NULL, reader, NULL);
  for (int done = 0; !done; rest())  // a reader gives to a writer
    pthread_rwlock_wrlock(&to_writer), done = ready[5], pthread_rwlock_unlock(&to_writer);
  written[15] = 2;
  pthread_create(&first, NULL, giver, malloc(100));
  take_all();
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return sum + written[14] > 0 ? 0 : 1;
}
