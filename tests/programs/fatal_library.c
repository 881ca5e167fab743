// The library of fatal.c.
#include "tally.h"

NOINLINE static void store(int* where, int n) {
  CALLED();
  for (int i = 0; i < n; ++i) {
    if (i == 3) *where = i;  // HERE library
  }
}

void fault_in_library(int* where) {
  CALLED();
  store(where, 10);
}
