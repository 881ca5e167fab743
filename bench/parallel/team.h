// What the parallel programs share: a team of threads, a barrier, numbers from a seed.
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { kMostThreads = 64 };

static int team_size;
static pthread_barrier_t team_barrier;

static inline void meet(void) { pthread_barrier_wait(&team_barrier); }

// The part [*begin, *end) of n things that belongs to a member.
static inline void share(int n, int member, int* begin, int* end) {
  *begin = (int)((int64_t)n * member / team_size);
  *end = (int)((int64_t)n * (member + 1) / team_size);
}

static inline uint32_t draw(uint32_t* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}
static inline double draw_unit(uint32_t* seed) { return draw(seed) / 16777216.0; }

// Runs work(member) in `threads` threads; the caller's is member 0.
static inline void run_team(int threads, void* (*work)(void*)) {
  pthread_t others[kMostThreads];
  team_size = threads < 1 ? 1 : threads > kMostThreads ? kMostThreads : threads;
  pthread_barrier_init(&team_barrier, NULL, (unsigned)team_size);
  for (intptr_t i = 1; i < team_size; ++i) pthread_create(&others[i], NULL, work, (void*)i);
  work((void*)0);
  for (int i = 1; i < team_size; ++i) pthread_join(others[i], NULL);
}

static inline int argument(int argc, char** argv, int which, int otherwise) {
  return argc > which ? atoi(argv[which]) : otherwise;
}
