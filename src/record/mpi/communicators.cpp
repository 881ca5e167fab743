// Where communicators come from.
#include "telling.h"

using namespace vestige_mpi;

// Runs the real function; what it made is told of from then on.
#define VESTIGE_MAKES(NAME, PARAMETERS, ARGUMENTS, MADE) \
  VESTIGE_MPI MPI_##NAME PARAMETERS {                    \
    const Quiet quiet;                                   \
    const int result = PMPI_##NAME ARGUMENTS;            \
    if (result == MPI_SUCCESS) meet(MADE);               \
    return result;                                       \
  }

VESTIGE_MAKES(Init, (int* argc, char*** argv), (argc, argv), MPI_COMM_WORLD)
VESTIGE_MAKES(Init_thread, (int* argc, char*** argv, int required, int* provided),
              (argc, argv, required, provided), MPI_COMM_WORLD)
VESTIGE_MAKES(Comm_dup, (MPI_Comm from, MPI_Comm* to), (from, to), *to)
VESTIGE_MAKES(Comm_dup_with_info, (MPI_Comm from, MPI_Info info, MPI_Comm* to), (from, info, to),
              *to)
VESTIGE_MAKES(Comm_split, (MPI_Comm from, int color, int order, MPI_Comm* to),
              (from, color, order, to), *to)
VESTIGE_MAKES(Comm_split_type, (MPI_Comm from, int type, int order, MPI_Info info, MPI_Comm* to),
              (from, type, order, info, to), *to)
VESTIGE_MAKES(Comm_create, (MPI_Comm from, MPI_Group group, MPI_Comm* to), (from, group, to), *to)
VESTIGE_MAKES(Comm_create_group, (MPI_Comm from, MPI_Group group, int tag, MPI_Comm* to),
              (from, group, tag, to), *to)
VESTIGE_MAKES(Cart_create,
              (MPI_Comm from, int dimensions, const int sizes[], const int periods[], int reorder,
               MPI_Comm* to),
              (from, dimensions, sizes, periods, reorder, to), *to)
VESTIGE_MAKES(Cart_sub, (MPI_Comm from, const int remain[], MPI_Comm* to), (from, remain, to), *to)
VESTIGE_MAKES(Graph_create,
              (MPI_Comm from, int nodes, const int index[], const int edges[], int reorder,
               MPI_Comm* to),
              (from, nodes, index, edges, reorder, to), *to)
VESTIGE_MAKES(Dist_graph_create,
              (MPI_Comm from, int n, const int sources[], const int degrees[],
               const int destinations[], const int weights[], MPI_Info info, int reorder,
               MPI_Comm* to),
              (from, n, sources, degrees, destinations, weights, info, reorder, to), *to)
VESTIGE_MAKES(Dist_graph_create_adjacent,
              (MPI_Comm from, int in, const int sources[], const int source_weights[], int out,
               const int destinations[], const int destination_weights[], MPI_Info info,
               int reorder, MPI_Comm* to),
              (from, in, sources, source_weights, out, destinations, destination_weights, info,
               reorder, to),
              *to)
VESTIGE_MAKES(Intercomm_merge, (MPI_Comm from, int high, MPI_Comm* to), (from, high, to), *to)

// It can be used once its request is complete; its number is that of the call.
VESTIGE_MPI MPI_Comm_idup(MPI_Comm from, MPI_Comm* to, MPI_Request* request) {
  const Quiet quiet;
  const int result = PMPI_Comm_idup(from, to, request);
  int flag = 0;
  PMPI_Comm_test_inter(from, &flag);
  if (result == MPI_SUCCESS && !flag) {
    Pending pending;
    pending.what = Pending::What::duplicate;
    pending.communicator = from;
    pending.known = announce(from);
    pending.made = to;
    begun(*request, std::move(pending));
  }
  return result;
}

VESTIGE_MPI MPI_Finalize(void) {
  const Quiet quiet;
  return PMPI_Finalize();
}
