/* heat SIZE STEPS: heat spreading over a plate in fixed-point arithmetic, then the cells sorted by task-parallel
   merge sort and a histogram, all with OpenMP. What it prints does not depend on the number of threads. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 64, BINS = 16 };

static int64_t *cells_of(int size) { return calloc((size_t)size * size, sizeof(int64_t)); }

static void light(int64_t *plate, int size) {
#pragma omp parallel for schedule(static)
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x)
      plate[y * size + x] = x == 0 || y == size - 1 ? 1000000 : (int64_t)((x * 2654435761u ^ y * 40503u) % 1000);
}

/* One step; returns the largest change, and adds the changed cells to *changed. */
static int64_t step(const int64_t *from, int64_t *to, int size, long *changed) {
  int64_t largest = 0;
  long moved = 0;
#pragma omp parallel for schedule(dynamic, 4) reduction(max : largest) reduction(+ : moved)
  for (int y = 1; y < size - 1; ++y) {
    for (int x = 1; x < size - 1; ++x) {
      const int at = y * size + x;
      const int64_t next =
          (4 * from[at] + from[at - 1] + from[at + 1] + from[at - size] + from[at + size]) / 8;
      const int64_t change = next > from[at] ? next - from[at] : from[at] - next;
      if (change > largest) largest = change;
      if (change) ++moved;
      to[at] = next;
    }
  }
  *changed += moved;
  return largest;
}

static int ascending(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static void merge(const int64_t *left, long lefts, const int64_t *right, long rights, int64_t *out) {
  while (lefts && rights) {
    if (*left <= *right) {
      *out++ = *left++;
      --lefts;
    } else {
      *out++ = *right++;
      --rights;
    }
  }
  memcpy(out, lefts ? left : right, (size_t)(lefts + rights) * sizeof *out);
}

static void sort(int64_t *values, long count, int64_t *spare) {
  if (count <= SMALL) {
    qsort(values, (size_t)count, sizeof *values, ascending);
    return;
  }
  const long half = count / 2;
#pragma omp task default(none) firstprivate(values, half, spare)
  sort(values, half, spare);
#pragma omp task default(none) firstprivate(values, half, count, spare)
  sort(values + half, count - half, spare + half);
#pragma omp taskwait
  merge(values, half, values + half, count - half, spare);
  memcpy(values, spare, (size_t)count * sizeof *values);
}

static void histogram(const int64_t *values, long count, long *bins) {
  const int64_t top = values[count - 1] + 1;
#pragma omp parallel
  {
    long mine[BINS] = {0};
#pragma omp for nowait
    for (long i = 0; i < count; ++i) ++mine[values[i] * BINS / top];
#pragma omp critical
    for (int b = 0; b < BINS; ++b) bins[b] += mine[b];
  }
}

int main(int argc, char **argv) {
  const int size = argc > 1 ? atoi(argv[1]) : 64;
  const int steps = argc > 2 ? atoi(argv[2]) : 10;
  if (size < 3 || steps < 1) {
    fprintf(stderr, "usage: heat SIZE STEPS\n");
    return 2;
  }
  const long count = (long)size * size;
  int64_t *now = cells_of(size), *next = cells_of(size);
  light(now, size);
  memcpy(next, now, (size_t)count * sizeof *now);
  long changed = 0;
  int64_t largest = 0;
  for (int i = 0; i < steps; ++i) {
    largest = step(now, next, size, &changed);
    int64_t *const swap = now;
    now = next;
    next = swap;
  }
  int64_t sum = 0, weighted = 0;
#pragma omp parallel sections
  {
#pragma omp section
    for (long i = 0; i < count; ++i) sum += now[i];
#pragma omp section
    for (long i = 0; i < count; ++i) weighted += now[i] * (i % 7);
  }
#pragma omp parallel
#pragma omp single
  sort(now, count, next);
  long bins[BINS] = {0}, checked = 0;
  histogram(now, count, bins);
#pragma omp parallel for
  for (long i = 1; i < count; ++i) {
    if (now[i - 1] <= now[i]) {
#pragma omp atomic
      ++checked;
    }
  }
  printf("last change %lld, cells changed %ld\n", (long long)largest, changed);
  printf("sum %lld, weighted %lld, sorted %s\n", (long long)sum, (long long)weighted,
         checked == count - 1 ? "yes" : "no");
  for (int b = 0; b < BINS; ++b) printf("%ld%c", bins[b], b == BINS - 1 ? '\n' : ' ');
  free(now);
  free(next);
  return 0;
}
