// Children that go on recorded, one of which becomes another program.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int count(int n) { return n == 0 ? 0 : 1 + count(n - 1); }

int main(int argc, char** argv) {
  if (argc > 1) return count(atoi(argv[1])) == 9 ? 0 : 1;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      if (i == 2) execl("/proc/self/exe", argv[0], "9", (char*)0);
      _exit(count(10 * i) & 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) return 1;
  }
  return 0;
}
