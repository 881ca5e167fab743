// particles THREADS [PARTICLES [STEPS]]: particles in a wind tunnel move through cells and collide there; a cell's count is under a lock of its region.
#include <stdio.h>

#include "team.h"

enum { kWide = 48, kHigh = 24, kDeep = 8, kCells = kWide * kHigh * kDeep, kLocks = 64 };

typedef struct {
  double at[3], speed[3];
} Particle;
typedef struct {
  int count;
  double energy;
  int last;  // the particle that was here last
} Cell;

static int particles, steps;
static Particle* list;
static Cell* cells;
static pthread_mutex_t locks[kLocks], total_lock;
static long collisions;

static int cell_of(const Particle* p) {
  return ((int)p->at[0] % kWide * kHigh + (int)p->at[1] % kHigh) * kDeep + (int)p->at[2] % kDeep;
}

static void move(Particle* p) {
  static const double limits[3] = {kWide, kHigh, kDeep};
  for (int d = 0; d < 3; ++d) {
    p->at[d] += p->speed[d];
    if (p->at[d] < 0) p->at[d] = -p->at[d], p->speed[d] = -p->speed[d];
    if (p->at[d] >= limits[d]) {
      if (d == 0)
        p->at[d] -= limits[d];
      else
        p->at[d] = 2 * limits[d] - p->at[d] - 1e-9, p->speed[d] = -p->speed[d];
    }
  }
}

static void* work(void* member) {
  int first, last;
  long mine = 0;
  share(particles, (int)(intptr_t)member, &first, &last);
  for (int step = 0; step < steps; ++step) {
    for (int i = first; i < last; ++i) {
      move(&list[i]);
      Cell* cell = &cells[cell_of(&list[i])];
      cell->count++;
      cell->energy += list[i].speed[0] * list[i].speed[0];
      if (cell->last >= first && cell->last < last && cell->last != i && cell->count % 3 == 0) {
        const double kept = list[i].speed[1];
        list[i].speed[1] = list[cell->last].speed[2];
        list[cell->last].speed[2] = kept;
        ++mine;
      }
      cell->last = i;
    }
    pthread_mutex_lock(&total_lock);
    collisions += mine;
    pthread_mutex_unlock(&total_lock);
    for (int r = (int)(intptr_t)member; r < kLocks; r += team_size) {
      pthread_mutex_lock(&locks[r]);
      for (int c = r; c < kCells; c += kLocks) cells[c].count = 0;
      pthread_mutex_unlock(&locks[r]);
    }
    meet();
  }
  return NULL;
}

int main(int argc, char** argv) {
  particles = argument(argc, argv, 2, 50000);
  steps = argument(argc, argv, 3, 5);
  uint32_t seed = 1;
  list = malloc((size_t)particles * sizeof *list);
  cells = calloc(kCells, sizeof *cells);
  for (int i = 0; i < kLocks; ++i) pthread_mutex_init(&locks[i], NULL);
  pthread_mutex_init(&total_lock, NULL);
  for (int i = 0; i < particles; ++i) {
    list[i].at[0] = draw_unit(&seed) * kWide, list[i].at[1] = draw_unit(&seed) * kHigh, list[i].at[2] = draw_unit(&seed) * kDeep;
    for (int d = 0; d < 3; ++d) list[i].speed[d] = draw_unit(&seed) - 0.3 * (d > 0);
  }
  run_team(argument(argc, argv, 1, 2), work);
  printf("%d\n", collisions > 0);
  return 0;
}
