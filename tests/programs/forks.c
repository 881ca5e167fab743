// forks N: processes that fork processes, each of which goes on with its parent's variables.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static unsigned table[64];
__attribute__((noinline)) static unsigned work(unsigned from, unsigned rounds) {
  unsigned x = from;
  for (unsigned i = 0; i < rounds; ++i) {
    table[x % 64] += x;
    x = x * 1103515245u + table[(x >> 8) % 64];
  }
  return x;
}
__attribute__((noinline)) static unsigned child(unsigned depth, unsigned seed) {
  unsigned local[8];
  for (unsigned i = 0; i < 8; ++i) local[i] = seed + i;
  unsigned sum = work(seed, 20);
  if (depth > 0) {
    pid_t pid = fork();
    if (pid == 0) {
      for (unsigned i = 0; i < 8; ++i) local[i] ^= sum;
      unsigned mine = child(depth - 1, sum ^ local[depth]);
      _exit((int)(mine & 63));
    }
    int status;
    waitpid(pid, &status, 0);
    sum += (unsigned)WEXITSTATUS(status);
  }
  for (unsigned i = 0; i < 8; ++i) sum += local[i];
  return sum;
}
int main(int argc, char** argv) {
  unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 3, total = 0;
  for (unsigned i = 0; i < n; ++i) {
    total = total * 7 + child(i % 3 + 1, i * 77 + 5);
    work(total, 10);
  }
  printf("%u\n", total);
  return 0;
}
