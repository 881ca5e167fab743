// Irregular codes over ranks, each with a part of its own: another size, another numbering, other neighbours. Arguments: kernel,
// size, steps. MPI only with -DWITH_MPI: otherwise there is one rank.
//     cells     particles with cell lists, that move and are sorted into cells anew in each step
//     elements  a finite element matrix assembled from a mesh of triangles whose nodes and elements have no order, and conjugate
//               gradients with it
//     grids     geometric multigrid, of grids of another width and height in each rank
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank = 0, ranks = 1;

#ifdef WITH_MPI
#include <mpi.h>
static double sum_of(double x) {
  double sum;
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}
// Gives `count` doubles to the next rank, takes at most `most` from the one before: how many came.
static int shift(const double* out, int count, double* in, int most) {
  MPI_Status status;
  MPI_Sendrecv(out, count, MPI_DOUBLE, (rank + 1) % ranks, 1, in, most, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  return count;
}
#else
static double sum_of(double x) { return x; }
static int shift(const double* out, int count, double* in, int most) {
  if (count > most || ranks != 1) count = most;
  memcpy(in, out, count * sizeof *in);
  return count;
}
#endif

static unsigned seed;
static unsigned next_random(void) {
  seed = seed * 1664525 + 1013904223;
  return seed >> 8;
}
static double next_unit(void) { return next_random() / 16777216.0; }

static void* zeroed(int count, int size) { return calloc(count > 0 ? count : 1, size); }

// Particles in a box of n × n × n cells, which is periodic, and shells of what the rank before has at its upper end. Forces act
// within a cell's width.
static double cells(int n, int steps) {
  const int own = 4 * n * n * n + 7 * (rank % 5), most = own + 8 * n * n;
  double *x = zeroed(most, 24), *v = zeroed(own, 24), *f = zeroed(most, 24), *edge = zeroed(8 * n * n, 24);
  int *head = malloc(n * n * n * sizeof(int)), *next = malloc(most * sizeof(int));
  for (int i = 0; i < 3 * own; ++i) x[i] = next_unit() * n, v[i] = next_unit() - 0.5;
  double energy = 0;
  for (int step = 0; step < steps; ++step) {
    int leaving = 0;
    for (int i = 0; i < own && leaving < 8 * n * n; ++i)
      if (x[3 * i + 2] > n - 0.5) memcpy(edge + 3 * leaving++, x + 3 * i, 24);
    const int all = own + shift(edge, 3 * leaving, x + 3 * own, 3 * (most - own)) / 3;
    for (int c = 0; c < n * n * n; ++c) head[c] = -1;
    for (int i = 0; i < all; ++i) {
      const int c = ((int)x[3 * i + 2] * n + (int)x[3 * i + 1]) * n + (int)x[3 * i];
      next[i] = head[c], head[c] = i;
    }
    memset(f, 0, all * 24);
    for (int cz = 0; cz < n; ++cz)
      for (int cy = 0; cy < n; ++cy)
        for (int cx = 0; cx < n; ++cx)
          for (int near = 13; near < 27; ++near) {
            const int ox = cx + near % 3 - 1, oy = cy + near / 3 % 3 - 1, oz = cz + near / 9 - 1;
            const int other = ((oz + n) % n * n + (oy + n) % n) * n + (ox + n) % n;
            for (int i = head[(cz * n + cy) * n + cx]; i >= 0; i = next[i])
              for (int j = near == 13 ? next[i] : head[other]; j >= 0; j = next[j]) {
                double d[3], r = 0;
                for (int k = 0; k < 3; ++k) {
                  d[k] = x[3 * i + k] - x[3 * j + k];
                  if (d[k] > n / 2) d[k] -= n;
                  if (d[k] < -n / 2) d[k] += n;
                  r += d[k] * d[k];
                }
                if (r >= 1 || r == 0) continue;
                const double push = 0.01 * (1 - sqrt(r));
                for (int k = 0; k < 3; ++k) f[3 * i + k] += push * d[k], f[3 * j + k] -= push * d[k];
              }
          }
    for (int i = 0; i < 3 * own; ++i) {
      v[i] += f[i];
      x[i] += 0.02 * v[i];
      if (x[i] < 0) x[i] += n;
      if (x[i] >= n) x[i] -= n;
    }
    double mine = 0;
    for (int i = 0; i < 3 * own; ++i) mine += v[i] * v[i];
    energy += sum_of(mine);
  }
  free(x), free(v), free(f), free(edge), free(head), free(next);
  return energy > 0;
}

// Puts things in an order of its own, near to where they were, as who cuts a mesh into parts leaves them.
static void shuffle(int* order, int count, int reach) {
  for (int i = 0; i < count; ++i) order[i] = i;
  for (int i = 0; i < count; ++i) {
    const int j = i + next_random() % (reach < count - i ? reach : count - i), old = order[i];
    order[i] = order[j], order[j] = old;
  }
}

struct sparse {
  int rows, *begin, *column;
  double* value;
};

static int by_number(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

// Which nodes share an element, row by row.
static struct sparse pattern(const int* corner, int elements, int nodes) {
  struct sparse m = {nodes, zeroed(nodes + 1, sizeof(int)), 0, 0};
  int *first = zeroed(nodes + 1, sizeof(int)), *of = malloc(3 * elements * sizeof(int)), found[64];
  for (int e = 0; e < 3 * elements; ++e) ++first[corner[e] + 1];
  for (int i = 0; i < nodes; ++i) first[i + 1] += first[i];
  for (int e = 0; e < 3 * elements; ++e) of[first[corner[e]]++] = e / 3;
  for (int i = nodes; i > 0; --i) first[i] = first[i - 1];
  first[0] = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0, n = 0; i < nodes; ++i) {
      int count = 0;
      for (int k = first[i]; k < first[i + 1]; ++k)
        for (int c = 0; c < 3; ++c) {
          const int j = corner[3 * of[k] + c];
          int at = 0;
          while (at < count && found[at] != j) ++at;
          if (at == count && count < 64) found[count++] = j;
        }
      if (pass == 0) {
        m.begin[i + 1] = m.begin[i] + count;
        continue;
      }
      qsort(found, count, sizeof *found, by_number);
      for (int k = 0; k < count; ++k) m.column[n++] = found[k];
    }
    if (pass == 0) m.column = malloc(m.begin[nodes] * sizeof(int)), m.value = zeroed(m.begin[nodes], 8);
  }
  free(first), free(of);
  return m;
}

