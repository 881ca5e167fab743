// Kernels over ranks and threads. Arguments: kernel, size, threads. MPI only with -DWITH_MPI: then each
// rank has a part; otherwise there is one rank.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank = 0, ranks = 1;

#ifdef WITH_MPI
#include <mpi.h>
static void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}
static void end(void) { MPI_Finalize(); }
static double sum_of(double x) {
  double sum;
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}
// Gives `count` doubles to the next rank and takes as many from the one before, in a ring.
static void shift(double* out, double* in, int count) {
  MPI_Sendrecv(out, count, MPI_DOUBLE, (rank + 1) % ranks, 1, in, count, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void swap_edges(double* low_edge, double* high_edge, double* below, double* above, int count) {
  MPI_Request requests[4];
  int n = 0;
  if (rank > 0) {
    MPI_Irecv(below, count, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD, &requests[n++]);
    MPI_Isend(low_edge, count, MPI_DOUBLE, rank - 1, 3, MPI_COMM_WORLD, &requests[n++]);
  }
  if (rank + 1 < ranks) {
    MPI_Irecv(above, count, MPI_DOUBLE, rank + 1, 3, MPI_COMM_WORLD, &requests[n++]);
    MPI_Isend(high_edge, count, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD, &requests[n++]);
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}
static void everybody(double* mine, int count, double* all) {
  MPI_Allgather(mine, count, MPI_DOUBLE, all, count, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void transpose(double* out, double* in, int count) {
  MPI_Alltoall(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, MPI_COMM_WORLD);
}
#else
static void begin(int* argc, char*** argv) { (void)argc, (void)argv; }
static void end(void) {}
static double sum_of(double x) { return x; }
static void shift(double* out, double* in, int count) { memcpy(in, out, count * sizeof *in); }
static void swap_edges(double* a, double* b, double* c, double* d, int count) { (void)a, (void)b, (void)c, (void)d, (void)count; }
static void everybody(double* mine, int count, double* all) { memcpy(all, mine, count * sizeof *all); }
static void transpose(double* out, double* in, int count) { memcpy(in, out, count * sizeof *in); }
#endif

static double* doubles(int n) {
  double* x = malloc((n > 0 ? n : 1) * sizeof *x);
  for (int i = 0; i < n; ++i) x[i] = (i + rank) % 17 - 8;
  return x;
}

static double add(int n) {
  double *a = doubles(n), *b = doubles(n), *c = doubles(n), sum = 0;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
  for (int i = 0; i < n; ++i) sum += c[i];
  free(a), free(b), free(c);
  return sum_of(sum);
}

// Rows of A and C stay, B goes round.
static double matmul(int n) {
  double *a = doubles(n * n * ranks), *b = doubles(n * n), *c = calloc(n * n, sizeof *c), *next = doubles(n * n), sum = 0;
  for (int step = 0; step < ranks; ++step) {
    const double* part = a + n * n * ((rank + ranks - step) % ranks);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j) c[i * n + j] += part[i * n + k] * b[k * n + j];
    shift(b, next, n * n);
    double* old = b;
    b = next;
    next = old;
  }
  for (int i = 0; i < n * n; ++i) sum += c[i];
  free(a), free(b), free(c), free(next);
  return sum_of(sum);
}

// Five points, rows of the grid in blocks.
static double stencil(int n) {
  double *now = doubles((n + 2) * n), *next = doubles((n + 2) * n), sum = 0;
  for (int step = 0; step < 4; ++step) {
    swap_edges(now + n, now + n * n, now, now + (n + 1) * n, n);
#pragma omp parallel for schedule(static)
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j < n - 1; ++j)
        next[i * n + j] = 0.2 * (now[i * n + j] + now[i * n + j - 1] + now[i * n + j + 1] + now[(i - 1) * n + j] + now[(i + 1) * n + j]);
    double* old = now;
    now = next;
    next = old;
  }
  for (int i = n; i < (n + 1) * n; ++i) sum += now[i];
  free(now), free(next);
  return sum_of(sum);
}

static void fft_row(double* re, double* im, int n) {
  for (int i = 1, j = 0; i < n; ++i) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      double t = re[i];
      re[i] = re[j], re[j] = t;
      t = im[i], im[i] = im[j], im[j] = t;
    }
  }
  for (int length = 2; length <= n; length *= 2) {
    const double angle = -2 * 3.14159265358979 / length, wr = cos(angle), wi = sin(angle);
    for (int i = 0; i < n; i += length) {
      double cr = 1, ci = 0;
      for (int k = 0; k < length / 2; ++k) {
        const int a = i + k, b = a + length / 2;
        const double xr = re[b] * cr - im[b] * ci, xi = re[b] * ci + im[b] * cr, old = cr;
        re[b] = re[a] - xr, im[b] = im[a] - xi;
        re[a] += xr, im[a] += xi;
        cr = cr * wr - ci * wi, ci = old * wi + ci * wr;
      }
    }
  }
}

// `n` rows of `n` points in each rank (n a power of two), then the parts of all rows go where columns are wanted.
static double fft(int n) {
  double *re = doubles(n * n), *im = doubles(n * n), *other = doubles(n * n), sum = 0;
#pragma omp parallel for schedule(static)
  for (int row = 0; row < n; ++row) fft_row(re + row * n, im + row * n, n);
  transpose(re, other, n * n / ranks);
#pragma omp parallel for schedule(static)
  for (int row = 0; row < n; ++row) fft_row(other + row * n, im + row * n, n);
  for (int i = 0; i < n * n; ++i) sum += other[i] * other[i];
  free(re), free(im), free(other);
  return sum_of(sum) > 0;
}

// A sparse matrix: rows of this rank, columns of all.
struct matrix {
  int rows, *begin, *column;
  double* value;
};

static struct matrix laplacian(int rows, int width, int all) {
  struct matrix m = {rows, malloc((rows + 1) * sizeof(int)), malloc(5 * rows * sizeof(int)), malloc(5 * rows * sizeof(double))};
  int n = 0;
  for (int i = 0; i < rows; ++i) {
    const int here = rank * rows + i, near[4] = {here - width, here - 1, here + 1, here + width};
    m.begin[i] = n;
    m.column[n] = here, m.value[n++] = 4.5;
    for (int k = 0; k < 4; ++k)
      if (near[k] >= 0 && near[k] < all) m.column[n] = near[k], m.value[n++] = -1;
  }
  m.begin[rows] = n;
  return m;
}

static void multiply(const struct matrix* m, const double* x, double* y) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < m->rows; ++i) {
    double sum = 0;
    for (int k = m->begin[i]; k < m->begin[i + 1]; ++k) sum += m->value[k] * x[m->column[k]];
    y[i] = sum;
  }
}

