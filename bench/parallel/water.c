// water THREADS [MOLECULES [STEPS]]: molecular dynamics of water. Each molecule has three atoms and a charge beside its oxygen; positions and their
// derivatives are predicted and corrected (Gear's method of sixth order); forces within a molecule, and between all pairs of molecules whose charges
// are nearer than a cutoff, added up under a lock of the molecule they act on. Units: Å, ps, atomic mass. 3 barriers at first, 3 in each step.
#include <math.h>
#include <stdio.h>

#include "team.h"

enum { kOxygen, kHydrogen, kOther, kCharge, kAtoms = 3, kSites = 4 };
enum { kForces = 7, kOrders = 8, kChargePairs = 9, kPairs = 14 };

typedef struct {
  double of[kOrders][3]
           [kAtoms];  // position, its scaled derivatives, and the force: by axis and atom
  double charge[3];   // where the negative charge is
  pthread_mutex_t lock;
} Molecule;

static const double kStep = 5e-4, kCoulomb = 138935, kBeside = 0.13, kBond = 0.9572, kAngle = 1.824;
static const double kStretch = 4.5e5, kBend = 3.8e4;

typedef struct {
  double virial, potential, kinetic[3];
  pthread_mutex_t lock;
} Sums;

static int given_molecules, given_steps;
static double given_box;
static Molecule* given;
static Sums* sums;

// A member's own copies: constants, too, are no memory of the team.
static _Thread_local int molecules, first, last;
static _Thread_local double box, cutoff;
static _Thread_local Molecule* m;
static _Thread_local double mass_of[kAtoms] = {15.995, 1.008, 1.008},
                            charge_of[kSites] = {0, 0.52, 0.52, -1.04};
// Gear's, for second derivatives.
static _Thread_local double corrector[kForces] = {3 / 16.0, 251 / 360.0, 1, 11 / 18.0,
                                                  1 / 6.0,  1 / 60.0,    0};
// Pairs of sites of two molecules: of charges first, then those that repel as atoms.
static _Thread_local int left_site[kPairs] = {kCharge,   kCharge, kCharge,   kHydrogen, kHydrogen,
                                              kHydrogen, kOther,  kOther,    kOther,    kOxygen,
                                              kOxygen,   kOxygen, kHydrogen, kOther};
static _Thread_local int right_site[kPairs] = {kCharge,   kHydrogen, kOther,    kCharge, kHydrogen,
                                               kOther,    kCharge,   kHydrogen, kOther,  kOxygen,
                                               kHydrogen, kOther,    kOxygen,   kOxygen};

// e^x for x ≤ 0. In the paper's programs the mathematical library was part of what was traced.
static double exponential(double x) {
  int halvings = 0;
  for (; x < -0.5; x /= 2) ++halvings;
  double sum = 1, term = 1;
  for (int i = 1; i < 14; ++i) {
    term *= x / i;
    sum += term;
  }
  for (; halvings > 0; --halvings) sum *= sum;
  return sum;
}

static void add_to_sum(double* sum, double amount) {
  pthread_mutex_lock(&sums->lock);
  *sum += amount;
  pthread_mutex_unlock(&sums->lock);
}

static void predict(void) {
  for (int i = first; i < last; ++i)
    for (int axis = 0; axis < 3; ++axis)
      for (int atom = 0; atom < kAtoms; ++atom)
        for (int from = kForces - 1; from > 0; --from)
          for (int to = from - 1; to < kForces - 1; ++to)
            m[i].of[to][axis][atom] += m[i].of[to + 1][axis][atom];
}

static void correct(void) {
  for (int i = first; i < last; ++i)
    for (int axis = 0; axis < 3; ++axis)
      for (int atom = 0; atom < kAtoms; ++atom) {
        const double found = m[i].of[kForces][axis][atom] * kStep * kStep / 2 / mass_of[atom],
                     error = found - m[i].of[2][axis][atom];
        for (int order = 0; order < kForces; ++order)
          m[i].of[order][axis][atom] += corrector[order] * error;
      }
}

// Molecules that left the box come in again at its other side.
static void wrap(void) {
  for (int i = first; i < last; ++i)
    for (int axis = 0; axis < 3; ++axis) {
      double by = 0;
      if (m[i].of[0][axis][kOxygen] > box) by = -box;
      if (m[i].of[0][axis][kOxygen] < 0) by = box;
      if (by != 0)
        for (int atom = 0; atom < kAtoms; ++atom) m[i].of[0][axis][atom] += by;
    }
}

