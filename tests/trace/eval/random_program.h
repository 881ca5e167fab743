// Programs made at random that always come to an end: loops with phis that exchange values,
// diamonds, switches, calls of every kind.
#pragma once

#include <random>

#include "trace/eval/sketch.h"

namespace vestige::sketch {

// One function of `statements` random operations in a row, on two arguments of each kind.
SketchProgram straight_line(uint32_t statements, std::mt19937_64& random);

// Several functions; each calls only later ones and the outside.
SketchProgram random_program(uint32_t functions, std::mt19937_64& random);

std::vector<uint64_t> random_arguments(const Function& function, std::mt19937_64& random);

}  // namespace vestige::sketch
