// Small programs with and without races that need another schedule: loops (schedules.py).
//
//     loops list        "racy|free NAME" for each
//     loops NAME        runs one
//
// One thread runs them, so ThreadSanitizer and the recorded order see nothing. Names say the verdict's reason.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 24 };
int a[2 * N + 2], b[2 * N + 2], c[N][N], idx[N];
int x, y, flag;  // all of them may be read elsewhere, for all that the compiler knows
static int kept;
#pragma omp threadprivate(kept)
static omp_lock_t lock;
static volatile int sink;

static int work(int i) { return i * 3 + 1; }
static void put(int* where, int what) { *where = what; }

// ---- dependences between iterations -------------------------------------------------------------------
static void flow_racy(void) {
#pragma omp parallel for
  for (int i = 1; i < N; i++) a[i] = a[i - 1] + 1;
}
static void flow_far_racy(void) {
#pragma omp parallel for
  for (int i = 5; i < N; i++) a[i] = a[i - 5] + work(i);
}
static void flow_apart_free(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) a[i] = a[i + N] + 1;
}
static void anti_racy(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) a[i] = a[i + 1] + 1;
}
static void anti_copy_free(void) {
  int old[N + 1];
  memcpy(old, a, sizeof old);
#pragma omp parallel for
  for (int i = 0; i < N; i++) a[i] = old[i + 1] + 1;
}
static void output_racy(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) a[i / 2] = i;
}
static void output_own_free(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    a[i] = i;
    a[i] += work(i);
  }
}
static void stride_racy(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) a[2 * i] = a[i] + 1;
}
static void odd_even_free(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) a[2 * i] = a[2 * i + 1] + 1;
}
static void stencil_racy(void) {
#pragma omp parallel for
  for (int i = 1; i < N - 1; i++) a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
}
static void stencil_free(void) {
#pragma omp parallel for
  for (int i = 1; i < N - 1; i++) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
}
static void wave_racy(void) {
  for (int i = 1; i < N; i++) {
#pragma omp parallel for
    for (int j = 1; j < N; j++) c[i][j] = c[i][j - 1] + c[i - 1][j];
  }
}
static void rows_free(void) {
  for (int i = 1; i < N; i++) {
#pragma omp parallel for
    for (int j = 1; j < N; j++) c[i][j] = c[i - 1][j] + c[i - 1][j - 1];
  }
}
static void rows_inner_free(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    for (int j = 1; j < N; j++) c[i][j] = c[i][j - 1] + 1;
}
static void columns_racy(void) {
#pragma omp parallel for
  for (int i = 1; i < N; i++)
    for (int j = 0; j < N; j++) c[i][j] = c[i - 1][j] + 1;
}
static void collapse_racy(void) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 6; i++)
    for (int j = 1; j < 6; j++) c[i][j] = c[i][j - 1] + 1;
}
static void collapse_free(void) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) c[i][j] = i + j;
}
static void in_function_racy(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) put(&a[i / 3], i);
}
static void in_function_free(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) put(&a[i], i);
}
static void one_pair_racy(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    if (i == 3 || i == 17) a[7] = i;
}
static void one_only_free(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    if (i == 17) a[7] = i;
}

// ---- subscripts ----------------------------------------------------------------------------------------
static void indirect_racy(void) {
  for (int i = 0; i < N; i++) idx[i] = i * 7 % 11;
#pragma omp parallel for
  for (int i = 0; i < N; i++) a[idx[i]] += i;
}
static void indirect_free(void) {
  for (int i = 0; i < N; i++) idx[i] = i * 7 % N;
#pragma omp parallel for
  for (int i = 0; i < N; i++) a[idx[i]] += i;
}
static void gather_free(void) {
  for (int i = 0; i < N; i++) idx[i] = i * 7 % 11;
#pragma omp parallel for
  for (int i = 0; i < N; i++) b[i] = a[idx[i]];
}
static void list_racy(void) {
  int* last = &a[0];
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    *last = i;
    b[i] = 1;
  }
}

// ---- privatization -------------------------------------------------------------------------------------
static void shared_temporary_racy(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    x = work(i);
    sink = i;
    a[i] = x;
  }
}
static void private_temporary_free(void) {
#pragma omp parallel for private(x)
  for (int i = 0; i < N; i++) {
    x = work(i);
    sink + 1;
    a[i] = x;
  }
}
static void local_temporary_free(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    int mine[4] = {i, 1, 2, 3};
    put(&mine[i % 4], i);
    a[i] = mine[1];
  }
}
static void shared_counter_racy(void) {
  int j;
#pragma omp parallel for shared(j)
  for (int i = 0; i < N; i++)
    for (j = 0; j < 4; j++) sink = c[i][j];
}
static void firstprivate_free(void) {
  int first = 5;
#pragma omp parallel for firstprivate(first)
  for (int i = 0; i < N; i++) {
    a[i] = first;
    first += i;
  }
}
static void lastprivate_free(void) {
  int last = 0;
#pragma omp parallel for lastprivate(last)
  for (int i = 0; i < N; i++) {
    last = i;
    a[i] = last;
  }
  sink = last;
}
static void lastprivate_then_free(void) {
#pragma omp parallel
  {
#pragma omp for lastprivate(x)
    for (int i = 0; i < N; i++) x = i;
#pragma omp single
    sink = x;
  }
}
static void threadprivate_free(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    kept = i;
    a[i] = kept + 1;
  }
}
static void heap_free(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    int* mine = malloc(16);
    mine[0] = i;
    a[i] = mine[0] + work(i);
    free(mine);
  }
}
static void heap_shared_racy(void) {
  int* ours = malloc(16);
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    ours[i % 4] = i;
    a[i] = 2;
  }
  free(ours);
}