static void assemble(struct sparse* m, const int* corner, const double* at, int elements) {
  for (int e = 0; e < elements; ++e) {
    const int* c = corner + 3 * e;
    double b[3], d[3];
    for (int i = 0; i < 3; ++i) {
      const int j = c[(i + 1) % 3], k = c[(i + 2) % 3];
      b[i] = at[2 * j + 1] - at[2 * k + 1], d[i] = at[2 * k] - at[2 * j];
    }
    const double area = fabs(b[0] * d[1] - b[1] * d[0]) / 2 + 1e-9;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        int k = m->begin[c[i]];
        while (m->column[k] != c[j]) ++k;
        m->value[k] += (b[i] * b[j] + d[i] * d[j]) / (4 * area) + (i == j ? area : 0);
      }
  }
}

static double dot(const double* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum_of(sum);
}

static double elements(int n, int steps) {
  const int width = n + rank % 3, height = n + rank * 2 % 5, nodes = width * height, count = 2 * (width - 1) * (height - 1);
  int *number = malloc(nodes * sizeof(int)), *order = malloc(count * sizeof(int)), *corner = malloc(3 * count * sizeof(int));
  double *at = malloc(2 * nodes * sizeof(double));
  shuffle(number, nodes, 4 * width);
  shuffle(order, count, 8 * width);
  for (int i = 0; i < nodes; ++i) at[2 * number[i]] = i % width + 0.6 * next_unit(), at[2 * number[i] + 1] = i / width + 0.6 * next_unit();
  for (int e = 0; e < count; ++e) {
    const int quad = e / 2, i = quad / (width - 1) * width + quad % (width - 1);
    const int flip = (unsigned)(quad * 2654435761u + rank) >> 13 & 1;
    const int of[2][2][3] = {{{i, i + 1, i + width}, {i + 1, i + width + 1, i + width}}, {{i, i + 1, i + width + 1}, {i, i + width + 1, i + width}}};
    for (int c = 0; c < 3; ++c) corner[3 * order[e] + c] = number[of[flip][e % 2][c]];
  }
  struct sparse m = pattern(corner, count, nodes);
  double *x = zeroed(nodes, 8), *r = zeroed(nodes, 8), *p = zeroed(nodes, 8), *q = zeroed(nodes, 8), rho = 0;
  for (int step = 0; step < steps; ++step) {
    // The mesh moves a little; the matrix has the same pattern.
    for (int i = 0; i < 2 * nodes; ++i) at[i] *= 1.001;
    memset(m.value, 0, m.begin[nodes] * sizeof(double));
    assemble(&m, corner, at, count);
    for (int i = 0; i < nodes; ++i) r[i] = p[i] = (i + rank) % 7 - 3, x[i] = 0;
    rho = dot(r, r, nodes);
    for (int round = 0; round < 8 && rho > 1e-20; ++round) {
      for (int i = 0; i < nodes; ++i) {
        double sum = 0;
        for (int k = m.begin[i]; k < m.begin[i + 1]; ++k) sum += m.value[k] * p[m.column[k]];
        q[i] = sum;
      }
      const double alpha = rho / dot(p, q, nodes);
      for (int i = 0; i < nodes; ++i) x[i] += alpha * p[i], r[i] -= alpha * q[i];
      const double old = rho;
      rho = dot(r, r, nodes);
      for (int i = 0; i < nodes; ++i) p[i] = r[i] + rho / old * p[i];
    }
  }
  free(number), free(order), free(corner), free(at), free(m.begin), free(m.column), free(m.value), free(x), free(r), free(p), free(q);
  return rho < 1e300;
}

