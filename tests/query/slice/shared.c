// Threads that work on the same memory, in every way that is ordered and some that are not: for random slices.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { kThreads = 4, kRounds = 6 };
struct Item {
  int number, sum;
  char name[8];
};

static struct Item slots[kThreads];
static int total, loose, handed;
static long wide[4];
static atomic_int turn, relaxed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t full, empty;

static void* work(void* argument) {
  struct Item* mine = argument;
  for (int i = 0; i < kRounds; ++i) {
    struct Item next = slots[(mine - slots + 1) % kThreads];
    pthread_barrier_wait(&barrier);
    mine->number += next.number + i;
    memcpy(mine->name, next.name, sizeof next.name);
    mine->name[i % 8] += (char)i;
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&lock);
    total += mine->number;
    ((char*)wide)[total % 32] = (char)i;
    mine->sum = total + (int)wide[i % 4];
    pthread_mutex_unlock(&lock);
    loose += mine->number;
    atomic_fetch_add_explicit(&relaxed, mine->number & 7, memory_order_relaxed);
    mine->sum += loose + atomic_load_explicit(&relaxed, memory_order_relaxed);
  }
  return NULL;
}

static void* consume(void* argument) {
  int* sum = argument;
  for (int i = 0; i < kRounds; ++i) {
    sem_wait(&full);
    *sum += handed;
    sem_post(&empty);
  }
  while (atomic_load_explicit(&turn, memory_order_acquire) == 0) usleep(2000);
  *sum += loose;
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads], consumer;
  int consumed = 0, all = 0;
  pthread_barrier_init(&barrier, NULL, kThreads);
  sem_init(&full, 0, 0);
  sem_init(&empty, 0, 1);
  for (int i = 0; i < kThreads; ++i) {
    slots[i].number = i * i;
    snprintf(slots[i].name, sizeof slots[i].name, "n%d", i);
    pthread_create(&threads[i], NULL, work, &slots[i]);
  }
  pthread_create(&consumer, NULL, consume, &consumed);
  for (int i = 0; i < kRounds; ++i) {
    sem_wait(&empty);
    handed = i * 3 + slots[0].number % 2;
    sem_post(&full);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  loose += 1;
  atomic_store_explicit(&turn, 1, memory_order_release);
  pthread_join(consumer, NULL);
  for (int i = 0; i < kThreads; ++i) all += slots[i].sum + slots[i].name[i];
  printf("%d %d %d\n", all, consumed, total);
  return 0;
}