// Bonds are springs, and so is the angle between them. Gives the energy, and the forces if there is room for them.
static double within(const Molecule* one, double force[3][kAtoms]) {
  double bond[2][3], length[2] = {0, 0}, dot = 0, energy = 0;
  for (int axis = 0; axis < 3; ++axis) {
    for (int b = 0; b < 2; ++b) {
      bond[b][axis] = one->of[0][axis][kHydrogen + b] - one->of[0][axis][kOxygen];
      length[b] += bond[b][axis] * bond[b][axis];
    }
    dot += bond[0][axis] * bond[1][axis];
  }
  for (int b = 0; b < 2; ++b) length[b] = sqrt(length[b]);
  const double cosine = dot / (length[0] * length[1]), sine = sqrt(1 - cosine * cosine),
               bent = acos(cosine) - kAngle;
  energy = kBend * bent * bent / 2;
  for (int b = 0; b < 2; ++b) {
    const double stretched = length[b] - kBond;
    energy += kStretch * stretched * stretched / 2;
    if (!force) continue;
    for (int axis = 0; axis < 3; ++axis) {
      const double bending =
          kBend * bent / sine *
          (bond[1 - b][axis] / length[1 - b] - cosine * bond[b][axis] / length[b]) / length[b];
      const double pull = bending - kStretch * stretched * bond[b][axis] / length[b];
      force[axis][kHydrogen + b] += pull;
      force[axis][kOxygen] -= pull;
    }
  }
  return energy;
}

static void forces_within(void) {
  double virial = 0;
  for (int i = first; i < last; ++i) {
    double force[3][kAtoms] = {{0}};
    within(&m[i], force);
    for (int axis = 0; axis < 3; ++axis) {
      const double oxygen = m[i].of[0][axis][kOxygen];
      m[i].charge[axis] =
          oxygen + kBeside * (m[i].of[0][axis][kHydrogen] + m[i].of[0][axis][kOther] - 2 * oxygen);
      for (int atom = 0; atom < kAtoms; ++atom) {
        m[i].of[kForces][axis][atom] = force[axis][atom];
        virial += force[axis][atom] * m[i].of[0][axis][atom];
      }
    }
  }
  add_to_sum(&sums->virial, virial);
}

static double site(const Molecule* one, int axis, int which) {
  return which == kCharge ? one->charge[axis] : one->of[0][axis][which];
}

// How far all pairs of sites of two molecules are apart, the nearest images. Gives how many pairs of charges are nearer than the cutoff.
static int apart(const Molecule* left, const Molecule* right, double away[3][kPairs],
                 double square[kPairs]) {
  for (int pair = 0; pair < kPairs; ++pair) square[pair] = 0;
  for (int axis = 0; axis < 3; ++axis) {
    double at_left[kSites], at_right[kSites];
    for (int s = 0; s < kSites; ++s)
      at_left[s] = site(left, axis, s), at_right[s] = site(right, axis, s);
    for (int pair = 0; pair < kPairs; ++pair) {
      double d = at_left[left_site[pair]] - at_right[right_site[pair]];
      if (d > box / 2)
        d -= box;
      else if (d < -box / 2)
        d += box;
      away[axis][pair] = d;
      square[pair] += d * d;
    }
  }
  int near = 0;
  for (int pair = 0; pair < kChargePairs; ++pair)
    if (square[pair] < cutoff * cutoff) ++near;
  return near;
}

// What a pair of sites has as energy, and as force divided by the distance.
static double energy_of(int pair, double square, double* force) {
  const double distance = sqrt(square);
  if (pair < kChargePairs) {
    const double energy = kCoulomb * charge_of[left_site[pair]] * charge_of[right_site[pair]] *
                          (1 / distance + distance / (cutoff * cutoff) - 2 / cutoff);
    *force = kCoulomb * charge_of[left_site[pair]] * charge_of[right_site[pair]] *
             (1 / square - 1 / (cutoff * cutoff)) / distance;
    return energy;
  }
  const double strength = pair == kChargePairs ? 4.6e8 : 6.0e5,
               steep = pair == kChargePairs ? 5.15 : 3.0;
  const double repelled = strength * exponential(-steep * distance);
  *force = steep * repelled / distance;
  return repelled;
}

static void add_force(Molecule* to, double force[3][kAtoms]) {
  pthread_mutex_lock(&to->lock);
  for (int axis = 0; axis < 3; ++axis)
    for (int atom = 0; atom < kAtoms; ++atom) to->of[kForces][axis][atom] += force[axis][atom];
  pthread_mutex_unlock(&to->lock);
}

// A force on the charge acts on the atoms that it lies between.
static void put(double force[3][kAtoms], int axis, int which, double amount) {
  if (which != kCharge) {
    force[axis][which] += amount;
    return;
  }
  force[axis][kOxygen] += (1 - 2 * kBeside) * amount;
  force[axis][kHydrogen] += kBeside * amount;
  force[axis][kOther] += kBeside * amount;
}

// Each pair is met once: a molecule meets the half of all others behind it.
static int others_of(int i) {
  return molecules % 2 == 0 && i >= molecules / 2 ? molecules / 2 - 1 : molecules / 2;
}