static double dot(const double* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum_of(sum);
}

static double cg(int n) {
  const int rows = n * n, all = rows * ranks;
  struct matrix m = laplacian(rows, n, all);
  double *x = calloc(rows, sizeof *x), *r = doubles(rows), *p = doubles(rows), *q = doubles(rows), *whole = doubles(all);
  double rho = dot(r, r, rows);
  for (int step = 0; step < 12 && rho > 1e-20; ++step) {
    everybody(p, rows, whole);
    multiply(&m, whole, q);
    const double alpha = rho / dot(p, q, rows);
    for (int i = 0; i < rows; ++i) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    const double old = rho;
    rho = dot(r, r, rows);
    for (int i = 0; i < rows; ++i) p[i] = r[i] + rho / old * p[i];
  }
  free(m.begin), free(m.column), free(m.value), free(x), free(r), free(p), free(q), free(whole);
  return rho < 1e9;
}

// Multigrid by aggregation, of a matrix whose rows are spread over ranks as a domain decomposition does it: ranks stand in a
// rectangle, each has a part of a grid. Parts differ in width and height, have two to four neighbours, and coefficients of their own,
// so that what is coarsened into what differs from rank to rank, too. Behind its own points a rank has those of its neighbours' edges.
struct part {
  int x, y, across, down;  // where the rank stands, among how many
  int width, height;       // its own points
  int left, top;           // in the whole grid
};

