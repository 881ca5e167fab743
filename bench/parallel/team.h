// What the parallel programs share: a team of threads, a barrier, memory of the team, numbers from
// a seed.
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { kMostThreads = 64, kPage = 4096 };

static int team_size;
static pthread_barrier_t team_barrier;
static char* team_memory;
static size_t team_memory_used;

static inline void meet(void) { pthread_barrier_wait(&team_barrier); }

// Memory from one region, before the team runs: a simulator's shared_malloc. Filled with 0.
static inline void* team_alloc(size_t bytes) {
  const size_t most = (size_t)1 << 32;
  if (!team_memory)
    team_memory = mmap(NULL, most, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  void* given = team_memory + team_memory_used;
  team_memory_used += (bytes + 63) / 64 * 64;
  if (team_memory == MAP_FAILED || team_memory_used > most) abort();
  return given;
}

// Reads a byte of each page of that memory. When each member has done so, the pages that more than
// one thread touched are those of the region: shared is what was allocated as such, as in the
// paper.
static inline void touch_team_memory(void) {
  for (size_t at = 0; at < team_memory_used; at += kPage) (void)*(volatile char*)(team_memory + at);
}

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
