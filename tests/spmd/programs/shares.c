// A size that is divided among ranks, and within each among threads; neighbours swap edges. Arguments: size, threads.
#include <mpi.h>
#include <stdlib.h>

static double shared[1 << 16];

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int n = atoi(argv[1]), threads = argc > 2 ? atoi(argv[2]) : 1;
  const int begin = n / ranks * rank, end = begin + n / ranks;
  for (int step = 0; step < 3; ++step) {
    // The next rank gets the last one of this part; the ends have one neighbour only.
    if (rank + 1 < ranks) MPI_Send(&shared[end - 1], 1, MPI_DOUBLE, rank + 1, 7, MPI_COMM_WORLD);
    if (rank > 0) MPI_Recv(&shared[begin ? begin - 1 : 0], 1, MPI_DOUBLE, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int each = (end - begin) / threads;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int t = 0; t < threads; ++t)
      for (int i = 0; i < each; ++i) shared[begin + t * each + i] += 0.5;
    double sum = shared[begin], all;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
