#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int steps(unsigned n) {
  int count = 0;
  while (n != 1) {
    if (n % 2)
      n = 3 * n + 1;
    else
      n /= 2;
    ++count;
  }
  return count;
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "exit") == 0) return 42;
  if (argc > 1 && strcmp(argv[1], "kill") == 0) raise(SIGKILL);
  if (argc > 1 && strcmp(argv[1], "abort") == 0) abort();
  unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 6;
  printf("%d\n", steps(n));
  return 0;
}
