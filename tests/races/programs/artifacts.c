// Races that are consequences of others, and races that only look so. `artifacts list` prints each
// scenario with what is expected: the variables whose races are real, and those whose races are artifacts of a
// race on another one. Which value a racing read gets does not matter to any of them.
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))
// One statement stays one, and a copy a copy.
#define AS_WRITTEN __attribute__((noinline, optnone))

static volatile int S, T, A[4], B[4], C[4];
static int wide[16];
static struct pair { int flag, index[40]; } shared;
static volatile int *volatile P = A;
static atomic_int N;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int sink;

static AS_WRITTEN void fill(volatile int *array) {
  for (int i = 0; i < 4; i++) array[i] = 7;
}

// The first thread of most scenarios.
static AS_WRITTEN void *write_all(void *unused) {
  S = 3;
  for (int i = 0; i < 4; i++) A[i] = 7;
  return unused;
}

static AS_WRITTEN int look(int i) { return A[i]; }
static AS_WRITTEN void put(int i) { A[i] = 5; }
static APART int index_of(void) { return S & 3; }
static APART void put_first(void) { A[0] = 4; }
static APART void put_second(void) { A[1] = 4; }
static APART int deep(int n, int i) { return n == 0 ? A[i] : deep(n - 1, i) + 1; }

static void *subscript(void *unused) { sink = A[S & 3]; return unused; }
static void *stored_subscript(void *unused) { A[S & 3] = 1; return unused; }
static void *value_only(void *unused) { A[0] = S; return unused; }
static void *chosen_value(void *unused) { A[0] = S ? 5 : 6; return unused; }
static void *helper_both(void *unused) { sink = look(S & 3); sink = look(2); return unused; }
static void *helper_constant_first(void *unused) { sink = look(2); sink = look(S & 3); return unused; }
static void *helper_racing(void *unused) { sink = look(S & 3); sink = look(S & 1); return unused; }
static void *put_both(void *unused) { put(S & 3); put(1); return unused; }
static AS_WRITTEN void *loop_both(void *unused) {
  for (int i = 0; i < 2; i++) sink = A[i == 0 ? S & 3 : 2];
  return unused;
}
static void *heap(void *unused) {
  volatile int *cell = malloc(sizeof *cell);
  *cell = S & 3;
  sink = A[*cell];
  free((void *)cell);
  return unused;
}
struct node { struct node *next; int value; };
static APART struct node *made(int value) {
  struct node *list = 0;
  for (int i = 0; i < 3; i++) {
    struct node *more = malloc(sizeof *more);
    more->next = list;
    more->value = value;
    list = more;
  }
  return list;
}
static void *list(void *unused) {
  struct node *nodes = made(S & 3);
  sink = A[nodes->next->next->value];
  return unused;
}
static void *heap_clean(void *unused) {
  volatile int *cell = malloc(2 * sizeof *cell);
  cell[0] = S & 3;
  cell[1] = 2;
  sink = A[cell[1]];
  return unused;
}
static void *overwritten(void *unused) {
  volatile int slot = S & 3;
  slot = 2;
  sink = A[slot];
  return unused;
}
static void *branch(void *unused) { if (S) A[0] = 3; return unused; }
static void *early_return(void *unused) {
  if (!S) return unused;
  sink = A[1];
  return unused;
}
static void *branch_calls(void *unused) { if (S) put_first(); return unused; }
static void *behind_branch(void *unused) { if (S) sink = 1; A[0] = 3; return unused; }
static void *many_ways(void *unused) {
  switch (S & 3) {
    case 0: A[0] = 10; break;
    case 1: A[1] = 11; break;
    case 2: A[2] = 12; break;
    default: A[3] = 13; break;
  }
  return unused;
}
static void *bound(void *unused) {
  const int n = S;
  for (int i = 0; i < n && i < 4; i++) A[i] = i;
  return unused;
}
static void *calls_through(void *unused) {
  static void (*const table[])(void) = {put_first, put_second};
  table[S & 1]();
  return unused;
}
static void *returned(void *unused) { sink = A[index_of()]; return unused; }
static void *recursion(void *unused) { sink = deep(5, S & 3); return unused; }
static void *selected(void *unused) { sink = A[S > 1 ? 1 : 2]; return unused; }
static void *pointed(void *unused) { sink = *P; return unused; }
static void *points(void *unused) { P = A + 1; fill(A); return unused; }
static AS_WRITTEN void *copied(void *unused) {
  int local[16];
  memcpy(local, wide, sizeof local);
  sink = A[local[3] & 3];
  return unused;
}
static void *write_wide(void *unused) { wide[3] = 1; fill(A); return unused; }
static void *write_other(void *unused) { wide[7] = 1; fill(A); return unused; }
static AS_WRITTEN void *struct_copied(void *unused) {
  struct pair mine = shared;
  sink = A[mine.index[30] & 3];
  return unused;
}
static void *write_index(void *unused) { shared.index[30] = 1; fill(A); return unused; }
static void *write_flag(void *unused) { shared.flag = 1; fill(A); return unused; }
static void *fill_first(void *unused) { fill(A); S = 1; return unused; }
static void *just_fill(void *unused) { fill(A); return unused; }
static void *just_cause(void *unused) { S = 2; return unused; }
static void *two_causes(void *unused) { sink = A[(S + T) & 3]; return unused; }
static void *write_two(void *unused) { S = 1; T = 1; fill(A); return unused; }
static void *write_second(void *unused) { T = 1; return unused; }
static void *cause_in_helper(void *unused) { put(index_of()); return unused; }
static void *pass_on(void *unused) { T = S; return unused; }
static void *pass_on_if(void *unused) { if (S) T = 1; return unused; }
static void *pass_on_at(void *unused) { B[(S & 3) / 2] = 1; return unused; }  // B[1]
static void *by_second(void *unused) { sink = A[T & 3]; return unused; }
static void *if_second(void *unused) { if (T) A[0] = 3; return unused; }
static void *by_table(void *unused) { sink = A[B[1] & 3]; return unused; }
static void *chain(void *unused) { sink = A[B[S & 3] & 3]; return unused; }
static void *write_chain(void *unused) { S = 1; fill(B); fill(A); return unused; }
static void *third(void *unused) { C[S & 3] = 1; sink = A[1]; return unused; }
static void *write_third(void *unused) { S = 1; fill(C); A[1] = 1; return unused; }
static void *mutual_a(void *unused) { if (S) T = 1; return unused; }
static void *mutual_b(void *unused) { if (T) S = 1; return unused; }
static void *spins(void *unused) {
  for (int i = 0; !S && i < 1000; i++) {}
  sink = A[1];
  return unused;
}
static void *tells(void *unused) { A[1] = 1; S = 1; return unused; }
static void *counts(void *unused) { for (int i = 0; i < 10; i++) S++; T++; return unused; }
static void *by_atomic(void *unused) { sink = A[atomic_load_explicit((atomic_int *)&S, memory_order_relaxed) & 3]; return unused; }
static void *by_exchange(void *unused) { sink = A[atomic_fetch_add_explicit((atomic_int *)&S, 1, memory_order_relaxed) & 3]; return unused; }
static void *by_ticket(void *unused) { A[atomic_fetch_add(&N, 1) & 1] = 1; return unused; }
static void *locked_subscript(void *unused) {
  pthread_mutex_lock(&lock);
  int x = S & 3;
  pthread_mutex_unlock(&lock);
  sink = A[x];
  return unused;
}
static void *locked_write(void *unused) {
  pthread_mutex_lock(&lock);
  S = 1;
  pthread_mutex_unlock(&lock);
  fill(A);
  return unused;
}

