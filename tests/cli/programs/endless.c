// Loops that never end: a function that they call leaves the program.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LOOP __attribute__((noinline)) static void

static const int *at;
static volatile int state, total, errors, depth;
static pthread_mutex_t begun = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static int next(void) {
  int op = *at++;
  if (op < 0) exit(0);
  return op;
}

LOOP server(void) {
  for (;;) {
    int op = next();
    if (op == 0)
      state = 1;
    else
      total = op;
  }
}

LOOP events(void) {
  while (1) {
    int op = next();
    switch (op) {
      case 0: state = 2; continue;
      case 1: total = 1; break;
      default: errors = op; break;
    }
    depth = 3;
  }
}

LOOP nested(void) {
  for (;;) {
    int op = next();
    depth = 0;
    for (;;) {
      if (next() == 9) break;
      depth = 1;
    }
    if (op == 0)
      state = 4;
  }
}

LOOP waits(void) {
  for (;;) {
    int op;
    do {
      op = next();
      errors = 5;
    } while (op == 0);
    state = op;
    if (op == 5)
      total = 6;
  }
}

LOOP interpreter(void) {
  static void *const codes[] = {&&push, &&add, &&drop};
  goto *codes[next()];
push:
  depth = 7;
  goto *codes[next()];
add:
  total = 8;
  goto *codes[next()];
drop:
  depth = 9;
  goto *codes[next()];
}

static void *worker(void *given) {
  pthread_mutex_lock(&begun);  // main is back from pthread_create: it knows of this thread
  for (;;) {
    int op = next();
    if (op == 1)
      state = *(int *)given;
  }
  return NULL;
}

int main(int argc, char **argv) {
  static const int serve[] = {3, 0, 4, 0, 5, -1}, event[] = {0, 1, 2, 1, 0, 7, -1};
  static const int nest[] = {0, 1, 1, 9, 3, 1, 9, 0, 9, -1}, wait[] = {0, 0, 4, 5, 0, 5, -1};
  static const int code[] = {0, 0, 1, 2, 1, 2, -1}, work[] = {3, 1, 2, -1};
  const char *what = argv[argc - 1];
  if (strcmp(what, "server") == 0) at = serve, server();
  if (strcmp(what, "events") == 0) at = event, events();
  if (strcmp(what, "nested") == 0) at = nest, nested();
  if (strcmp(what, "waits") == 0) at = wait, waits();
  if (strcmp(what, "interpreter") == 0) at = code, interpreter();
  pthread_t thread;
  int base = 6;
  at = work;
  pthread_mutex_lock(&begun);
  pthread_create(&thread, NULL, worker, &base);
  pthread_mutex_unlock(&begun);
  pthread_join(thread, NULL);
}
