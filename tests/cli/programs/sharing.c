// Two threads that take turns, each variable shared in another way.
#include <pthread.h>
#include <semaphore.h>

static _Alignas(256) int table[4];
static _Alignas(256) int box;
static _Alignas(256) int total;
static _Alignas(256) struct { int mine, other; } near;
static _Alignas(256) int sum;
static _Alignas(256) char end[256];
static sem_t go, back;

static void *work(void *unused) {
  for (int i = 0; i < 3; i++) {
    sem_wait(&go);
    sum += box + table[i];
    near.other++;
    total++;
    sem_post(&back);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&go, 0, 0);
  sem_init(&back, 0, 0);
  for (int i = 0; i < 4; i++) table[i] = i;
  pthread_create(&thread, 0, work, 0);
  for (int i = 0; i < 3; i++) {
    box = i;
    near.mine++;
    total++;
    sem_post(&go);
    sem_wait(&back);
  }
  pthread_join(thread, 0);
  return end[0];
}
