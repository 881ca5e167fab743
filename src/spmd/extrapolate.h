// The form of a configuration that was never run, from those of several that were (formula.h).
//
// Streams of the same context and place are compared over all threads of all configurations.
// Threads whose streams have the same shape must be the first ones, the last ones, or a range
// between, in every configuration in the same way; every number in a shape must be a formula.
// Addresses may have a base that is no formula: blocks lie where the allocator put them. Such bases
// are labels by configuration, or by thread when they lie far apart (stacks), and the new
// configuration gets made-up ones, far apart. Threads that took their shares in another order than
// that of their numbers are put in order first.
//
// What does not follow is refused, never guessed: the result is played to its end before it is
// given.
#pragma once

#include <vector>

#include "spmd/form.h"
#include "vestige/spmd.h"

namespace vestige::spmd {

struct Known {
  const Form* form = nullptr;
  Configuration configuration;
};

struct Extrapolated {
  Form form;
  uint64_t numbers = 0;    // formulas
  uint64_t unchecked = 0;  // of those: no number was left over to check them with
  uint64_t bases = 0;      // made up
};

// ErrorKind::unsupported when something does not follow.
Result<Extrapolated> extrapolate(const std::vector<Known>& known, const Configuration& wanted);

}  // namespace vestige::spmd
