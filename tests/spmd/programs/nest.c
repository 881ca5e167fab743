// A block of rows for each rank, and in it one for each thread. Arguments: threads.
#include <mpi.h>
#include <stdlib.h>

double grid[1 << 16];

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int threads = atoi(argv[1]);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int row = 0; row < 12; ++row)
    for (int i = 0; i < 20; ++i) grid[(rank * 12 + row) * 20 + i] += row;
  MPI_Finalize();
  return 0;
}
