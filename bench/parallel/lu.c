// lu THREADS [N [BLOCK]]: blocked LU factorization without pivoting of an N × N matrix whose blocks each lie in one piece, dealt to threads in two
// dimensions. A block is handed on by a flag that others wait for, in plain memory, as in the paper's program: 4 barriers, no locks, and races.
// -DWITH_BARRIERS synchronizes each step by barriers instead, without races; -DWITHOUT_BARRIER then leaves out the one between the blocks beside the
// diagonal and those behind them.
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "team.h"

static int given_n, given_block;
static double** given_blocks;         // column by column
static volatile int* given_finished;  // of each block: 1 when it is factored

// A member's own copies.
static _Thread_local int me, wide, block, blocks;
static _Thread_local double** a;
static _Thread_local volatile int* finished;

static double* at(int i, int j) { return a[i + j * blocks]; }

static int owner(int i, int j) { return i % (team_size / wide) * wide + j % wide; }

static void hand_on(int i, int j) {
#ifndef WITH_BARRIERS
  atomic_signal_fence(memory_order_seq_cst);
  finished[i + j * blocks] = 1;
#else
  (void)i, (void)j;
#endif
}

static void await(int i, int j) {
#ifndef WITH_BARRIERS
  while (!finished[i + j * blocks]) sched_yield();
  atomic_signal_fence(memory_order_seq_cst);
#else
  (void)i, (void)j;
#endif
}

// Blocks are column by column, too: to += by * from.
static void add(double* to, const double* from, int n, double by) {
  for (int i = 0; i < n; ++i) to[i] += by * from[i];
}

static void factor(double* d) {
  for (int k = 0; k < block; ++k)
    for (int j = k + 1; j < block; ++j) {
      d[k + j * block] /= d[k + k * block];
      add(&d[k + 1 + j * block], &d[k + 1 + k * block], block - k - 1, -d[k + j * block]);
    }
}

static void solve_column(double* c, const double* d) {  // c := c U(d)⁻¹
  for (int k = 0; k < block; ++k)
    for (int j = k + 1; j < block; ++j) add(&c[j * block], &c[k * block], block, -d[k + j * block]);
}

static void solve_row(const double* d, double* r) {  // r := L(d)⁻¹ r
  for (int k = 0; k < block; ++k)
    for (int j = 0; j < block; ++j) {
      r[k + j * block] /= d[k + k * block];
      add(&r[k + 1 + j * block], &d[k + 1 + k * block], block - k - 1, -r[k + j * block]);
    }
}

static void update(double* c, const double* left, const double* right) {
  for (int k = 0; k < block; ++k)
    for (int j = 0; j < block; ++j)
      add(&c[j * block], &left[k * block], block, -right[k + j * block]);
}

static void step_ends(void) {
#ifdef WITH_BARRIERS
  meet();
#endif
}

static void* work(void* member) {
  me = (int)(intptr_t)member, block = given_block, blocks = given_n / block, a = given_blocks,
  finished = given_finished;
  for (wide = 1; wide * wide * 2 <= team_size; wide *= 2) {
  }
  if (team_size % wide != 0) wide = 1;
  touch_team_memory();
  meet();
  meet();
  for (int k = 0; k < blocks; ++k) {
    if (owner(k, k) == me) {
      factor(at(k, k));
      hand_on(k, k);
    }
    step_ends();
    await(k, k);
    for (int i = k + 1; i < blocks; ++i)
      if (owner(i, k) == me) {
        solve_column(at(i, k), at(k, k));
        hand_on(i, k);
      }
    for (int j = k + 1; j < blocks; ++j)
      if (owner(k, j) == me) {
        solve_row(at(k, k), at(k, j));
        hand_on(k, j);
      }
#ifndef WITHOUT_BARRIER
    step_ends();
#endif
    for (int i = k + 1; i < blocks; ++i)
      for (int j = k + 1; j < blocks; ++j)
        if (owner(i, j) == me) {
          await(i, k);
          await(k, j);
          update(at(i, j), at(i, k), at(k, j));
        }
    step_ends();
  }
  meet();
  meet();
  return NULL;
}

int main(int argc, char** argv) {
  given_n = argument(argc, argv, 2, 256), given_block = argument(argc, argv, 3, 16);
  const int across = given_n / given_block;
  const size_t cells = (size_t)given_block * (size_t)given_block;
  given_blocks = team_alloc((size_t)across * (size_t)across * sizeof *given_blocks);
  given_finished = team_alloc((size_t)across * (size_t)across * sizeof *given_finished);
  uint32_t seed = 1;
  for (int j = 0; j < across; ++j)
    for (int i = 0; i < across; ++i) {
      double* cell = given_blocks[i + j * across] = team_alloc(cells * sizeof *cell);
      for (size_t k = 0; k < cells; ++k)
        cell[k] = draw_unit(&seed) + (i == j && k % (size_t)(given_block + 1) == 0 ? given_n : 0);
    }
  run_team(argument(argc, argv, 1, 2), work);
  double sum = 0;
  for (int b = 0; b < across * across; ++b)
    for (size_t k = 0; k < cells; ++k) sum += given_blocks[b][k];
  printf("%.12g\n", sum);
  return 0;
}
