// Every kind of communication that is recorded, in an order that does not depend on the schedule. Argument: the part to run.
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;
static atomic_int rings;  // shown late, by code beside which the MPI has threads without any
static MPI_Comm world;

static int next(MPI_Comm in) {
  int place, size;
  MPI_Comm_rank(in, &place);
  MPI_Comm_size(in, &size);
  return (place + 1) % size;
}
static int before(MPI_Comm in) {
  int place, size;
  MPI_Comm_rank(in, &place);
  MPI_Comm_size(in, &size);
  return (place + size - 1) % size;
}

// Two messages to the next one of a ring. The receives are completed last first: the first one has the first message.
static void ring(MPI_Comm in, int tag) {
  int out[2] = {2 * rank, 2 * rank + 1}, got[2];
  atomic_fetch_add(&rings, 1);
  MPI_Request requests[3];
  MPI_Irecv(&got[0], 1, MPI_INT, before(in), tag, in, &requests[0]);
  MPI_Irecv(&got[1], 1, MPI_INT, before(in), tag, in, &requests[1]);
  MPI_Isend(&out[0], 1, MPI_INT, next(in), tag, in, &requests[2]);
  MPI_Send(&out[1], 1, MPI_INT, next(in), tag, in);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
}

// Everybody to rank 0, which takes them as they come; all of them before it may take something else.
static void gather(void) {
  int value = rank;
  if (rank != 0) MPI_Send(&value, 1, MPI_INT, 0, 10 + rank, world);
  for (int i = 1; i < ranks && rank == 0; ++i)
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
  MPI_Barrier(world);
}

// All ways to complete requests.
static void complete(void) {
  enum { kWays = 7 };
  int out = rank, got[2], done, flag, which, list[2];
  MPI_Status statuses[2];
  for (int way = 0; way < kWays; ++way) {
    MPI_Request requests[2];
    for (int i = 0; i < 2; ++i) MPI_Irecv(&got[i], 1, MPI_INT, before(world), 20 + i, world, &requests[i]);
    for (int i = 0; i < 2; ++i) MPI_Send(&out, 1, MPI_INT, next(world), 20 + i, world);
    int left = 2;
    while (left > 0) {
      flag = done = 0;
      if (way > 2) usleep(1000);  // others want to run
      switch (way) {
        case 0:
          MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
          left = 0;
          break;
        case 1:
          MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
          --left;
          break;
        case 2:
          MPI_Waitsome(2, requests, &done, list, statuses);
          left -= done;
          break;
        case 3:
          MPI_Testall(2, requests, &flag, statuses);
          if (flag) left = 0;
          break;
        case 4:
          MPI_Testany(2, requests, &which, &flag, statuses);
          left -= flag;
          break;
        case 5:
          MPI_Testsome(2, requests, &done, list, MPI_STATUSES_IGNORE);
          left -= done;
          break;
        default:
          MPI_Test(&requests[2 - left], &flag, MPI_STATUS_IGNORE);
          left -= flag;
      }
    }
  }
}

static void persistent(void) {
  int out[2] = {rank, -rank}, got[2];
  MPI_Request requests[4];
  MPI_Send_init(&out[0], 1, MPI_INT, next(world), 30, world, &requests[0]);
  MPI_Ssend_init(&out[1], 1, MPI_INT, next(world), 31, world, &requests[1]);
  MPI_Recv_init(&got[0], 1, MPI_INT, before(world), 30, world, &requests[2]);
  MPI_Recv_init(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, 31, world, &requests[3]);
  for (int i = 0; i < 3; ++i) {
    MPI_Start(&requests[2]);
    MPI_Start(&requests[3]);
    MPI_Startall(2, requests);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
}

static void exchange(void) {
  int out = rank, got, flag = 0;
  MPI_Status status;
  MPI_Message message;
  MPI_Request request;
  MPI_Sendrecv(&out, 1, MPI_INT, next(world), 40, &got, 1, MPI_INT, before(world), 40, world, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(&out, 1, MPI_INT, next(world), 41, before(world), 41, world, &status);
  for (int i = 0; i < 3; ++i) MPI_Send(&out, 1, MPI_INT, next(world), 42, world);
  MPI_Probe(MPI_ANY_SOURCE, 42, world, &status);
  MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, 42, world, MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_ANY_SOURCE, 42, world, &message, &status);
  MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  for (; !flag; usleep(1000)) MPI_Improbe(before(world), 42, world, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(&got, 1, MPI_INT, &message, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 43, world);
  MPI_Recv(&got, 1, MPI_INT, MPI_PROC_NULL, 43, world, &status);
}

static void collect(MPI_Comm in) {
  int value = rank, all[64], sum, size, counts[64], places[64];
  MPI_Comm_size(in, &size);
  for (int i = 0; i < size; ++i) counts[i] = 1, places[i] = i;
  MPI_Barrier(in);
  MPI_Bcast(&value, 1, MPI_INT, 0, in);
  MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, in);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, in);
  MPI_Allgatherv(&value, 1, MPI_INT, all, counts, places, MPI_INT, in);
}

