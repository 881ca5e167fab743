// The same (loops.c) for what is no single loop: sections, single, master, nowait, tasks.
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { N = 24 };
int a[N + 1], b[N + 1];
volatile int x, y;  // what is read stays read at -O2
static volatile int sink;

static int work(int i) { return i * 3 + 1; }

// ---- sections --------------------------------------------------------------------------------------------
static void sections_racy(void) {
#pragma omp parallel sections
  {
#pragma omp section
    x = 1;
#pragma omp section
    sink = x;
  }
}
static void sections_free(void) {
#pragma omp parallel sections
  {
#pragma omp section
    x = 1;
#pragma omp section
    y = 2;
  }
}
static void sections_critical_free(void) {
#pragma omp parallel sections
  {
#pragma omp section
    {
#pragma omp critical
      x++;
    }
#pragma omp section
    {
#pragma omp critical
      x += 2;
    }
  }
}
static void sections_three_racy(void) {
#pragma omp parallel sections
  {
#pragma omp section
    x = 1;
#pragma omp section
    y = 1;
#pragma omp section
    x = 3;
  }
}
static void sections_nowait_racy(void) {
#pragma omp parallel
  {
#pragma omp sections nowait
    {
#pragma omp section
      y = 1;
#pragma omp section
      x = 1;
    }
#pragma omp single
    sink = x;
  }
}
static void sections_then_free(void) {
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      y = 1;
#pragma omp section
      x = 1;
    }
#pragma omp single
    sink = x;
  }
}

// ---- single and master -----------------------------------------------------------------------------------
static void single_nowait_racy(void) {
#pragma omp parallel
  {
#pragma omp single nowait
    x = 5;
    int mine = x;
    sink + mine;
  }
}
static void single_free(void) {
#pragma omp parallel
  {
#pragma omp single
    x = 5;
    int mine = x;
    sink + mine;
  }
}
static void single_before_racy(void) {
#pragma omp parallel
  {
    int mine = x;
#pragma omp single
    x = 5;
    sink + mine;
  }
}
static void singles_nowait_racy(void) {
#pragma omp parallel
  {
#pragma omp single nowait
    x = 5;
#pragma omp single nowait
    x = 6;
  }
}
static void singles_free(void) {
#pragma omp parallel
  {
#pragma omp single
    x = 5;
#pragma omp single nowait
    x = 6;
  }
}
static void copyprivate_free(void) {
  int v = 0;
#pragma omp parallel firstprivate(v)
  {
#pragma omp single copyprivate(v)
    v = 7;
    int mine = v;
    sink + mine;
  }
}
static void master_racy(void) {
#pragma omp parallel
  {
#pragma omp master
    x = 5;
    int mine = x;
    sink + mine;
  }
}
static void master_barrier_free(void) {
#pragma omp parallel
  {
#pragma omp master
    x = 5;
#pragma omp barrier
    int mine = x;
    sink + mine;
  }
}
static void master_twice_free(void) {
#pragma omp parallel
  {
#pragma omp master
    x = 5;
#pragma omp master
    x += 6;
  }
}
static void masked_racy(void) {
#pragma omp parallel
  {
#pragma omp masked
    x = 5;
#pragma omp single nowait
    x = 7;
  }
}
static void master_loop_racy(void) {
#pragma omp parallel
  {
#pragma omp master
    a[7] = 5;
#pragma omp for
    for (int i = 0; i < N; i++) a[i] = i;
  }
}
static void master_first_free(void) {
  // The first iteration of such a loop is the master's.
#pragma omp parallel
  {
#pragma omp master
    a[0] = 5;
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++) a[i] = i;
  }
}

// ---- what every thread does --------------------------------------------------------------------------------
static void team_writes_racy(void) {
#pragma omp parallel
  x = 1;
}
static void team_counts_racy(void) {
#pragma omp parallel
  x++;
}
static void team_counts_free(void) {
#pragma omp parallel
  {
#pragma omp atomic
    x++;
  }
}
static void team_reads_free(void) {
#pragma omp parallel
  {
    int mine = x;
    sink + mine;
  }
}
static void team_own_free(void) {
#pragma omp parallel
  a[omp_get_thread_num()] = 1;
}
static void team_privates_free(void) {
  int mine = 3;
#pragma omp parallel firstprivate(mine)
  {
    mine++;
    sink + mine;
  }
}

// ---- nowait ------------------------------------------------------------------------------------------------
static void nowait_racy(void) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < N; i++) a[i] = i;
#pragma omp for
    for (int i = 0; i < N; i++) b[i] = a[N - 1 - i];
  }
}
static void nowait_same_free(void) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < N; i++) a[i] = i;
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++) b[i] = a[i];
  }
}
static void nowait_dynamic_racy(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < N; i++) a[i] = i;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < N; i++) b[i] = a[i];
  }
}
// The compiler makes copies of memory out of such loops.
static void nowait_copies_racy(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 2) nowait
    for (int i = 0; i < N; i++) b[i] = a[i];
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < N; i++) a[i] = 7;
  }
}
static void nowait_copies_free(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < N / 2; i++) b[i] = a[i];
#pragma omp for schedule(dynamic)
    for (int i = 0; i < N / 2; i++) a[i + N / 2] = 7;
  }
}
static void phases_free(void) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < N; i++) a[i] = i;
#pragma omp for
    for (int i = 0; i < N; i++) b[i] = a[N - 1 - i];
  }
}
static void nowait_single_racy(void) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < N; i++) a[i] = i;
#pragma omp single
    x = a[N / 2];
  }
}
static void nowait_team_racy(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < N; i++) a[i] = i;
    volatile int mine = a[5];
  }
}
static void reduction_nowait_racy(void) {
  x = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : x) nowait
    for (int i = 0; i < N; i++) x += i;
