// Messages from one rank to another: blocking, non-blocking, persistent, probed. A send is told
// before it, a receive when it is complete, with the sender and tag that it got (wildcards).
#include "telling.h"

using namespace vestige_mpi;

#define VESTIGE_SENDS(NAME)                                                               \
  VESTIGE_MPI MPI_##NAME(const void* data, int count, MPI_Datatype type, int to, int tag, \
                         MPI_Comm communicator) {                                         \
    const Quiet quiet;                                                                    \
    sends(communicator, to, tag, count, type);                                            \
    return PMPI_##NAME(data, count, type, to, tag, communicator);                         \
  }
#define VESTIGE_BEGINS_TO_SEND(NAME)                                                      \
  VESTIGE_MPI MPI_##NAME(const void* data, int count, MPI_Datatype type, int to, int tag, \
                         MPI_Comm communicator, MPI_Request* request) {                   \
    const Quiet quiet;                                                                    \
    sends(communicator, to, tag, count, type);                                            \
    return PMPI_##NAME(data, count, type, to, tag, communicator, request);                \
  }
#define VESTIGE_WILL_SEND(NAME)                                                            \
  VESTIGE_MPI MPI_##NAME(const void* data, int count, MPI_Datatype type, int to, int tag,  \
                         MPI_Comm communicator, MPI_Request* request) {                    \
    const Quiet quiet;                                                                     \
    const int result = PMPI_##NAME(data, count, type, to, tag, communicator, request);     \
    if (result == MPI_SUCCESS) keep(*request, {true, communicator, to, tag, count, type}); \
    return result;                                                                         \
  }
VESTIGE_SENDS(Send)
VESTIGE_SENDS(Ssend)
VESTIGE_SENDS(Bsend)
VESTIGE_SENDS(Rsend)
VESTIGE_BEGINS_TO_SEND(Isend)
VESTIGE_BEGINS_TO_SEND(Issend)
VESTIGE_BEGINS_TO_SEND(Ibsend)
VESTIGE_BEGINS_TO_SEND(Irsend)
VESTIGE_WILL_SEND(Send_init)
VESTIGE_WILL_SEND(Ssend_init)
VESTIGE_WILL_SEND(Bsend_init)
VESTIGE_WILL_SEND(Rsend_init)

VESTIGE_MPI MPI_Recv_init(void* data, int count, MPI_Datatype type, int from, int tag,
                          MPI_Comm communicator, MPI_Request* request) {
  const Quiet quiet;
  const int result = PMPI_Recv_init(data, count, type, from, tag, communicator, request);
  if (result == MPI_SUCCESS) keep(*request, {false, communicator, from, tag, count, type});
  return result;
}
VESTIGE_MPI MPI_Start(MPI_Request* request) {
  const Quiet quiet;
  start(*request);
  const int result = PMPI_Start(request);
  if (result == MPI_SUCCESS) started(*request);
  return result;
}
VESTIGE_MPI MPI_Startall(int count, MPI_Request requests[]) {
  const Quiet quiet;
  for (int i = 0; i < count; ++i) start(requests[i]);
  const int result = PMPI_Startall(count, requests);
  for (int i = 0; i < count && result == MPI_SUCCESS; ++i) started(requests[i]);
  return result;
}
VESTIGE_MPI MPI_Request_free(MPI_Request* request) {
  const Quiet quiet;
  forget(*request);
  return PMPI_Request_free(request);
}

