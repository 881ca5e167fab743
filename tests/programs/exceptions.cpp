// exceptions [escape|noexcept]: C++ exceptions through recursion, libc, destructors; rethrown;
// escaping.
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include "tally.h"

static int caught_at[64];

extern "C" {
NOINLINE static int leaf(int x) {
  CALLED();
  return x + 1;
}
NOINLINE static void destroyed(int depth) {
  CALLED();
  leaf(depth);
}
NOINLINE static void thrower(int depth) {
  CALLED();
  throw depth;
}
NOINLINE static void on_terminate() {
  CALLED();
  leaf(1);
  std::_Exit(33);
}
}

struct Guard {
  int depth;
  ~Guard() { destroyed(depth); }
};

extern "C" NOINLINE int recurse(int depth, int catcher) {
  CALLED();
  Guard guard{depth};
  try {
    if (depth == 0) thrower(catcher);
    return recurse(depth - 1, catcher) + 1;
  } catch (int wanted) {
    if (wanted != depth) throw;
    ++caught_at[depth];
    leaf(depth);
    return depth;
  }
}

static int comparisons;
static int throwing_compare(const void* a, const void* b) {
  CALLED();
  Guard guard{1};
  if (++comparisons % 4 == 0) throw std::runtime_error("enough");
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

extern "C" NOINLINE int through_qsort() {
  CALLED();
  int numbers[] = {5, 3, 9, 1, 7, 2};
  try {
    std::qsort(numbers, 6, sizeof *numbers, throwing_compare);
  } catch (const std::exception&) {
    return leaf(1);
  }
  return 0;
}

extern "C" NOINLINE int nested_exception(int depth) {
  CALLED();
  try {
    thrower(depth);
  } catch (int) {
    try {
      thrower(depth + 1);
    } catch (int inner) {
      leaf(inner);
    }
    if (depth > 0) return nested_exception(depth - 1);
  }
  return leaf(depth);
}

extern "C" NOINLINE int passed_on() {
  CALLED();
  std::exception_ptr kept;
  try {
    thrower(1);
  } catch (...) {
    kept = std::current_exception();
  }
  try {
    std::rethrow_exception(kept);
  } catch (int x) {
    return leaf(x);
  }
}

extern "C" NOINLINE void no_throw(int depth) noexcept {
  CALLED();
  thrower(depth);
}

int main(int argc, char** argv) {
  std::set_terminate(on_terminate);
  if (argc > 1 && strcmp(argv[1], "escape") == 0) return recurse(5, 99);
  if (argc > 1 && strcmp(argv[1], "noexcept") == 0) no_throw(1);
  int sum = 0;
  for (int depth = 1; depth < 20; ++depth)
    for (int catcher = 0; catcher <= depth; ++catcher) sum += recurse(depth, catcher);
  for (int i = 0; i < 10; ++i) sum += through_qsort();
  sum += nested_exception(5) + passed_on();
  std::printf("%d\n", sum);
  return 0;
}