static void run(void *(*first)(void *), void *(*second)(void *), void *(*third)(void *)) {
  pthread_t threads[3];
  void *(*const all[3])(void *) = {first, second, third};
  for (int i = 0; i < 3; i++)
    if (all[i]) pthread_create(&threads[i], 0, all[i], 0);
  for (int i = 0; i < 3; i++)
    if (all[i]) pthread_join(threads[i], 0);
}

// What the second thread read is handed on by its join.
static void handed_on(void) {
  pthread_t first, second;
  pthread_create(&first, 0, write_all, 0);
  pthread_create(&second, 0, pass_on, 0);
  pthread_join(second, 0);
  sink = A[T & 3];
  pthread_join(first, 0);
}

static void omp_region(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      S = 1;
      fill(A);
    } else {
      sink = A[S & 3];
    }
  }
}

static void omp_tasks(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    {
      S = 1;
      fill(A);
    }
#pragma omp task
    sink = A[S & 3];
  }
}

static void omp_tasks_apart(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    S = 1;
#pragma omp task
    fill(A);
#pragma omp task
    sink = A[S & 3];
  }
}

static const struct {
  const char *name, *real, *artifacts;
  void (*alone)(void);
  void *(*first)(void *), *(*second)(void *), *(*third)(void *);
} scenarios[] = {
    {"subscript", "S", "A", 0, write_all, subscript, 0},
    {"stored_subscript", "S", "A", 0, write_all, stored_subscript, 0},
    {"value_only", "S,A", "-", 0, write_all, value_only, 0},
    {"chosen_value", "S,A", "-", 0, write_all, chosen_value, 0},
    {"helper_both", "S,A", "-", 0, write_all, helper_both, 0},
    {"helper_constant_first", "S,A", "-", 0, write_all, helper_constant_first, 0},
    {"helper_racing", "S", "A", 0, write_all, helper_racing, 0},
    {"put_both", "S,A", "-", 0, write_all, put_both, 0},
    {"loop_both", "S,A", "-", 0, write_all, loop_both, 0},
    {"heap", "S", "A", 0, write_all, heap, 0},
    {"list", "S", "A", 0, write_all, list, 0},
    {"heap_clean", "S,A", "-", 0, write_all, heap_clean, 0},
    {"overwritten", "S,A", "-", 0, write_all, overwritten, 0},
    {"branch", "S", "A", 0, write_all, branch, 0},
    {"early_return", "S", "A", 0, write_all, early_return, 0},
    {"branch_calls", "S", "A", 0, write_all, branch_calls, 0},
    {"behind_branch", "S,A", "-", 0, write_all, behind_branch, 0},
    {"switch", "S", "A", 0, write_all, many_ways, 0},
    {"bound", "S", "A", 0, write_all, bound, 0},
    {"function_pointer", "S", "A", 0, write_all, calls_through, 0},
    {"returned", "S", "A", 0, write_all, returned, 0},
    {"recursion", "S", "A", 0, write_all, recursion, 0},
    {"selected", "S", "A", 0, write_all, selected, 0},
    {"pointer", "P", "A", 0, points, pointed, 0},
    {"memcpy", "wide", "A", 0, write_wide, copied, 0},
    {"memcpy_other_byte", "wide,A", "-", 0, write_other, copied, 0},
    {"struct_copy", "shared", "A", 0, write_index, struct_copied, 0},
    {"struct_other_member", "shared,A", "-", 0, write_flag, struct_copied, 0},
    {"cause_behind", "S,A", "-", 0, fill_first, subscript, 0},
    {"cause_elsewhere", "S,A", "-", 0, just_fill, just_cause, subscript},
    {"two_causes", "S,T", "A", 0, write_two, two_causes, 0},
    {"two_causes_apart", "S,T", "A", 0, write_all, write_second, two_causes},
    {"cause_in_helper", "S", "A", 0, write_all, cause_in_helper, 0},
    {"both_chosen", "S", "A", 0, just_cause, stored_subscript, subscript},
    {"through_second", "S,T", "A", 0, write_all, pass_on, by_second},
    {"through_branch", "S,T", "A", 0, write_all, pass_on_if, if_second},
    {"through_place", "S,B", "A", 0, write_all, pass_on_at, by_table},
    {"chain", "S", "A,B", 0, write_chain, chain, 0},
    {"behind_artifact", "S,A", "C", 0, write_third, third, 0},
    {"mutual", "S,T", "-", 0, mutual_a, mutual_b, 0},
    {"flag", "S,A", "-", 0, tells, spins, 0},
    {"counters", "S,T", "-", 0, counts, counts, 0},
    {"atomic", "S", "A", 0, write_all, by_atomic, 0},
    {"exchange", "S", "A", 0, write_all, by_exchange, 0},
    {"ticket", "A", "-", 0, by_ticket, by_ticket, just_fill},
    {"ordered_cause", "A", "-", 0, locked_write, locked_subscript, 0},
    {"handed_on", "S", "A", handed_on, 0, 0, 0},
    {"omp_region", "S", "A", omp_region, 0, 0, 0},
    {"omp_tasks", "S", "A", omp_tasks, 0, 0, 0},
    {"omp_tasks_apart", "S,A", "-", omp_tasks_apart, 0, 0, 0},
};

int main(int count, char **words) {
  S = 2;
  T = 2;
  for (int i = 0; i < 4; i++) A[i] = B[i] = C[i] = 1;
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
    if (count == 2 && !strcmp(words[1], "list"))
      printf("%s %s %s\n", scenarios[i].name, scenarios[i].real, scenarios[i].artifacts);
    if (count < 2 || strcmp(words[1], scenarios[i].name)) continue;
    if (scenarios[i].alone)
      scenarios[i].alone();
    else
      run(scenarios[i].first, scenarios[i].second, scenarios[i].third);
  }
  return 0;
}