static void scan(void) {
  int value = rank, sum;
  MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, world);
  MPI_Exscan(&value, &sum, 1, MPI_INT, MPI_SUM, world);
}

// Begun one after the other, completed together.
static void nonblocking(void) {
  int value = rank, other = rank, sum, all[64], many[64] = {0}, counts[64], places[64];
  MPI_Datatype types[64];
  MPI_Request requests[6];
  for (int i = 0; i < ranks; ++i) counts[i] = 1, places[i] = i * (int)sizeof(int), types[i] = MPI_INT;
  MPI_Ibarrier(world, &requests[0]);
  MPI_Ibcast(&value, 1, MPI_INT, 1, world, &requests[1]);
  MPI_Iallreduce(&other, &sum, 1, MPI_INT, MPI_SUM, world, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  MPI_Igather(&other, 1, MPI_INT, all, 1, MPI_INT, 0, world, &requests[3]);
  MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
  MPI_Alltoallw(many, counts, places, types, all, counts, places, types, world);
  MPI_Reduce_scatter(many, &sum, counts, MPI_INT, MPI_SUM, world);
}

static void communicators(void) {
  MPI_Comm half, twin, later, grid, one;
  MPI_Group all, even;
  MPI_Request request;
  int list[64], n = 0, sizes[1] = {ranks}, periods[1] = {1};
  MPI_Comm_split(world, rank % 2, -rank, &half);
  ring(half, 1);
  collect(half);
  MPI_Comm_dup(world, &twin);
  ring(twin, 1);
  MPI_Comm_idup(world, &later, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  ring(later, 1);
  MPI_Comm_group(world, &all);
  for (int i = 0; i < ranks; i += 2) list[n++] = i;
  MPI_Group_incl(all, n, list, &even);
  MPI_Comm_create(world, even, &one);
  if (one != MPI_COMM_NULL) {
    ring(one, 1);
    MPI_Comm_free(&one);
  }
  MPI_Cart_create(world, 1, sizes, periods, 0, &grid);
  ring(grid, 1);
  MPI_Group_free(&all);
  MPI_Group_free(&even);
  MPI_Comm_free(&half);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&later);
  MPI_Comm_free(&grid);
}

static void windows(void) {
  int *memory, one = 1, got = 0;
  MPI_Win window;
  MPI_Group all, left, right;
  int to = next(world), from = before(world);
  MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory, &window);
  memset(memory, 0, 4 * sizeof(int));
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  MPI_Put(&rank, 1, MPI_INT, to, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Get(&got, 1, MPI_INT, to, 0, 1, MPI_INT, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  // Everybody counts at rank 0.
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  MPI_Get(&got, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
  MPI_Win_flush(0, window);
  ++got;
  MPI_Put(&got, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
  MPI_Win_unlock(0, window);
  MPI_Win_lock(MPI_LOCK_SHARED, to, 0, window);
  MPI_Accumulate(&one, 1, MPI_INT, to, 2, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_unlock(to, window);
  MPI_Win_lock_all(0, window);
  MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 3, MPI_SUM, window);
  MPI_Win_unlock_all(window);
  MPI_Barrier(world);
  if (rank == 0 && (memory[1] != ranks || memory[2] != 1 || memory[3] != ranks)) {
    fprintf(stderr, "one-sided communication went wrong: %d %d %d\n", memory[1], memory[2], memory[3]);
    MPI_Abort(world, 1);
  }
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, 1, &to, &right);
  MPI_Group_incl(all, 1, &from, &left);
  MPI_Win_post(left, 0, window);
  MPI_Win_start(right, 0, window);
  MPI_Put(&rank, 1, MPI_INT, to, 0, 1, MPI_INT, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  MPI_Group_free(&all);
  MPI_Group_free(&left);
  MPI_Group_free(&right);
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &ranks);
  ring(world, 1);
  ring(world, 2);
  gather();
  complete();
  persistent();
  exchange();
  collect(world);
  scan();
  nonblocking();
  communicators();
  windows();
  MPI_Finalize();
  return 0;
}