#pragma omp single
    y = x;
  }
}
static void reduction_then_free(void) {
  x = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : x)
    for (int i = 0; i < N; i++) x += i;
#pragma omp single
    y = x;
  }
}

// ---- tasks --------------------------------------------------------------------------------------------------
static void tasks_racy(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1;
#pragma omp task
    x = 2;
  }
}
static void tasks_free(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1;
#pragma omp task
    y = 2;
  }
}
static void task_creator_racy(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1;
    sink = x;
  }
}
static void task_wait_free(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1;
#pragma omp taskwait
    sink = x;
  }
}
static void task_before_free(void) {
#pragma omp parallel
#pragma omp single
  {
    x = 1;
#pragma omp task
    y = x;
  }
}
static void tasks_group_free(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task
      x = 1;
    }
#pragma omp task
    x = 2;
  }
}
static void tasks_critical_free(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp task
    {
#pragma omp critical
      x += i;
    }
  }
}
static void tasks_depend_free(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1;
#pragma omp task depend(in : x)
    y = x;
  }
}
static void task_if_free(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task if (0)
    x = 1;
    sink = x;
  }
}
static void taskloop_racy(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (int i = 1; i < N; i++) a[i] = a[i - 1] + 1;
}
static void taskloop_free(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
  for (int i = 0; i < N; i++) a[i] = work(i);
}
static void taskloop_sum_racy(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
  for (int i = 0; i < N; i++) x += i;
}
static void taskloop_then_free(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop
    for (int i = 0; i < N; i++) a[i] = work(i);
    x = a[3];
  }
}

// ---- Thread-local memory whose address goes where nothing says whose it is ----

struct Counter {
  int* at;
};
static __thread int own;
static __thread int own_table[64];
static int own_private;
#pragma omp threadprivate(own_private)
static __attribute__((noinline)) void count_at(int* at) { ++*at; }
static __attribute__((noinline)) void count_last(int* table) { ++table[63]; }
static __attribute__((noinline)) void count_behind(struct Counter* counter) { ++*counter->at; }
static __attribute__((noinline)) int* where_own(void) { return &own; }
static void own_handed_free(void) {
#pragma omp parallel for
  for (int i = 0; i < 50; i++) count_at(&own);
}
static void own_returned_free(void) {
#pragma omp parallel for
  for (int i = 0; i < 50; i++) ++*where_own();
}
static void own_stored_free(void) {
#pragma omp parallel for
  for (int i = 0; i < 50; i++) {
    struct Counter counter = {&own};
    count_behind(&counter);
  }
}
static void own_private_free(void) {
#pragma omp parallel for
  for (int i = 0; i < 50; i++) count_at(&own_private);
}
static void own_large_free(void) {
#pragma omp parallel for
  for (int i = 0; i < 50; i++) count_last(own_table);
}

static const struct {
  const char* name;
  void (*run)(void);
  int racy;
} all[] = {
#define RACY(name) {#name, name##_racy, 1}
#define FREE(name) {#name, name##_free, 0}
    RACY(sections),       FREE(sections),        FREE(sections_critical),
    RACY(sections_three), RACY(sections_nowait), FREE(sections_then),
    RACY(single_nowait),  FREE(single),          RACY(single_before),
    RACY(singles_nowait), FREE(singles),         FREE(copyprivate),
    RACY(master),         FREE(master_barrier),  FREE(master_twice),
    RACY(masked),         RACY(master_loop),     FREE(master_first),
    RACY(team_writes),    RACY(team_counts),     FREE(team_counts),
    FREE(team_reads),     FREE(team_own),        FREE(team_privates),
    RACY(nowait),         FREE(nowait_same),     RACY(nowait_dynamic),
    FREE(phases),         RACY(nowait_copies),   FREE(nowait_copies),
    RACY(nowait_single),  RACY(nowait_team),     RACY(reduction_nowait),
    FREE(reduction_then), RACY(tasks),           FREE(tasks),
    RACY(task_creator),   FREE(task_wait),       FREE(task_before),
    FREE(tasks_group),    FREE(tasks_critical),  FREE(tasks_depend),
    FREE(task_if),        RACY(taskloop),        FREE(taskloop),
    RACY(taskloop_sum),   FREE(taskloop_then),   FREE(own_handed),
    FREE(own_returned),   FREE(own_stored),      FREE(own_private),
    FREE(own_large),
};

int main(int argc, char** argv) {
  const char* wanted = argc > 1 ? argv[1] : "list";
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
    if (strcmp(wanted, "list") == 0)
      printf("%s %s_%s\n", all[i].racy ? "racy" : "free", all[i].name,
             all[i].racy ? "racy" : "free");
    const size_t stem = strlen(all[i].name);
    if (strncmp(wanted, all[i].name, stem) == 0 &&
        strcmp(wanted + stem, all[i].racy ? "_racy" : "_free") == 0)
      all[i].run();
  }
  return 0;
}
