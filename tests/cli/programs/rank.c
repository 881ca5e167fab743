// One rank of a run. Arguments: which rank fails, and how: kill (itself), orphan (its recorder), fail (status 5).
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int cells[64];

__attribute__((noinline)) static int work(int rounds) {
  int sum = 0;
  for (int i = 0; i < rounds; ++i) sum += cells[i % 64]++;
  return sum;
}

int main(int argc, char** argv) {
  const char* own = getenv("OMPI_COMM_WORLD_RANK");
  const int rank = own ? atoi(own) : 0;
  work(100 + rank);
  if (argc > 2 && atoi(argv[1]) == rank) {
    if (strcmp(argv[2], "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(argv[2], "orphan") == 0) kill(getppid(), SIGKILL);
    if (strcmp(argv[2], "fail") == 0) return 5;
  }
  if (argc > 2 && strcmp(argv[2], "wait") == 0) usleep(300000);  // as MPI_Init does, for the others
  return work(10) < 0;
}
