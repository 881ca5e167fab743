// Segment graphs and whole functions made at random, with everything a compiler could make and much
// that none would.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "vestige/program.h"

namespace vestige {

// Any graph: cycles, several starts, every kind of end. Segment 0 is the entry; segments that
// branch have at least one edge. Which block each segment lies in is left at 0.
std::vector<Segment> random_segments(std::mt19937& random, uint32_t most);

// A function that decode_function accepts: indices in range, paths cut and numbered.
Function random_function(std::mt19937& random);

// Every field of a function as text, so that two can be compared and their difference read.
std::string dump(const Function& function);

}  // namespace vestige
