// particles THREADS [PARTICLES [STEPS]]: thin gas in a wind tunnel. Particles move through the cells of a grid with a plate in it; who enters a cell may
// collide with who waits there; who leaves the tunnel comes back from a reservoir, in its order, under a lock. What a cell counts and who waits there is
// plain memory that all write, and so are the partners of collisions: races, as in the paper's program. A barrier before the first step, three in each.
#include <stdio.h>

#include "team.h"

enum {
  kWide = 14,
  kHigh = 24,
  kDeep = 7,
  kCells = kWide * kHigh * kDeep,
  kReservoir = 2048,
  kClump = 8,
  kNobody = -1
};
enum { kGas, kPlate };
static const float kSpread = 0.15f, kFlow = 0.06f;  // of speeds, in cells a step

typedef struct {
  float at[3], speed[3], spin[2];  // in cells, and cells a step
  int cell, collisions, stays;
} Particle;
typedef struct {
  int kind, population, waiting;
  float chance, energy, momentum[3];
  int met[4];
} Cell;
typedef struct {
  pthread_mutex_t lock;
  int next;
  long entered, collided, moved;
} Totals;

static int given_particles, given_steps;
static Particle *given_list, *given_reservoir;
static Cell* given_cells;
static Totals* given_totals;

static _Thread_local int me, particles, team;
static _Thread_local uint32_t seed;
static _Thread_local long collided;
static _Thread_local Particle *list, *reservoir;
static _Thread_local Cell* cells;
static _Thread_local Totals* totals;

static int cell_at(const float at[3]) {
  return ((int)at[0] * kHigh + (int)at[1]) * kDeep + (int)at[2];
}

// Off a wall at 0 or at the end of an axis.
static void reflect(Particle* p, int axis, float end) {
  if (p->at[axis] < 0) {
    p->at[axis] = -p->at[axis];
    p->speed[axis] = -p->speed[axis];
  } else if (p->at[axis] >= end) {
    p->at[axis] = 2 * end - p->at[axis];
    if (p->at[axis] >= end) p->at[axis] = end - 1e-3f;
    p->speed[axis] = -p->speed[axis];
  }
}

static void enter(Particle* p) {
  pthread_mutex_lock(&totals->lock);
  const int from = totals->next;
  totals->next = (from + 1) % kReservoir;
  ++totals->entered;
  pthread_mutex_unlock(&totals->lock);
  const Particle* fresh = &reservoir[from];
  p->at[0] = 0.5f * (float)draw_unit(&seed);
  for (int axis = 1; axis < 3; ++axis) p->at[axis] = fresh->at[axis];
  for (int axis = 0; axis < 3; ++axis) p->speed[axis] = fresh->speed[axis];
  for (int s = 0; s < 2; ++s) p->spin[s] = fresh->spin[s];
}

// The five parts of how two particles move against each other, dealt out anew.
static void collide(Particle* a, Particle* b) {
  float mean[3], apart[5];
  for (int axis = 0; axis < 3; ++axis) {
    mean[axis] = (a->speed[axis] + b->speed[axis]) / 2;
    apart[axis] = (a->speed[axis] - b->speed[axis]) / 2;
  }
  for (int s = 0; s < 2; ++s) apart[3 + s] = (a->spin[s] - b->spin[s]) / 2;
  for (int left = 5; left > 1; --left) {
    const int other = (int)(draw(&seed) % (uint32_t)left);
    const float kept = apart[left - 1];
    apart[left - 1] = draw(&seed) & 1 ? apart[other] : -apart[other];
    if (other != left - 1) apart[other] = kept;
  }
  for (int axis = 0; axis < 3; ++axis) {
    a->speed[axis] = mean[axis] + apart[axis];
    b->speed[axis] = mean[axis] - apart[axis];
  }
  for (int s = 0; s < 2; ++s) {
    a->spin[s] = apart[3 + s];
    b->spin[s] = -apart[3 + s];
  }
  ++a->collisions, ++b->collisions;
  ++collided;
}

