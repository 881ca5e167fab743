// Messages of every kind that is recorded. Each rank sends as many as it receives.
#include <mpi.h>
#include <stdio.h>

static int rank, ranks;

static void ring(MPI_Comm in, int tag) {
  int out = rank, got[2], place, size;
  MPI_Request requests[3];
  MPI_Comm_rank(in, &place);
  MPI_Comm_size(in, &size);
  MPI_Irecv(&got[0], 1, MPI_INT, (place + size - 1) % size, tag, in, &requests[0]);
  MPI_Irecv(&got[1], 1, MPI_INT, (place + size - 1) % size, tag, in, &requests[1]);
  MPI_Isend(&out, 1, MPI_INT, (place + 1) % size, tag, in, &requests[2]);
  MPI_Send(&out, 1, MPI_INT, (place + 1) % size, tag, in);
  for (int left = 3; left > 0; --left) {
    int which;
    MPI_Waitany(3, requests, &which, MPI_STATUS_IGNORE);
  }
}

// Everybody to rank 0, which takes them as they come.
static void gather(void) {
  int value = rank;
  if (rank != 0) {
    MPI_Send(&value, 1, MPI_INT, 0, 10 + rank, MPI_COMM_WORLD);
    return;
  }
  for (int i = 1; i < ranks; ++i) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void collect(MPI_Comm in) {
  int value = rank, all[64], sum;
  MPI_Barrier(in);
  MPI_Bcast(&value, 1, MPI_INT, 0, in);
  MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, in);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, in);
  MPI_Allgather(&value, 1, MPI_INT, all, 1, MPI_INT, in);
}

int main(int argc, char** argv) {
  MPI_Comm half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ring(MPI_COMM_WORLD, 1);
  ring(MPI_COMM_WORLD, 2);
  gather();
  collect(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  ring(half, 1);
  collect(half);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
