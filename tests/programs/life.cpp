// Code before main and after it.
#include "tally.h"

extern "C" {
NOINLINE static int leaf(int x) {
  CALLED();
  return x + 1;
}
static void at_exit() {
  CALLED();
  leaf(1);
}
__attribute__((constructor(200))) static void early() {
  CALLED();
  leaf(1);
}
__attribute__((destructor(200))) static void late() {
  CALLED();
  leaf(1);
}
}

struct Global {
  Global() { leaf(1); }
  ~Global() { leaf(2); }
};
static Global first, second;

int main() {
  CALLED();
  static Global local;
  std::atexit(at_exit);
  leaf(3);
  return 0;
}