static int width_at(int n, int x) { return n < 4 ? n : n + x * 5 % 7 - 3; }
static int height_at(int n, int y) { return n < 4 ? n : n + y * 3 % 5 - 2; }

static struct part part_of(int n) {
  struct part p = {0};
  for (int d = 1; d * d <= ranks; ++d)
    if (ranks % d == 0) p.down = d;
  p.across = ranks / p.down;
  p.x = rank % p.across, p.y = rank / p.across;
  p.width = width_at(n, p.x), p.height = height_at(n, p.y);
  for (int x = 0; x < p.x; ++x) p.left += width_at(n, x);
  for (int y = 0; y < p.y; ++y) p.top += height_at(n, y);
  return p;
}

// How strongly two points are coupled: the material changes in blobs, and a little everywhere.
static double coupling(int x, int y, int down) {
  unsigned h = (unsigned)(x * 2 + down) * 2654435761u ^ (unsigned)y * 2246822519u;
  h = (h ^ h >> 15) * 2654435769u;
  const int blob = (x / 5 * 7 + y / 4 * 11) % 3;
  return (blob == 0 ? 1 : blob == 1 ? 0.25 : 4) * (0.75 + (h >> 24) / 512.0);
}

static struct matrix coupled_grid(const struct part* p) {
  const int rows = p->width * p->height;
  struct matrix m = {rows, malloc((rows + 1) * sizeof(int)), malloc(5 * rows * sizeof(int)), malloc(5 * rows * sizeof(double))};
  const int edge[4] = {rows, rows + p->width, rows + p->width + p->height, rows + p->width + 2 * p->height};  // above, left, right, below
  int n = 0;
  for (int i = 0; i < rows; ++i) {
    const int x = i % p->width, y = i / p->width, gx = p->left + x, gy = p->top + y;
    const int near[4] = {y > 0 ? i - p->width : p->y > 0 ? edge[0] + x : -1, x > 0 ? i - 1 : p->x > 0 ? edge[1] + y : -1,
                         x + 1 < p->width ? i + 1 : p->x + 1 < p->across ? edge[2] + y : -1, y + 1 < p->height ? i + p->width : p->y + 1 < p->down ? edge[3] + x : -1};
    const double how[4] = {coupling(gx, gy - 1, 1), coupling(gx - 1, gy, 0), coupling(gx, gy, 0), coupling(gx, gy, 1)};
    m.begin[i] = n;
    m.column[n] = i, m.value[n++] = 0.1 + how[0] + how[1] + how[2] + how[3];
    for (int k = 0; k < 4; ++k)
      if (near[k] >= 0) m.column[n] = near[k], m.value[n++] = -how[k];
  }
  m.begin[rows] = n;
  return m;
}

