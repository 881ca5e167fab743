// again: three processes of one program, which have it at different addresses. Each prints a sum over a table that it changes first.
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>
static int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
int seed = 7;
__attribute__((noinline)) static int sum(int n) {
  int s = seed;
  for (int i = 0; i < n; ++i) s += table[i];
  return s;
}
int main(int argc, char** argv) {
  int left = argc > 1 ? atoi(argv[1]) : 2;
  table[left] += left;
  printf("%d\n", sum(8));
  fflush(stdout);
  if (left == 0) return 0;
  personality(left == 2 ? 0 : ADDR_NO_RANDOMIZE);
  char next[8];
  snprintf(next, sizeof next, "%d", left - 1);
  if (fork() == 0) { execl(argv[0], argv[0], next, (char*)0); _exit(9); }
  int status; wait(&status);
  return status != 0;
}
