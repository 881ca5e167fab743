// water THREADS [MOLECULES [STEPS]]: n molecules attract and repel each other; forces are added up under a lock per molecule.
#include <math.h>
#include <stdio.h>

#include "team.h"

typedef struct {
  double at[3], speed[3], force[3];
  pthread_mutex_t lock;
} Molecule;

static int molecules, steps;
static Molecule* m;
static double potential;
static pthread_mutex_t potential_lock;

static void add(Molecule* to, const double* force, double sign) {
  pthread_mutex_lock(&to->lock);
  for (int d = 0; d < 3; ++d) to->force[d] += sign * force[d];
  pthread_mutex_unlock(&to->lock);
}

static double attract(int i, int j, double* force) {
  double away[3], square = 0.05;
  for (int d = 0; d < 3; ++d) {
    away[d] = m[i].at[d] - m[j].at[d];
    square += away[d] * away[d];
  }
  if (square > 4) return 0;
  const double strength = 1 / (square * square) - 1 / square;
  for (int d = 0; d < 3; ++d) force[d] += strength * away[d];
  return strength * square;
}

static void* work(void* member) {
  int first, last;
  share(molecules, (int)(intptr_t)member, &first, &last);
  for (int step = 0; step < steps; ++step) {
    double sum = 0;
    for (int i = first; i < last; ++i)
      for (int k = 1; k <= molecules / 2; ++k) {
        const int j = (i + k) % molecules;
        double force[3] = {0, 0, 0};
        const double energy = attract(i, j, force);
        if (energy == 0) continue;
        sum += energy;
        add(&m[i], force, 1);
        add(&m[j], force, -1);
      }
    pthread_mutex_lock(&potential_lock);
    potential += sum;
    pthread_mutex_unlock(&potential_lock);
    meet();
    for (int i = first; i < last; ++i)
      for (int d = 0; d < 3; ++d) {
        m[i].speed[d] += 1e-4 * m[i].force[d];
        m[i].at[d] += m[i].speed[d];
        m[i].force[d] = 0;
      }
    meet();
  }
  return NULL;
}

int main(int argc, char** argv) {
  molecules = argument(argc, argv, 2, 64);
  steps = argument(argc, argv, 3, 3);
  uint32_t seed = 1;
  m = calloc((size_t)molecules, sizeof *m);
  for (int i = 0; i < molecules; ++i) {
    pthread_mutex_init(&m[i].lock, NULL);
    for (int d = 0; d < 3; ++d) m[i].at[d] = 3 * draw_unit(&seed);
  }
  run_team(argument(argc, argv, 1, 2), work);
  printf("%d\n", isfinite(potential));
  return 0;
}
