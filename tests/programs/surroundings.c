// surroundings HOW: things a program may do to the world it runs in.
#include <errno.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tally.h"

NOINLINE static int leaf(int x) {
  CALLED();
  return x + 1;
}

NOINLINE static int work(int rounds) {
  CALLED();
  int sum = 0;
  for (int i = 0; i < rounds; ++i) sum = leaf(sum) % 1000;
  return sum;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int rounds = argc > 2 ? atoi(argv[2]) : 100000;
  if (!strcmp(how, "close")) {
    for (int fd = 3; fd < 1024; ++fd) close(fd);
    // The first descriptor is the program's again, and stays so.
    int mine = open("/dev/null", O_WRONLY);
    work(rounds);
    if (mine != 3 || close(mine) != 0) return 9;
    work(rounds);
  } else if (!strcmp(how, "no_files")) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_NOFILE, &none);
    work(rounds);
  } else if (!strcmp(how, "gone")) {
    char path[4096];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    path[size < 0 ? 0 : size] = '\0';
    if (chdir("/") != 0 || unlink(path) != 0) return 9;
    work(rounds);
    if (argc > 3) *(volatile int*)NULL = rounds;  // HERE gone
  } else if (!strcmp(how, "undumpable")) {
    prctl(PR_SET_DUMPABLE, 0);
    work(rounds);
  } else if (!strcmp(how, "user")) {
    work(rounds);
    if (setgid(65534) != 0 || setuid(65534) != 0) return 9;
    work(rounds);
  } else if (!strcmp(how, "root")) {
    work(rounds);
    if (chroot(argv[3]) != 0) return 9;
    work(rounds);
  } else if (!strcmp(how, "errno")) {
    for (int i = 0; i < rounds; ++i) {
      errno = i;
      leaf(i);
      if (errno != i) return 9;
    }
  } else {
    work(rounds);
  }
  printf("done\n");
  return 0;
}
