// Calls that complete requests, whatever began them.
#include "telling.h"

using namespace vestige_mpi;

namespace {

std::vector<int> first(int count) {
  std::vector<int> all;
  for (int i = 0; i < count; ++i) all.push_back(i);
  return all;
}

// Statuses of our own where the caller wants none.
struct Statuses {
  Statuses(MPI_Status* wanted, int count)
      : own(static_cast<size_t>(wanted == MPI_STATUSES_IGNORE ? count + 1 : 0)) {
    use = own.empty() ? wanted : own.data();
  }
  std::vector<MPI_Status> own;
  MPI_Status* use;
};

// `call` calls: the address of a function of MPI would have to be found where there is no MPI.
template <class Call>
int some(const Call& call, int count, MPI_Request requests[], int* done, int indices[],
         MPI_Status statuses[]) {
  const Quiet quiet;
  Completing completing(count, requests);
  const Statuses use(statuses, count);
  const int result = call(use.use);
  if (result == MPI_SUCCESS && *done != MPI_UNDEFINED)
    completing.done(std::vector<int>(indices, indices + *done), use.use);
  return result;
}

}  // namespace

VESTIGE_MPI MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const Quiet quiet;
  Completing completing(1, request);
  const Status use(status);
  const int result = PMPI_Wait(request, use.get());
  if (result == MPI_SUCCESS) completing.done({0}, use.get());
  return result;
}
VESTIGE_MPI MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const Quiet quiet;
  Completing completing(1, request);
  const Status use(status);
  const int result = PMPI_Test(request, flag, use.get());
  if (result == MPI_SUCCESS && *flag) completing.done({0}, use.get());
  return result;
}
VESTIGE_MPI MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  const Quiet quiet;
  Completing completing(count, requests);
  const Statuses use(statuses, count);
  const int result = PMPI_Waitall(count, requests, use.use);
  if (result == MPI_SUCCESS) completing.done(first(count), use.use);
  return result;
}
VESTIGE_MPI MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  const Quiet quiet;
  Completing completing(count, requests);
  const Statuses use(statuses, count);
  const int result = PMPI_Testall(count, requests, flag, use.use);
  if (result == MPI_SUCCESS && *flag) completing.done(first(count), use.use);
  return result;
}
VESTIGE_MPI MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  const Quiet quiet;
  Completing completing(count, requests);
  const Status use(status);
  const int result = PMPI_Waitany(count, requests, index, use.get());
  if (result == MPI_SUCCESS && *index != MPI_UNDEFINED) completing.done({*index}, use.get());
  return result;
}
VESTIGE_MPI MPI_Testany(int count, MPI_Request requests[], int* index, int* flag,
                        MPI_Status* status) {
  const Quiet quiet;
  Completing completing(count, requests);
  const Status use(status);
  const int result = PMPI_Testany(count, requests, index, flag, use.get());
  if (result == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED)
    completing.done({*index}, use.get());
  return result;
}
VESTIGE_MPI MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[],
                         MPI_Status statuses[]) {
  const auto wait = [&](MPI_Status* use) {
    return PMPI_Waitsome(count, requests, done, indices, use);
  };
  return some(wait, count, requests, done, indices, statuses);
}
VESTIGE_MPI MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[],
                         MPI_Status statuses[]) {
  const auto test = [&](MPI_Status* use) {
    return PMPI_Testsome(count, requests, done, indices, use);
  };
  return some(test, count, requests, done, indices, statuses);
}