static void forces_between(void) {
  double virial = 0;
  for (int i = first; i < last; ++i) {
    double mine[3][kAtoms] = {{0}};
    for (int k = 1; k <= others_of(i); ++k) {
      Molecule* other = &m[(i + k) % molecules];
      double away[3][kPairs], square[kPairs], theirs[3][kAtoms] = {{0}};
      if (apart(&m[i], other, away, square) == 0) continue;
      for (int pair = 0; pair < kPairs; ++pair) {
        if (square[pair] >= cutoff * cutoff) continue;
        double force;
        energy_of(pair, square[pair], &force);
        virial += force * square[pair];
        for (int axis = 0; axis < 3; ++axis) {
          put(mine, axis, left_site[pair], force * away[axis][pair]);
          put(theirs, axis, right_site[pair], -force * away[axis][pair]);
        }
      }
      add_force(other, theirs);
    }
    add_force(&m[i], mine);
  }
  add_to_sum(&sums->virial, virial);
  meet();
}

static void kinetic_energy(void) {
  double mine[3] = {0, 0, 0};
  for (int i = first; i < last; ++i)
    for (int axis = 0; axis < 3; ++axis)
      for (int atom = 0; atom < kAtoms; ++atom) {
        const double speed = m[i].of[1][axis][atom] / kStep;
        mine[axis] += mass_of[atom] * speed * speed / 2;
      }
  pthread_mutex_lock(&sums->lock);
  for (int axis = 0; axis < 3; ++axis) sums->kinetic[axis] += mine[axis];
  pthread_mutex_unlock(&sums->lock);
}

static void potential_energy(void) {
  double mine = 0;
  for (int i = first; i < last; ++i) {
    mine += within(&m[i], NULL);
    for (int k = 1; k <= others_of(i); ++k) {
      double away[3][kPairs], square[kPairs], force;
      if (apart(&m[i], &m[(i + k) % molecules], away, square) == 0) continue;
      for (int pair = 0; pair < kPairs; ++pair)
        if (square[pair] < cutoff * cutoff) mine += energy_of(pair, square[pair], &force);
    }
  }
  add_to_sum(&sums->potential, mine);
}

static void* work(void* member) {
  const int steps = given_steps;
  molecules = given_molecules, box = given_box, m = given, cutoff = 0.45 * box;
  share(molecules, (int)(intptr_t)member, &first, &last);
  touch_team_memory();
  meet();
  forces_within();
  meet();
  forces_between();
  for (int i = first; i < last; ++i)
    for (int axis = 0; axis < 3; ++axis)
      for (int atom = 0; atom < kAtoms; ++atom)
        m[i].of[2][axis][atom] = m[i].of[kForces][axis][atom] * kStep * kStep / 2 / mass_of[atom];
  for (int step = 0; step < steps; ++step) {
    predict();
    forces_within();
    meet();
    forces_between();
    correct();
    wrap();
    kinetic_energy();
    meet();
  }
  potential_energy();
  return NULL;
}

int main(int argc, char** argv) {
  given_molecules = argument(argc, argv, 2, 64), given_steps = argument(argc, argv, 3, 1);
  given = team_alloc((size_t)given_molecules * sizeof *given), sums = team_alloc(sizeof *sums);
  pthread_mutex_init(&sums->lock, NULL);
  int side = 1;
  while (side * side * side < given_molecules) ++side;
  given_box = 3.104 * side;
  const double place[3][kAtoms] = {{0, 0.757, -0.757}, {0, 0.586, 0.586}, {0, 0, 0}};
  uint32_t seed = 1;
  for (int i = 0; i < given_molecules; ++i) {
    pthread_mutex_init(&given[i].lock, NULL);
    const int cell[3] = {i / (side * side), i / side % side, i % side};
    for (int axis = 0; axis < 3; ++axis) {
      const double corner = 3.104 * (cell[axis] + 0.5) + 0.3 * draw_unit(&seed);
      for (int atom = 0; atom < kAtoms; ++atom) {
        given[i].of[0][axis][atom] = corner + place[(axis + i) % 3][atom];
        double speed = -6;  // of twelve numbers: nearly normal
        for (int k = 0; k < 12; ++k) speed += draw_unit(&seed);
        given[i].of[1][axis][atom] = speed * sqrt(249 / mass_of[atom]) * kStep;
      }
    }
  }
  run_team(argument(argc, argv, 1, 2), work);
  printf("%.3e %.3e %.3e\n", sums->potential / given_molecules,
         (sums->kinetic[0] + sums->kinetic[1] + sums->kinetic[2]) / given_molecules /
             (given_steps > 0 ? given_steps : 1),
         sums->virial);
  return !isfinite(sums->potential);
}
