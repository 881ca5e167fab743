// Operations of a whole communicator, blocking and not. Each is told by those that give something,
// before it, and by those that get something, when they have it.
#include "telling.h"

using namespace vestige_mpi;

namespace {

using Takes = Collective::Takes;

bool is(MPI_Comm communicator, int root) {
  int rank = -1;
  PMPI_Comm_rank(communicator, &rank);
  return rank == root;
}

uint64_t sum(MPI_Comm communicator, const int* counts, MPI_Datatype type) {
  int size = 0;
  PMPI_Comm_size(communicator, &size);
  uint64_t bytes = 0;
  for (int i = 0; i < size; ++i) bytes += bytes_of(counts[i], type);
  return bytes;
}

Collective everybody(MPI_Comm c, MpiFunction function, uint64_t bytes) {
  return Collective(c, function, true, Takes::from_all, bytes);
}
Collective from_root(MPI_Comm c, MpiFunction function, uint64_t bytes, int root) {
  const bool gives = is(c, root);
  return Collective(c, function, gives, gives ? Takes::nothing : Takes::from_all, bytes, root);
}
Collective to_root(MPI_Comm c, MpiFunction function, uint64_t bytes, int root) {
  const bool takes = is(c, root);
  return Collective(c, function, !takes, takes ? Takes::from_all : Takes::nothing, bytes, root);
}
Collective from_lower(MPI_Comm c, MpiFunction function, uint64_t bytes) {
  return Collective(c, function, true, Takes::from_lower, bytes);
}

}  // namespace

// Both forms of an operation: MPI_NAME and MPI_Iname.
#define VESTIGE_COLLECTIVE(NAME, INAME, PARAMETERS, ARGUMENTS, HOW)        \
  VESTIGE_MPI MPI_##NAME(VESTIGE_LIST PARAMETERS) {                        \
    const Quiet quiet;                                                     \
    const Collective one = HOW;                                            \
    const int result = PMPI_##NAME(VESTIGE_LIST ARGUMENTS);                \
    if (result == MPI_SUCCESS) one.leave();                                \
    return result;                                                         \
  }                                                                        \
  VESTIGE_MPI MPI_##INAME(VESTIGE_LIST PARAMETERS, MPI_Request* request) { \
    const Quiet quiet;                                                     \
    const Collective one = HOW;                                            \
    const int result = PMPI_##INAME(VESTIGE_LIST ARGUMENTS, request);      \
    if (result == MPI_SUCCESS) one.leave_with(*request);                   \
    return result;                                                         \
  }
#define VESTIGE_LIST(...) __VA_ARGS__

VESTIGE_COLLECTIVE(Barrier, Ibarrier, (MPI_Comm c), (c), everybody(c, MpiFunction::barrier, 0))
VESTIGE_COLLECTIVE(Bcast, Ibcast, (void* data, int count, MPI_Datatype type, int root, MPI_Comm c),
                   (data, count, type, root, c),
                   from_root(c, MpiFunction::bcast, bytes_of(count, type), root))
VESTIGE_COLLECTIVE(Reduce, Ireduce,
                   (const void* data, void* into, int count, MPI_Datatype type, MPI_Op op, int root,
                    MPI_Comm c),
                   (data, into, count, type, op, root, c),
                   to_root(c, MpiFunction::reduce, bytes_of(count, type), root))
VESTIGE_COLLECTIVE(Allreduce, Iallreduce,
                   (const void* data, void* into, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm c),
                   (data, into, count, type, op, c),
                   everybody(c, MpiFunction::allreduce, bytes_of(count, type)))
VESTIGE_COLLECTIVE(Gather, Igather,
                   (const void* data, int count, MPI_Datatype type, void* into, int each,
                    MPI_Datatype as, int root, MPI_Comm c),
                   (data, count, type, into, each, as, root, c),
                   to_root(c, MpiFunction::gather,
                           is(c, root) ? bytes_of(each, as) : bytes_of(count, type), root))
