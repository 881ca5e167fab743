// What a program saw itself, to be compared with the trace: lines "THREAD OBJECT NUMBER", in hex,
// hex and decimal. NUMBER counts what happened to the object: the program takes it while it holds
// the object, so it is the true order.
#pragma once
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 400000
struct log {
  unsigned long thread;
  long used;
  struct {
    const void* object;
    long number;
  } lines[MOST];
};

static inline struct log* new_log(void) {
  struct log* log = (struct log*)calloc(1, sizeof *log);
  log->thread = (unsigned long)pthread_self();
  return log;
}

static inline void note(struct log* log, const volatile void* object, long number) {
  log->lines[log->used].object = (const void*)object;
  log->lines[log->used++].number = number;
}

static inline void print_log(const struct log* log) {
  for (long i = 0; i < log->used; ++i)
    printf("%lx %lx %ld\n", log->thread, (unsigned long)log->lines[i].object, log->lines[i].number);
}
