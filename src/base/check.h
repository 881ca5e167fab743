// Invariants that run: VESTIGE_CHECK(condition) ends the process where a condition that the code
// promises does not hold, and says which. It runs in builds with sanitizers and in fuzzers
// (VESTIGE_CHECKS); in a release it is compiled and not executed.
//
// It is for promises of our own code. What comes from outside, bytes or arguments, is answered by a
// Result, whatever it is.
#pragma once

#ifdef VESTIGE_CHECKS

#include <cstdio>
#include <cstdlib>

namespace vestige {

[[noreturn]] inline void invariant_broken(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, condition);
  std::abort();
}

}  // namespace vestige

#define VESTIGE_CHECK(condition) \
  ((condition) ? void() : ::vestige::invariant_broken(#condition, __FILE__, __LINE__))

#else

#define VESTIGE_CHECK(condition) static_cast<void>(sizeof(!(condition)))

#endif