VESTIGE_COLLECTIVE(Gatherv, Igatherv,
                   (const void* data, int count, MPI_Datatype type, void* into, const int counts[],
                    const int places[], MPI_Datatype as, int root, MPI_Comm c),
                   (data, count, type, into, counts, places, as, root, c),
                   to_root(c, MpiFunction::gather,
                           is(c, root) ? sum(c, counts, as) : bytes_of(count, type), root))
VESTIGE_COLLECTIVE(Scatter, Iscatter,
                   (const void* data, int count, MPI_Datatype type, void* into, int each,
                    MPI_Datatype as, int root, MPI_Comm c),
                   (data, count, type, into, each, as, root, c),
                   from_root(c, MpiFunction::scatter,
                             is(c, root) ? bytes_of(count, type) : bytes_of(each, as), root))
VESTIGE_COLLECTIVE(Scatterv, Iscatterv,
                   (const void* data, const int counts[], const int places[], MPI_Datatype type,
                    void* into, int count, MPI_Datatype as, int root, MPI_Comm c),
                   (data, counts, places, type, into, count, as, root, c),
                   from_root(c, MpiFunction::scatter,
                             is(c, root) ? sum(c, counts, type) : bytes_of(count, as), root))
VESTIGE_COLLECTIVE(Allgather, Iallgather,
                   (const void* data, int count, MPI_Datatype type, void* into, int each,
                    MPI_Datatype as, MPI_Comm c),
                   (data, count, type, into, each, as, c),
                   everybody(c, MpiFunction::allgather, bytes_of(each, as)))
VESTIGE_COLLECTIVE(Allgatherv, Iallgatherv,
                   (const void* data, int count, MPI_Datatype type, void* into, const int counts[],
                    const int places[], MPI_Datatype as, MPI_Comm c),
                   (data, count, type, into, counts, places, as, c),
                   everybody(c, MpiFunction::allgather, sum(c, counts, as)))
VESTIGE_COLLECTIVE(Alltoall, Ialltoall,
                   (const void* data, int count, MPI_Datatype type, void* into, int each,
                    MPI_Datatype as, MPI_Comm c),
                   (data, count, type, into, each, as, c),
                   everybody(c, MpiFunction::alltoall, bytes_of(each, as)))
VESTIGE_COLLECTIVE(Alltoallv, Ialltoallv,
                   (const void* data, const int counts[], const int places[], MPI_Datatype type,
                    void* into, const int sizes[], const int offsets[], MPI_Datatype as,
                    MPI_Comm c),
                   (data, counts, places, type, into, sizes, offsets, as, c),
                   everybody(c, MpiFunction::alltoall, sum(c, sizes, as)))
VESTIGE_COLLECTIVE(Alltoallw, Ialltoallw,
                   (const void* data, const int counts[], const int places[],
                    const MPI_Datatype types[], void* into, const int sizes[], const int offsets[],
                    const MPI_Datatype as[], MPI_Comm c),
                   (data, counts, places, types, into, sizes, offsets, as, c),
                   everybody(c, MpiFunction::alltoall, 0))
VESTIGE_COLLECTIVE(Reduce_scatter, Ireduce_scatter,
                   (const void* data, void* into, const int counts[], MPI_Datatype type, MPI_Op op,
                    MPI_Comm c),
                   (data, into, counts, type, op, c),
                   everybody(c, MpiFunction::reduce_scatter, sum(c, counts, type)))
VESTIGE_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
                   (const void* data, void* into, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm c),
                   (data, into, count, type, op, c),
                   everybody(c, MpiFunction::reduce_scatter, bytes_of(count, type)))
VESTIGE_COLLECTIVE(Scan, Iscan,
                   (const void* data, void* into, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm c),
                   (data, into, count, type, op, c),
                   from_lower(c, MpiFunction::scan, bytes_of(count, type)))
VESTIGE_COLLECTIVE(Exscan, Iexscan,
                   (const void* data, void* into, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm c),
                   (data, into, count, type, op, c),
                   from_lower(c, MpiFunction::exscan, bytes_of(count, type)))
