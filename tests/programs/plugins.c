// plugins LIBRARY TIMES: loads, calls and unloads a library over and over.
#include <dlfcn.h>

#include "tally.h"

NOINLINE static int leaf(int x) {
  CALLED();
  return x + 1;
}

int main(int argc, char** argv) {
  int sum = 0;
  for (int i = argc > 2 ? atoi(argv[2]) : 1; i > 0; --i) {
    void* library = dlopen(argv[1], RTLD_NOW);
    if (library == NULL) return 9;
    int (*entry)(int) = (int (*)(int))dlsym(library, "plugin_entry");
    sum += entry(i) + leaf(i);
    if (dlclose(library) != 0) return 8;
  }
  printf("%d\n", sum);
  return 0;
}