VESTIGE_MPI MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag,
                     MPI_Comm communicator, MPI_Status* status) {
  const Quiet quiet;
  const Status use(status);
  const int result = PMPI_Recv(data, count, type, from, tag, communicator, use.get());
  if (result == MPI_SUCCESS) received(communicator, *use.get());
  return result;
}
VESTIGE_MPI MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag,
                      MPI_Comm communicator, MPI_Request* request) {
  const Quiet quiet;
  const int result = PMPI_Irecv(data, count, type, from, tag, communicator, request);
  if (result == MPI_SUCCESS) {
    Pending pending;
    pending.communicator = communicator;
    pending.source = from;
    pending.tag = tag;
    begun(*request, std::move(pending));
  }
  return result;
}
VESTIGE_MPI MPI_Sendrecv(const void* data, int count, MPI_Datatype type, int to, int tag,
                         void* into, int most, MPI_Datatype as, int from, int wanted,
                         MPI_Comm communicator, MPI_Status* status) {
  const Quiet quiet;
  const Status use(status);
  sends(communicator, to, tag, count, type);
  const int result = PMPI_Sendrecv(data, count, type, to, tag, into, most, as, from, wanted,
                                   communicator, use.get());
  if (result == MPI_SUCCESS) received(communicator, *use.get());
  return result;
}
VESTIGE_MPI MPI_Sendrecv_replace(void* data, int count, MPI_Datatype type, int to, int tag,
                                 int from, int wanted, MPI_Comm communicator, MPI_Status* status) {
  const Quiet quiet;
  const Status use(status);
  sends(communicator, to, tag, count, type);
  const int result =
      PMPI_Sendrecv_replace(data, count, type, to, tag, from, wanted, communicator, use.get());
  if (result == MPI_SUCCESS) received(communicator, *use.get());
  return result;
}

// ---- matched probes: the message is chosen before it is received --------------------------------

namespace {
struct Matched {
  MPI_Comm communicator;
  uint64_t number;
};
std::map<MPI_Message, Matched> matched;  // guarded by `guard`

void probed(MPI_Message message, MPI_Comm communicator, const MPI_Status& status) {
  const uint64_t number = match(communicator, status);
  if (number == 0) return;  // from nobody, or on an unknown communicator
  const std::lock_guard lock(guard);
  matched[message] = {communicator, number};
}

// False: nothing is known of it.
bool take(MPI_Message message, Matched& out) {
  const std::lock_guard lock(guard);
  const auto found = matched.find(message);
  if (found == matched.end()) return false;
  out = found->second;
  matched.erase(found);
  return true;
}
}  // namespace

VESTIGE_MPI MPI_Mprobe(int from, int tag, MPI_Comm communicator, MPI_Message* message,
                       MPI_Status* status) {
  const Quiet quiet;
  const Status use(status);
  const int result = PMPI_Mprobe(from, tag, communicator, message, use.get());
  if (result == MPI_SUCCESS) probed(*message, communicator, *use.get());
  return result;
}
VESTIGE_MPI MPI_Improbe(int from, int tag, MPI_Comm communicator, int* flag, MPI_Message* message,
                        MPI_Status* status) {
  const Quiet quiet;
  const Status use(status);
  const int result = PMPI_Improbe(from, tag, communicator, flag, message, use.get());
  if (result == MPI_SUCCESS && *flag) probed(*message, communicator, *use.get());
  return result;
}
VESTIGE_MPI MPI_Mrecv(void* data, int count, MPI_Datatype type, MPI_Message* message,
                      MPI_Status* status) {
  const Quiet quiet;
  const Status use(status);
  Matched what;
  const bool known = take(*message, what);
  const int result = PMPI_Mrecv(data, count, type, message, use.get());
  if (result == MPI_SUCCESS && known) {
    const std::lock_guard lock(guard);
    tell_received(what.communicator, *use.get(), what.number);
  }
  return result;
}
VESTIGE_MPI MPI_Imrecv(void* data, int count, MPI_Datatype type, MPI_Message* message,
                       MPI_Request* request) {
  const Quiet quiet;
  Matched what;
  const bool known = take(*message, what);
  const int result = PMPI_Imrecv(data, count, type, message, request);
  if (result == MPI_SUCCESS && known) {
    Pending pending;
    pending.what = Pending::What::matched;
    pending.communicator = what.communicator;
    pending.number = what.number;
    begun(*request, std::move(pending));
  }
  return result;
}