// ---- sums ------------------------------------------------------------------------------------------------
static void sum_racy(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) x += a[i];
}
static void sum_reduction_free(void) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < N; i++) sum += a[i];
  x = sum;
}
static void sum_array_free(void) {
  int sums[4] = {0};
#pragma omp parallel for reduction(+ : sums[ : 4])
  for (int i = 0; i < N; i++) sums[i % 4] += i;
  x = sums[2];
}
static void sum_atomic_free(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
#pragma omp atomic
    x += a[i];
  }
}
static void sum_half_atomic_racy(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
#pragma omp atomic
    x += a[i];
    if (i % 5 == 2) sink = x;
  }
}
static void sum_critical_free(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
#pragma omp critical
    x += a[i];
  }
}
static void criticals_racy(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    if (i % 2) {
#pragma omp critical(one)
      x += i;
    } else {
#pragma omp critical(two)
      x += i;
    }
  }
}
static void beside_critical_racy(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    y = i;
#pragma omp critical
    x += i;
  }
}
static void locked_free(void) {
  omp_init_lock(&lock);
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    omp_set_lock(&lock);
    x += i;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
}
static void maximum_racy(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    if (b[i] >= x) x = b[i] + i;
}
static void handed_on_free(void) {
  // What stands in a comes from the iteration that came first, and critical sections say which that was.
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    int seen;
#pragma omp critical
    seen = flag;
    if (seen == i) {
      a[0] = a[0] + 1;
#pragma omp critical
      flag = i + 1;
    }
  }
}

// ---- schedules ------------------------------------------------------------------------------------------
static void chunks_racy(void) {
#pragma omp parallel for schedule(static, 4)
  for (int i = 1; i < N; i++) a[i] = a[i - 1] + 1;
}
static void chunks_inside_free(void) {
#pragma omp parallel for schedule(static, 4)
  for (int i = 0; i < N; i++)
    if (i % 4 != 0) a[i] = a[i - 1] + 1;
}
static void dynamic_racy(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 1; i < N; i++) a[i] = a[i - 1] + 1;
}
static void dynamic_chunks_racy(void) {
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < N - 1; i++) a[i] = a[i + 1] + 1;
}
static void dynamic_inside_free(void) {
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < N; i++)
    if (i % 3 != 2) b[i] = a[i - i % 3] = i;
}
static void guided_racy(void) {
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < N - 1; i++) a[i] = a[i + 1] + 1;
}
static void runtime_racy(void) {
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < N - 1; i++) a[i] = a[i + 1] + 1;
}
static void auto_free(void) {
#pragma omp parallel for schedule(auto)
  for (int i = 0; i < N; i++) a[i] = b[i] + 1;
}
static void ordered_free(void) {
#pragma omp parallel for ordered
  for (int i = 1; i < N; i++) {
    b[i] = work(i);
#pragma omp ordered
    a[i] = a[i - 1] + b[i];
  }
}
static void ordered_outside_racy(void) {
#pragma omp parallel for ordered
  for (int i = 0; i < N - 1; i++) {
#pragma omp ordered
    x += i;
    a[i] = a[i + 1] + 1;
  }
}
static void simd_racy(void) {
#pragma omp parallel for simd
  for (int i = 0; i < N - 2; i++) a[i] = a[i + 2] + 1;
}
static void one_thread_free(void) {
#pragma omp parallel for num_threads(1)
  for (int i = 1; i < N; i++) a[i] = a[i - 1] + 1;
}
static void if_free(void) {
#pragma omp parallel for if (sink < -1)
  for (int i = 1; i < N; i++) a[i] = a[i - 1] + 1;
}
static void by_thread_free(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) a[omp_get_thread_num()] += i;
}

static const struct {
  const char* name;
  void (*run)(void);
  int racy;
} all[] = {
#define RACY(name) {#name, name##_racy, 1}
#define FREE(name) {#name, name##_free, 0}
    RACY(flow),
    RACY(flow_far),
    FREE(flow_apart),
    RACY(anti),
    FREE(anti_copy),
    RACY(output),
    FREE(output_own),
    RACY(stride),
    FREE(odd_even),
    RACY(stencil),
    FREE(stencil),
    RACY(wave),
    FREE(rows),
    FREE(rows_inner),
    RACY(columns),
    RACY(collapse),
    FREE(collapse),
    RACY(in_function),
    FREE(in_function),
    RACY(one_pair),
    FREE(one_only),
    RACY(indirect),
    FREE(indirect),
    FREE(gather),
    RACY(list),
    RACY(shared_temporary),
    FREE(private_temporary),
    FREE(local_temporary),
    RACY(shared_counter),
    FREE(firstprivate),
    FREE(lastprivate),
    FREE(lastprivate_then),
    FREE(threadprivate),
    FREE(heap),
    RACY(heap_shared),
    RACY(sum),
    FREE(sum_reduction),
    FREE(sum_array),
    FREE(sum_atomic),
    RACY(sum_half_atomic),
    FREE(sum_critical),
    RACY(criticals),
    RACY(beside_critical),
    FREE(locked),
    RACY(maximum),
    FREE(handed_on),
    RACY(chunks),
    FREE(chunks_inside),
    RACY(dynamic),
    RACY(dynamic_chunks),
    FREE(dynamic_inside),
    RACY(guided),
    RACY(runtime),
    FREE(auto),
    FREE(ordered),
    RACY(ordered_outside),
    RACY(simd),
    FREE(one_thread),
    FREE(if),
    FREE(by_thread),
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