// One level: points with an edge of zeros around.
struct grid {
  int width, height;
  double *u, *f, *r;
};

static void smooth(struct grid* g, int rounds) {
  const int w = g->width + 2;
  for (int round = 0; round < rounds; ++round)
    for (int colour = 0; colour < 2; ++colour)
      for (int y = 1; y <= g->height; ++y)
        for (int x = 1 + (y + colour) % 2; x <= g->width; x += 2) {
          double* u = g->u + y * w + x;
          *u = 0.25 * (u[-1] + u[1] + u[-w] + u[w] + g->f[y * w + x]);
        }
}

static void vee(struct grid* g, int levels) {
  if (levels == 1) {
    smooth(g, 6);
    return;
  }
  smooth(g, 2);
  const int w = g->width + 2, cw = g[1].width + 2;
  for (int y = 1; y <= g->height; ++y)
    for (int x = 1; x <= g->width; ++x) {
      const double* u = g->u + y * w + x;
      g->r[y * w + x] = g->f[y * w + x] - 4 * u[0] + u[-1] + u[1] + u[-w] + u[w];
    }
  memset(g[1].u, 0, cw * (g[1].height + 2) * sizeof(double));
  for (int y = 1; y <= g[1].height; ++y)
    for (int x = 1; x <= g[1].width; ++x) {
      const double* r = g->r + 2 * y * w + 2 * x;
      g[1].f[y * cw + x] = 0.25 * (4 * r[0] + 2 * (r[-1] + r[1] + r[-w] + r[w]) + r[-w - 1] + r[-w + 1] + r[w - 1] + r[w + 1]);
    }
  vee(g + 1, levels - 1);
  for (int y = 1; y <= g->height; ++y)
    for (int x = 1; x <= g->width; ++x) {
      const int cx = x / 2, cy = y / 2;
      const double* c = g[1].u + cy * cw + cx;
      g->u[y * w + x] += 0.25 * (c[0] + c[x % 2] + c[y % 2 * cw] + c[y % 2 * cw + x % 2]);
    }
  smooth(g, 2);
}

static double grids(int n, int steps) {
  struct grid g[8];
  int levels = 0, width = n + rank * 3 % 7, height = n + rank * 5 % 11;
  for (; levels < 8 && width > 2 && height > 2; ++levels, width /= 2, height /= 2) {
    const int points = (width + 3) * (height + 3);
    g[levels] = (struct grid){width, height, zeroed(points, 8), zeroed(points, 8), zeroed(points, 8)};
  }
  for (int i = 0; i < g[0].width * g[0].height; ++i) g[0].f[(i / g[0].width + 1) * (g[0].width + 2) + i % g[0].width + 1] = (i + rank) % 5;
  double sum = 0;
  for (int step = 0; step < steps; ++step) {
    vee(g, levels);
    sum = dot(g[0].u, g[0].u, (g[0].width + 2) * (g[0].height + 2));
  }
  for (int l = 0; l < levels; ++l) free(g[l].u), free(g[l].f), free(g[l].r);
  return sum > 0;
}

int main(int argc, char** argv) {
#ifdef WITH_MPI
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#endif
  static const struct {
    const char* name;
    double (*run)(int, int);
  } kernels[] = {{"cells", cells}, {"elements", elements}, {"grids", grids}};
  const char* kernel = argc > 1 ? argv[1] : "cells";
  const int n = argc > 2 ? atoi(argv[2]) : 4, steps = argc > 3 ? atoi(argv[3]) : 2;
  seed = 12345 + 777 * rank;
  double result = 0;
  int known = 0;
  for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; ++i)
    if (strcmp(kernels[i].name, kernel) == 0) result = kernels[i].run(n, steps), known = 1;
  if (rank == 0) printf("%g\n", result);
#ifdef WITH_MPI
  MPI_Finalize();
#endif
  return !known;
}
