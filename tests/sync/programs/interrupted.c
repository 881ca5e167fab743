// interrupted [jump]: a thread counts in an atomic variable, another one too, and so does a signal handler that
// interrupts the first, perhaps in the middle of its own operation. With `jump` the handler never returns. Says the
// final count, the number of signals and the number of jumps.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { kRounds = 20000, kMostRounds = 1000000, kSignals = 10 };

static _Atomic long count;
static sigjmp_buf back;
static volatile int rounds, signals, jumps, jumping, ended;

static void on_signal(int signal) {
  (void)signal;
  atomic_fetch_add(&count, 1);
  signals = signals + 1;
  if (jumping) siglongjmp(back, 1);
}

static void* interrupt(void* argument) {
  const pthread_t other = *(pthread_t*)argument;
  while (rounds == 0) usleep(10);
  for (int sent = 0; sent < kSignals && !ended; ++sent) {
    pthread_kill(other, SIGUSR1);
    for (int i = 0; i < 10; ++i) atomic_fetch_add(&count, 1);
    usleep(100);
    while (signals <= sent && !ended) usleep(100);
  }
  return NULL;
}

int main(int count_of_arguments, char** arguments) {
  (void)arguments;
  jumping = count_of_arguments > 1;
  pthread_t self = pthread_self(), other;
  pthread_create(&other, NULL, interrupt, &self);
  if (sigsetjmp(back, 1) != 0) jumps = jumps + 1;
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  while (rounds < kRounds || (signals < kSignals && rounds < kMostRounds)) {
    atomic_fetch_add(&count, 1);
    rounds = rounds + 1;
  }
  jumping = 0;
  ended = 1;
  pthread_join(other, NULL);
  printf("%ld %d %d\n", atomic_load(&count), signals, jumps);
  return 0;
}