#ifdef WITH_MPI
static void swap_with(int other, double* out, double* in, int count) {
  MPI_Sendrecv(out, count, MPI_DOUBLE, other, 7, in, count, MPI_DOUBLE, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
#else
static void swap_with(int other, double* out, double* in, int count) { (void)other, memcpy(in, out, count * sizeof *in); }
#endif

// Brings the points of the neighbours' edges behind the rank's own.
static void bring_edges(const struct part* p, double* x, double* out) {
  const int w = p->width, h = p->height, rows = w * h;
  double *above = x + rows, *left = above + w, *right = left + h, *below = right + h;
  if (p->y > 0) swap_with(rank - p->across, x, above, w);
  if (p->y + 1 < p->down) swap_with(rank + p->across, x + (h - 1) * w, below, w);
  if (p->x > 0) {
    for (int y = 0; y < h; ++y) out[y] = x[y * w];
    swap_with(rank - 1, out, left, h);
  }
  if (p->x + 1 < p->across) {
    for (int y = 0; y < h; ++y) out[y] = x[y * w + w - 1];
    swap_with(rank + 1, out, right, h);
  }
}

// Each level's matrix is made of the one above it, by pairs of neighbours that are found by looking (so rows differ in length and
// order). Coarse levels do without the neighbours.
struct level {
  struct matrix m;
  int *coarse, coarse_rows;
  double *x, *b, *r;
};

static struct level make_level(struct matrix m, int edges) {
  struct level l = {m, malloc(m.rows * sizeof(int)), 0, calloc(m.rows + edges, 8), calloc(m.rows, 8), calloc(m.rows, 8)};
  for (int i = 0; i < m.rows; ++i) l.coarse[i] = -1;
  for (int i = 0; i < m.rows; ++i) {
    if (l.coarse[i] >= 0) continue;
    int best = -1;
    double strongest = 0;
    for (int k = m.begin[i]; k < m.begin[i + 1]; ++k) {
      const int j = m.column[k];
      if (j < m.rows && j != i && l.coarse[j] < 0 && m.value[k] < strongest) best = j, strongest = m.value[k];
    }
    l.coarse[i] = l.coarse_rows;
    if (best >= 0) l.coarse[best] = l.coarse_rows;
    ++l.coarse_rows;
  }
  return l;
}

static struct matrix coarsen(const struct level* l) {
  const int rows = l->coarse_rows, n = l->m.begin[l->m.rows];
  struct matrix c = {rows, calloc(rows + 1, sizeof(int)), malloc(n * sizeof(int)), malloc(n * sizeof(double))};
  int *place = malloc(rows * sizeof(int)), used = 0;
  for (int i = 0; i < rows; ++i) place[i] = -1;
  for (int row = 0; row < rows; ++row) {
    const int first = used;
    c.begin[row] = first;
    for (int i = 0; i < l->m.rows; ++i) {
      if (l->coarse[i] != row) continue;
      for (int k = l->m.begin[i]; k < l->m.begin[i + 1]; ++k) {
        if (l->m.column[k] >= l->m.rows) continue;
        const int to = l->coarse[l->m.column[k]];
        if (place[to] < first) place[to] = used, c.column[used] = to, c.value[used++] = 0;
        c.value[place[to]] += l->m.value[k];
      }
    }
  }
  c.begin[rows] = used;
  free(place);
  return c;
}

static void relax(struct level* l, int times) {
  const struct matrix* m = &l->m;
  for (int t = 0; t < times; ++t)
    for (int i = 0; i < m->rows; ++i) {
      double sum = l->b[i], diagonal = 1;
      for (int k = m->begin[i]; k < m->begin[i + 1]; ++k)
        if (m->column[k] == i)
          diagonal = m->value[k];
        else
          sum -= m->value[k] * l->x[m->column[k]];
      l->x[i] = sum / diagonal;
    }
}

static void cycle(struct level* l, int levels) {
  relax(l, levels == 1 ? 8 : 1);
  if (levels == 1) return;
  multiply(&l->m, l->x, l->r);
  memset(l[1].b, 0, l[1].m.rows * sizeof(double));
  memset(l[1].x, 0, l[1].m.rows * sizeof(double));
  for (int i = 0; i < l->m.rows; ++i) l[1].b[l->coarse[i]] += l->b[i] - l->r[i];
  cycle(l + 1, levels - 1);
  for (int i = 0; i < l->m.rows; ++i) l->x[i] += l[1].x[l->coarse[i]];
  relax(l, 1);
}

static double amg(int n) {
  const struct part p = part_of(n);
  const int rows = p.width * p.height;
  struct level l[6];
  int levels = 1;
  l[0] = make_level(coupled_grid(&p), 2 * (p.width + p.height));
  while (levels < 6 && l[levels - 1].coarse_rows > 4) {
    l[levels] = make_level(coarsen(&l[levels - 1]), 0);
    ++levels;
  }
  double* edge = malloc(p.height * sizeof *edge);
  for (int i = 0; i < rows; ++i) l[0].b[i] = (i + rank) % 5;
  double norm = 0;
  for (int step = 0; step < 25; ++step) {
    bring_edges(&p, l[0].x, edge);
    cycle(l, levels);
    norm = dot(l[0].x, l[0].x, rows);
  }
  free(edge);
  for (int i = 0; i < levels; ++i)
    free(l[i].m.begin), free(l[i].m.column), free(l[i].m.value), free(l[i].coarse), free(l[i].x), free(l[i].b), free(l[i].r);
  return norm > 0;
}

// Particles in cells of a line; each step every one is pushed by those in its cell, and moves. Ranks have
// different numbers of them.
static double particles(int n) {
  const int cells = n, count = n * 8 + rank % 3;
  double *at = doubles(count), *speed = doubles(count), sum = 0;
  int *first = malloc((cells + 1) * sizeof(int)), *order = malloc(count * sizeof(int)), *cell = malloc(count * sizeof(int));
  unsigned seed = 12345 + rank;
  for (int i = 0; i < count; ++i) seed = seed * 1103515245 + 12345, at[i] = (seed >> 8) % 1000 / 1000.0 * cells;
  for (int step = 0; step < 6; ++step) {
    for (int c = 0; c <= cells; ++c) first[c] = 0;
    for (int i = 0; i < count; ++i) cell[i] = (int)at[i], ++first[cell[i] + 1];
    for (int c = 0; c < cells; ++c) first[c + 1] += first[c];
    for (int i = 0; i < count; ++i) order[first[cell[i]]++] = i;
    for (int c = cells; c > 0; --c) first[c] = first[c - 1];
    first[0] = 0;
    for (int c = 0; c < cells; ++c)
      for (int a = first[c]; a < first[c + 1]; ++a)
        for (int b = first[c]; b < first[c + 1]; ++b)
          if (a != b) speed[order[a]] += 0.001 * (at[order[a]] > at[order[b]] ? 1 : -1);
    for (int i = 0; i < count; ++i) {
      at[i] += 0.01 * speed[i];
      if (at[i] < 0) at[i] += cells;
      if (at[i] >= cells) at[i] -= cells;
    }
    sum += sum_of(at[0]);
  }
  free(at), free(speed), free(first), free(order), free(cell);
  return sum > 0;
}

// Ranks that do different things: the first hands out work, the others take it.
static double farm(int n) {
#ifdef WITH_MPI
  double sum = 0, part[2];
  if (rank == 0) {
    int given = 0, busy = 0;
    for (int r = 1; r < ranks && given < n; ++r, ++given, ++busy) part[0] = given, MPI_Send(part, 1, MPI_DOUBLE, r, 5, MPI_COMM_WORLD);
    while (busy > 0) {
      MPI_Status status;
      MPI_Recv(part, 2, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      sum += part[1];
      --busy;
      if (given < n) part[0] = given++, ++busy, MPI_Send(part, 1, MPI_DOUBLE, status.MPI_SOURCE, 5, MPI_COMM_WORLD);
    }
    part[0] = -1;
    for (int r = 1; r < ranks; ++r) MPI_Send(part, 1, MPI_DOUBLE, r, 5, MPI_COMM_WORLD);
  } else {
    for (;;) {
      MPI_Recv(part, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (part[0] < 0) break;
      double* x = doubles(50 + (int)part[0]);
      part[1] = 0;
      for (int i = 0; i < 50 + (int)part[0]; ++i) part[1] += x[i] * x[i];
      free(x);
      MPI_Send(part, 2, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD);
    }
  }
  return sum_of(sum);
#else
  return add(n);
#endif
}

#ifdef _OPENMP
#include <omp.h>
#endif

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const char* kernel = argc > 1 ? argv[1] : "add";
  const int n = argc > 2 ? atoi(argv[2]) : 16;
#ifdef _OPENMP
  omp_set_num_threads(argc > 3 ? atoi(argv[3]) : 1);
#endif
  static const struct {
    const char* name;
    double (*run)(int);
  } kernels[] = {{"add", add}, {"matmul", matmul}, {"stencil", stencil}, {"fft", fft}, {"cg", cg}, {"amg", amg}, {"particles", particles}, {"farm", farm}};
  double result = 0;
  int known = 0;
  for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; ++i)
    if (strcmp(kernels[i].name, kernel) == 0) result = kernels[i].run(n), known = 1;
  if (rank == 0) printf("%g\n", result);
  end();
  return !known;
}