static void move(int i) {
  Particle* p = &list[i];
  for (int axis = 0; axis < 3; ++axis) p->at[axis] += p->speed[axis];
  if (p->at[0] >= kWide || p->at[0] < 0) enter(p);
  reflect(p, 1, kHigh);
  reflect(p, 2, kDeep);
  Cell* cell = &cells[cell_at(p->at)];
  if (cell->kind == kPlate) {
    p->speed[0] = -p->speed[0];
    p->at[0] += 2 * p->speed[0];
    if (p->at[0] >= kWide || p->at[0] < 0) enter(p);
    cell = &cells[cell_at(p->at)];
  }
  const int index = (int)(cell - cells);
  p->stays = p->cell == index ? p->stays + 1 : 0;
  p->cell = index;
  ++cell->population;
  for (int axis = 0; axis < 3; ++axis) {
    cell->momentum[axis] += p->speed[axis];
    cell->energy += p->speed[axis] * p->speed[axis];
  }
  if ((float)draw_unit(&seed) >= cell->chance) return;
  const int partner = cell->waiting;
  if (partner == kNobody || partner == i) {
    cell->waiting = i;
    return;
  }
  collide(p, &list[partner]);
  cell->waiting = kNobody;
}

// How likely who enters takes part in a collision follows from how full the cell is.
static void count(int first, int last) {
  long moved = 0;
  for (int c = first; c < last; ++c) {
    Cell* cell = &cells[c];
    moved += cell->population;
    cell->chance = (float)cell->population / (float)(cell->population + 20);
    cell->met[0] = cell->population;
    cell->population = 0;
    cell->waiting = kNobody;
    for (int axis = 0; axis < 3; ++axis) cell->momentum[axis] = 0;
    cell->energy = 0;
  }
  pthread_mutex_lock(&totals->lock);
  totals->moved += moved;
  pthread_mutex_unlock(&totals->lock);
}

static void* work(void* member) {
  const int steps = given_steps;
  me = (int)(intptr_t)member, team = team_size, particles = given_particles,
  seed = 7 + (uint32_t)me;
  list = given_list, reservoir = given_reservoir, cells = given_cells, totals = given_totals;
  int first, last, first_kept, last_kept;
  share(kCells, me, &first, &last);
  share(kReservoir / 2, me, &first_kept, &last_kept);
  touch_team_memory();
  meet();
  for (int step = 0; step < steps; ++step) {
    for (int clump = me * kClump; clump < particles; clump += team * kClump)
      for (int i = clump; i < clump + kClump && i < particles; ++i) move(i);
    meet();
    count(first, last);
    meet();
    for (int pair = first_kept; pair < last_kept; ++pair)
      collide(&reservoir[2 * pair], &reservoir[2 * pair + 1]);
    meet();
  }
  pthread_mutex_lock(&totals->lock);
  totals->collided += collided;
  pthread_mutex_unlock(&totals->lock);
  return NULL;
}

static void place(Particle* p, uint32_t* from) {
  const float sizes[3] = {kWide, kHigh, kDeep};
  for (int axis = 0; axis < 3; ++axis) {
    p->at[axis] = (float)draw_unit(from) * sizes[axis];
    p->speed[axis] =
        (float)(draw_unit(from) + draw_unit(from) - 1) * kSpread + (axis == 0 ? kFlow : 0);
  }
  for (int s = 0; s < 2; ++s) p->spin[s] = (float)(draw_unit(from) - 0.5) * kSpread;
}

int main(int argc, char** argv) {
  given_particles = argument(argc, argv, 2, 50000), given_steps = argument(argc, argv, 3, 4);
  given_list = team_alloc((size_t)given_particles * sizeof *given_list);
  given_reservoir = team_alloc(kReservoir * sizeof *given_reservoir);
  given_cells = team_alloc(kCells * sizeof *given_cells);
  given_totals = team_alloc(sizeof *given_totals);
  pthread_mutex_init(&given_totals->lock, NULL);
  for (int c = 0; c < kCells; ++c) {
    const int x = c / kDeep / kHigh, y = c / kDeep % kHigh;
    given_cells[c].kind = x == 5 && y >= 8 && y < 12 ? kPlate : kGas;
    given_cells[c].waiting = kNobody, given_cells[c].chance = 0.5f;
  }
  uint32_t from = 1;
  for (int i = 0; i < given_particles; ++i) {
    do place(&given_list[i], &from);
    while (given_cells[cell_at(given_list[i].at)].kind == kPlate);
    given_list[i].cell = kNobody;
  }
  for (int i = 0; i < kReservoir; ++i) place(&given_reservoir[i], &from);
  run_team(argument(argc, argv, 1, 2), work);
  const int racy =
      given_totals->moved !=
      (long)given_particles * given_steps;  // counts that two threads wrote at once were lost
  fprintf(stderr, "%ld entered, %ld collided, %ld moved%s\n", given_totals->entered,
          given_totals->collided, given_totals->moved, racy ? ", some lost" : "");
  printf("%d\n", given_totals->collided > 0);
  return 0;
}
