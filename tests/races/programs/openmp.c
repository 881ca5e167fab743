// The same for OpenMP (scenarios.c), with four threads.
#include <omp.h>
#include <stdio.h>
#include <string.h>

static int x, y, z[64], w[64];
static omp_lock_t lock;
static omp_nest_lock_t nest;
enum { N = 64 };

static void for_free(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) z[i] = i;
  for (int i = 0; i < N; i++) x += z[i];
}
static void for_dynamic(void) {
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < N; i++) z[i] = i;
}
static void for_racy(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) x++;
}
static void stencil_racy(void) {
#pragma omp parallel for
  for (int i = 1; i < N; i++) z[i] = z[i - 1] + 1;
}
static void phases(void) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < N; i++) z[i] = i;
#pragma omp for
    for (int i = 0; i < N; i++) w[i] = z[N - 1 - i];
  }
}
static void nowait_racy(void) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < N; i++) z[i] = i;
#pragma omp for
    for (int i = 0; i < N; i++) w[i] = z[N - 1 - i];
  }
}
static void regions(void) {
  for (int k = 0; k < 5; k++) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) z[i] += w[i] + k;
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < N; i++) w[i] += z[i];
    x += z[3];
  }
}
static void barrier_free(void) {
#pragma omp parallel
  {
    z[omp_get_thread_num()] = 1;
#pragma omp barrier
    w[omp_get_thread_num()] = z[(omp_get_thread_num() + 1) % omp_get_num_threads()];
  }
}
static void barrier_missing(void) {
#pragma omp parallel
  {
    z[omp_get_thread_num()] = 1;
    w[omp_get_thread_num()] = z[(omp_get_thread_num() + 1) % omp_get_num_threads()];
  }
}
static void critical_free(void) {
#pragma omp parallel
  for (int i = 0; i < 4; i++) {
#pragma omp critical
    x++;
  }
}
static void critical_names(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() % 2) {
#pragma omp critical(one)
      x++;
    } else {
#pragma omp critical(two)
      x++;
    }
  }
}
static void atomic_free(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
#pragma omp atomic
    x += i;
  }
}
static void atomic_plain(void) {
#pragma omp parallel
  {
#pragma omp atomic
    x++;
    if (omp_get_thread_num() == 1) x = 3;
  }
}
static void reduction_free(void) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < N; i++) sum += i;
  x = sum;
}
static void reduction_many(void) {
  int sum = 0, most = 0;
  double product = 1;
#pragma omp parallel for reduction(+ : sum) reduction(max : most) reduction(* : product)
  for (int i = 0; i < N; i++) { sum += i; if (i > most) most = i; product *= 1.01; }
  x = sum + most + (int)product;
}
static void reduction_array(void) {
  int sums[8] = {0};
#pragma omp parallel for reduction(+ : sums[:8])
  for (int i = 0; i < N; i++) sums[i % 8] += i;
  x = sums[3];
}
static void single_free(void) {
#pragma omp parallel
  {
#pragma omp single
    x = 5;
    z[omp_get_thread_num()] = x;
  }
}
static void single_nowait(void) {
#pragma omp parallel
  {
#pragma omp single nowait
    x = 5;
    z[omp_get_thread_num()] = x;
  }
}
static void copyprivate_free(void) {
  int v = 0;
#pragma omp parallel firstprivate(v)
  {
#pragma omp single copyprivate(v)
    v = 7;
    z[omp_get_thread_num()] = v;
  }
}
static void master_free(void) {
#pragma omp parallel
  {
#pragma omp master
    x = 5;
#pragma omp barrier
    z[omp_get_thread_num()] = x;
  }
}
static void master_racy(void) {
#pragma omp parallel
  {
#pragma omp master
    x = 5;
    z[omp_get_thread_num()] = x;
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
  x += y;
}
static void ordered_free(void) {
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < 16; i++) {
    z[i] = i;
#pragma omp ordered
    x += z[i];
  }
}
static void lock_free(void) {
  omp_init_lock(&lock);
#pragma omp parallel
  for (int i = 0; i < 4; i++) {
    omp_set_lock(&lock);
    x++;
    omp_unset_lock(&lock);
  }
}
static void lock_test(void) {
  omp_init_lock(&lock);
#pragma omp parallel
  {
    while (!omp_test_lock(&lock)) {}
    x++;
    omp_unset_lock(&lock);
  }
}
static void nest_lock(void) {
  omp_init_nest_lock(&nest);
#pragma omp parallel
  {
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    x++;
    omp_unset_nest_lock(&nest);
    x++;
    omp_unset_nest_lock(&nest);
  }
}
static void tasks_free(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 16; i++) {
#pragma omp task firstprivate(i)
      z[i] = i;
    }
#pragma omp taskwait
    for (int i = 0; i < 16; i++) x += z[i];
  }
  x++;
}
static void tasks_late(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 16; i++) {
#pragma omp task firstprivate(i)
    z[i] = i;
  }
  for (int i = 0; i < 16; i++) x += z[i];
}
static void taskgroup_free(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
      for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(i)
        {
#pragma omp task
          w[i] = i;
          z[i] = i;
        }
      }
    }
    for (int i = 0; i < 8; i++) x += z[i] + w[i];
  }
}
static void depend_free(void) {
  int a = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a) shared(a)
    a = x = 1;
#pragma omp task depend(inout : a) shared(a)
    a = ++x;
#pragma omp task depend(in : a) shared(a)
    z[0] = a + x;
#pragma omp task depend(in : a) shared(a)
    z[1] = a + x;
  }
}
static void taskloop_free(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(4)
    for (int i = 0; i < N; i++) z[i] = i;
    x = z[9];
  }
}
static int fib(int n) {
  if (n < 2) return n;
  int a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}
static void fib_free(void) {
#pragma omp parallel
#pragma omp single
  x = fib(7);
}
static void private_free(void) {
  int t;
#pragma omp parallel for private(t)
  for (int i = 0; i < N; i++) { t = i; z[i] = t * t; }
}
static void shared_temp(void) {
  static volatile int t;
#pragma omp parallel for
  for (int i = 0; i < N; i++) { t = i; z[i] = t * t; }
}

static const struct { const char* name; void (*run)(void); int racy; } all[] = {
#define FREE(name) {#name, name, 0}
#define RACY(name) {#name, name, 1}
    FREE(for_free), FREE(for_dynamic), RACY(for_racy), RACY(stencil_racy), FREE(phases), RACY(nowait_racy), FREE(regions),
    FREE(barrier_free), RACY(barrier_missing), FREE(critical_free), RACY(critical_names), FREE(atomic_free), RACY(atomic_plain),
    FREE(reduction_free), FREE(reduction_many), FREE(reduction_array), FREE(single_free), RACY(single_nowait),
    FREE(copyprivate_free), FREE(master_free), RACY(master_racy), FREE(sections_free), FREE(ordered_free), FREE(lock_free),
    FREE(lock_test), FREE(nest_lock), FREE(tasks_free), FREE(tasks_late), FREE(taskgroup_free), FREE(depend_free),
    FREE(taskloop_free), FREE(fib_free), FREE(private_free), RACY(shared_temp),
};

int main(int argc, char** argv) {
  int list = argc < 2 || strcmp(argv[1], "list") == 0;
  omp_set_num_threads(4);
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
    if (list) printf("%s %s\n", all[i].racy ? "racy" : "free", all[i].name);
    else if (strcmp(argv[1], all[i].name) == 0) return all[i].run(), 0;
  }
  return list ? 0 : 2;
}
