// What ranks tell each other, by MPI's profiling interface (PMPI): each function here runs the real
// one and tells the runtime what it gave or took. Preloaded into the ranks of a parallel run that
// is recorded; it has no MPI of its own, so that it does nothing in a process without one.
//
// Point to point, a message has a number that both ends know without asking: communicator, sender,
// receiver, tag, and how many there were before it with the same four. MPI keeps these in order. A
// receive is told when it is complete, with the sender and tag that it got (wildcards), the
// requests of one call in the order in which they were begun. Collectives have the communicator and
// how many there were before on it: who gives and who takes depends on the function.
//
// Not told: persistent requests, one-sided communication, non-blocking collectives, MPI_Scan.
#include <mpi.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

// Of the runtime, when the program has one. Precondition: the thread runs recorded code below.
extern "C" __attribute__((weak)) void __vestige_tell_message(uint32_t kind, uint64_t number,
                                                             int peer);
// What this thread does now is MPI's own: +1; and again its own: -1.
extern "C" __attribute__((weak)) void __vestige_be_quiet(int more);

#ifdef OPEN_MPI
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_comm_null
#pragma weak ompi_request_null
#pragma weak ompi_mpi_char
#endif

namespace {

// protocol::SyncKind
enum Kind : uint32_t { kSend = 25, kReceive = 26, kArrive = 27, kLeave = 28 };

struct Communicator {
  uint64_t id = 0;           // the same in all its ranks
  std::vector<int> world;    // its ranks as those of MPI_COMM_WORLD
  int rank = 0;              // in it
  uint64_t collectives = 0;  // so far
};
struct Begun {
  uint64_t order;
  MPI_Comm communicator;
};

std::mutex guard;
int key = MPI_KEYVAL_INVALID;
uint64_t communicators_made = 0, requests_begun = 0;
std::map<std::tuple<uint64_t, int, int, bool>, uint64_t>
    channels;  // communicator, peer, tag, sends
std::map<MPI_Request, Begun> receives;

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15 + b;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
  return x ^ x >> 32;
}
// No address looks like it, nor do OpenMP's things.
uint64_t name(uint64_t number) { return uint64_t{15} << 60 | number >> 4; }

void tell(Kind kind, uint64_t number, int peer) {
  if (__vestige_tell_message) __vestige_tell_message(kind, name(number), peer);
}

class Quiet {
 public:
  Quiet() {
    if (__vestige_be_quiet) __vestige_be_quiet(1);
  }
  ~Quiet() {
    if (__vestige_be_quiet) __vestige_be_quiet(-1);
  }
};

bool inter(MPI_Comm communicator) {
  int flag = 0;
  PMPI_Comm_test_inter(communicator, &flag);
  return flag != 0;
}

// MPI has such a function, whose address would have to be known in processes without MPI.
int do_not_copy(MPI_Comm, int, void*, void*, void*, int* copied) {
  *copied = 0;
  return MPI_SUCCESS;
}

int forget(MPI_Comm, int, void* value, void*) {
  delete static_cast<Communicator*>(value);
  return MPI_SUCCESS;
}

// All ranks of the communicator come here together, when it is made; of the world each for itself.
void meet(MPI_Comm communicator) {
  if (communicator == MPI_COMM_NULL || inter(communicator)) return;
  auto* fresh = new Communicator;
  int size = 0, world_rank = 0;
  PMPI_Comm_size(communicator, &size);
  PMPI_Comm_rank(communicator, &fresh->rank);
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  fresh->world.resize(static_cast<size_t>(size));
  MPI_Group group, world;
  PMPI_Comm_group(communicator, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> places(fresh->world.size());
  for (int i = 0; i < size; ++i) places[static_cast<size_t>(i)] = i;
  PMPI_Group_translate_ranks(group, size, places.data(), world, fresh->world.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  if (communicator == MPI_COMM_WORLD) {
    fresh->id = 1;
  } else {
    uint64_t id[1] = {mix(static_cast<uint64_t>(world_rank) + 2, ++communicators_made)};
    PMPI_Bcast(id, 8, MPI_CHAR, 0, communicator);
    fresh->id = id[0];
  }
  const std::lock_guard lock(guard);
  if (key == MPI_KEYVAL_INVALID)
    PMPI_Comm_create_keyval(do_not_copy, forget, &key, nullptr);
  PMPI_Comm_set_attr(communicator, key, fresh);
}

// Null when nothing is known of it: its messages are not told.
Communicator* find(MPI_Comm communicator) {
  void* value = nullptr;
  int there = 0;
  if (key != MPI_KEYVAL_INVALID) PMPI_Comm_get_attr(communicator, key, &value, &there);
  return there ? static_cast<Communicator*>(value) : nullptr;
}

uint64_t message(const Communicator& in, int from, int to, int tag, bool sends) {
  const int peer = sends ? to : from;
  uint64_t& count = channels[{in.id, peer, tag, sends}];
  const auto word = [](int a, int b) {
    return static_cast<uint64_t>(static_cast<uint32_t>(a)) << 32 | static_cast<uint32_t>(b);
  };
  return mix(mix(mix(in.id, word(from, to)), static_cast<uint32_t>(tag)), ++count);
}

void sends(MPI_Comm communicator, int to, int tag) {
  const std::lock_guard lock(guard);
  const Communicator* in = find(communicator);
  if (!in || to < 0 || static_cast<size_t>(to) >= in->world.size()) return;
  tell(kSend, message(*in, in->rank, to, tag, true), in->world[static_cast<size_t>(to)]);
}

void received(MPI_Comm communicator, const MPI_Status& status) {
  const Communicator* in = find(communicator);
  const int from = status.MPI_SOURCE;
  if (!in || from < 0 || static_cast<size_t>(from) >= in->world.size()) return;
  tell(kReceive, message(*in, from, in->rank, status.MPI_TAG, false),
       in->world[static_cast<size_t>(from)]);
}

void begun(MPI_Request request, MPI_Comm communicator) {
  const std::lock_guard lock(guard);
  receives[request] = {++requests_begun, communicator};
}

// Requests that a call completes: what they were is to be remembered before it.
class Completing {
 public:
  Completing(int count, const MPI_Request* requests) : before_(requests, requests + count) {}
  // Those of `which` are complete; status i belongs to which[i].
  void done(const std::vector<int>& which, const MPI_Status* statuses) {
    const std::lock_guard lock(guard);
    std::map<uint64_t, std::pair<MPI_Comm, const MPI_Status*>> in_order;
    for (size_t i = 0; i < which.size(); ++i) {
      const auto found = receives.find(before_[static_cast<size_t>(which[i])]);
      if (found == receives.end()) continue;
      in_order[found->second.order] = {found->second.communicator, &statuses[i]};
      receives.erase(found);
    }
    for (const auto& [order, what] : in_order) {
      int cancelled = 0;
      PMPI_Test_cancelled(what.second, &cancelled);
      if (!cancelled) received(what.first, *what.second);
    }
  }

 private:
  std::vector<MPI_Request> before_;
};

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

// A collective: this rank gives, or takes, or both.
template <class Run>
int collective(MPI_Comm communicator, bool gives, bool takes, const Run& run) {
  uint64_t number = 0;
  bool told = false;
  {
    const std::lock_guard lock(guard);
    if (Communicator* in = find(communicator)) {
      number = mix(~in->id, ++in->collectives);
      told = true;
    }
  }
  if (told && gives) tell(kArrive, number, 0);
  const int result = run();
  if (told && takes && result == MPI_SUCCESS) tell(kLeave, number, 0);
  return result;
}

bool is_root(MPI_Comm communicator, int root) {
  int rank = -1;
  PMPI_Comm_rank(communicator, &rank);
  return rank == root;
}

}  // namespace

#define VESTIGE_MPI extern "C" __attribute__((visibility("default"))) int

VESTIGE_MPI MPI_Init(int* argc, char*** argv) {
  const Quiet quiet;
  const int result = PMPI_Init(argc, argv);
  if (result == MPI_SUCCESS) meet(MPI_COMM_WORLD);
  return result;
}
VESTIGE_MPI MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const Quiet quiet;
  const int result = PMPI_Init_thread(argc, argv, required, provided);
  if (result == MPI_SUCCESS) meet(MPI_COMM_WORLD);
  return result;
}
VESTIGE_MPI MPI_Comm_dup(MPI_Comm from, MPI_Comm* to) {
  const Quiet quiet;
  const int result = PMPI_Comm_dup(from, to);
  if (result == MPI_SUCCESS) meet(*to);
  return result;
}
VESTIGE_MPI MPI_Comm_split(MPI_Comm from, int color, int order, MPI_Comm* to) {
  const Quiet quiet;
  const int result = PMPI_Comm_split(from, color, order, to);
  if (result == MPI_SUCCESS) meet(*to);
  return result;
}
VESTIGE_MPI MPI_Comm_create(MPI_Comm from, MPI_Group group, MPI_Comm* to) {
  const Quiet quiet;
  const int result = PMPI_Comm_create(from, group, to);
  if (result == MPI_SUCCESS) meet(*to);
  return result;
}

// ---- point to point -----------------------------------------------------------------------------

#define VESTIGE_SENDS(NAME)                                                               \
  VESTIGE_MPI MPI_##NAME(const void* data, int count, MPI_Datatype type, int to, int tag, \
                         MPI_Comm communicator) {                                         \
    const Quiet quiet;                                                                    \
    sends(communicator, to, tag);                                                         \
    return PMPI_##NAME(data, count, type, to, tag, communicator);                         \
  }
#define VESTIGE_BEGINS_TO_SEND(NAME)                                                      \
  VESTIGE_MPI MPI_##NAME(const void* data, int count, MPI_Datatype type, int to, int tag, \
                         MPI_Comm communicator, MPI_Request* request) {                   \
    const Quiet quiet;                                                                    \
    sends(communicator, to, tag);                                                         \
    return PMPI_##NAME(data, count, type, to, tag, communicator, request);                \
  }
VESTIGE_SENDS(Send)
VESTIGE_SENDS(Ssend)
VESTIGE_SENDS(Bsend)
VESTIGE_SENDS(Rsend)
VESTIGE_BEGINS_TO_SEND(Isend)
VESTIGE_BEGINS_TO_SEND(Issend)
VESTIGE_BEGINS_TO_SEND(Ibsend)
VESTIGE_BEGINS_TO_SEND(Irsend)

VESTIGE_MPI MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag,
                     MPI_Comm communicator, MPI_Status* status) {
  const Quiet quiet;
  MPI_Status own;
  MPI_Status* use = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = PMPI_Recv(data, count, type, from, tag, communicator, use);
  if (result == MPI_SUCCESS) {
    const std::lock_guard lock(guard);
    received(communicator, *use);
  }
  return result;
}
VESTIGE_MPI MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag,
                      MPI_Comm communicator, MPI_Request* request) {
  const Quiet quiet;
  const int result = PMPI_Irecv(data, count, type, from, tag, communicator, request);
  if (result == MPI_SUCCESS) begun(*request, communicator);
  return result;
}
VESTIGE_MPI MPI_Sendrecv(const void* data, int count, MPI_Datatype type, int to, int tag,
                         void* into, int most, MPI_Datatype as, int from, int wanted,
                         MPI_Comm communicator, MPI_Status* status) {
  const Quiet quiet;
  MPI_Status own;
  MPI_Status* use = status == MPI_STATUS_IGNORE ? &own : status;
  sends(communicator, to, tag);
  const int result =
      PMPI_Sendrecv(data, count, type, to, tag, into, most, as, from, wanted, communicator, use);
  if (result == MPI_SUCCESS) {
    const std::lock_guard lock(guard);
    received(communicator, *use);
  }
  return result;
}

VESTIGE_MPI MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const Quiet quiet;
  Completing completing(1, request);
  MPI_Status own;
  MPI_Status* use = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = PMPI_Wait(request, use);
  if (result == MPI_SUCCESS) completing.done({0}, use);
  return result;
}
VESTIGE_MPI MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const Quiet quiet;
  Completing completing(1, request);
  MPI_Status own;
  MPI_Status* use = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = PMPI_Test(request, flag, use);
  if (result == MPI_SUCCESS && *flag) completing.done({0}, use);
  return result;
}
VESTIGE_MPI MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  const Quiet quiet;
  Completing completing(count, requests);
  Statuses use(statuses, count);
  const int result = PMPI_Waitall(count, requests, use.use);
  if (result == MPI_SUCCESS) completing.done(first(count), use.use);
  return result;
}
VESTIGE_MPI MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  const Quiet quiet;
  Completing completing(count, requests);
  Statuses use(statuses, count);
  const int result = PMPI_Testall(count, requests, flag, use.use);
  if (result == MPI_SUCCESS && *flag) completing.done(first(count), use.use);
  return result;
}
VESTIGE_MPI MPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  const Quiet quiet;
  Completing completing(count, requests);
  MPI_Status own;
  MPI_Status* use = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = PMPI_Waitany(count, requests, index, use);
  if (result == MPI_SUCCESS && *index != MPI_UNDEFINED) completing.done({*index}, use);
  return result;
}
VESTIGE_MPI MPI_Testany(int count, MPI_Request* requests, int* index, int* flag,
                        MPI_Status* status) {
  const Quiet quiet;
  Completing completing(count, requests);
  MPI_Status own;
  MPI_Status* use = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = PMPI_Testany(count, requests, index, flag, use);
  if (result == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED) completing.done({*index}, use);
  return result;
}
VESTIGE_MPI MPI_Waitsome(int count, MPI_Request* requests, int* done, int* indices,
                         MPI_Status* statuses) {
  const Quiet quiet;
  Completing completing(count, requests);
  Statuses use(statuses, count);
  const int result = PMPI_Waitsome(count, requests, done, indices, use.use);
  if (result == MPI_SUCCESS && *done != MPI_UNDEFINED)
    completing.done(std::vector<int>(indices, indices + *done), use.use);
  return result;
}
VESTIGE_MPI MPI_Testsome(int count, MPI_Request* requests, int* done, int* indices,
                         MPI_Status* statuses) {
  const Quiet quiet;
  Completing completing(count, requests);
  Statuses use(statuses, count);
  const int result = PMPI_Testsome(count, requests, done, indices, use.use);
  if (result == MPI_SUCCESS && *done != MPI_UNDEFINED)
    completing.done(std::vector<int>(indices, indices + *done), use.use);
  return result;
}

// ---- collectives --------------------------------------------------------------------------------

VESTIGE_MPI MPI_Barrier(MPI_Comm c) {
  const Quiet quiet;
  return collective(c, true, true, [&] { return PMPI_Barrier(c); });
}
VESTIGE_MPI MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm c) {
  const Quiet quiet;
  const bool gives = is_root(c, root);
  return collective(c, gives, !gives, [&] { return PMPI_Bcast(data, count, type, root, c); });
}
VESTIGE_MPI MPI_Reduce(const void* data, void* into, int count, MPI_Datatype type, MPI_Op op,
                       int root, MPI_Comm c) {
  const Quiet quiet;
  const bool takes = is_root(c, root);
  return collective(c, !takes, takes,
                    [&] { return PMPI_Reduce(data, into, count, type, op, root, c); });
}
VESTIGE_MPI MPI_Allreduce(const void* data, void* into, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm c) {
  const Quiet quiet;
  return collective(c, true, true, [&] { return PMPI_Allreduce(data, into, count, type, op, c); });
}
VESTIGE_MPI MPI_Gather(const void* data, int count, MPI_Datatype type, void* into, int each,
                       MPI_Datatype as, int root, MPI_Comm c) {
  const Quiet quiet;
  const bool takes = is_root(c, root);
  return collective(c, !takes, takes,
                    [&] { return PMPI_Gather(data, count, type, into, each, as, root, c); });
}
VESTIGE_MPI MPI_Gatherv(const void* data, int count, MPI_Datatype type, void* into,
                        const int* counts, const int* places, MPI_Datatype as, int root,
                        MPI_Comm c) {
  const Quiet quiet;
  const bool takes = is_root(c, root);
  return collective(c, !takes, takes, [&] {
    return PMPI_Gatherv(data, count, type, into, counts, places, as, root, c);
  });
}
VESTIGE_MPI MPI_Scatter(const void* data, int count, MPI_Datatype type, void* into, int each,
                        MPI_Datatype as, int root, MPI_Comm c) {
  const Quiet quiet;
  const bool gives = is_root(c, root);
  return collective(c, gives, !gives,
                    [&] { return PMPI_Scatter(data, count, type, into, each, as, root, c); });
}
VESTIGE_MPI MPI_Scatterv(const void* data, const int* counts, const int* places, MPI_Datatype type,
                         void* into, int count, MPI_Datatype as, int root, MPI_Comm c) {
  const Quiet quiet;
  const bool gives = is_root(c, root);
  return collective(c, gives, !gives, [&] {
    return PMPI_Scatterv(data, counts, places, type, into, count, as, root, c);
  });
}
VESTIGE_MPI MPI_Allgather(const void* data, int count, MPI_Datatype type, void* into, int each,
                          MPI_Datatype as, MPI_Comm c) {
  const Quiet quiet;
  return collective(c, true, true,
                    [&] { return PMPI_Allgather(data, count, type, into, each, as, c); });
}
VESTIGE_MPI MPI_Allgatherv(const void* data, int count, MPI_Datatype type, void* into,
                           const int* counts, const int* places, MPI_Datatype as, MPI_Comm c) {
  const Quiet quiet;
  return collective(c, true, true, [&] {
    return PMPI_Allgatherv(data, count, type, into, counts, places, as, c);
  });
}
VESTIGE_MPI MPI_Alltoall(const void* data, int count, MPI_Datatype type, void* into, int each,
                         MPI_Datatype as, MPI_Comm c) {
  const Quiet quiet;
  return collective(c, true, true,
                    [&] { return PMPI_Alltoall(data, count, type, into, each, as, c); });
}
VESTIGE_MPI MPI_Alltoallv(const void* data, const int* counts, const int* places, MPI_Datatype type,
                          void* into, const int* sizes, const int* offsets, MPI_Datatype as,
                          MPI_Comm c) {
  const Quiet quiet;
  return collective(c, true, true, [&] {
    return PMPI_Alltoallv(data, counts, places, type, into, sizes, offsets, as, c);
  });
}
VESTIGE_MPI MPI_Reduce_scatter_block(const void* data, void* into, int count, MPI_Datatype type,
                                     MPI_Op op, MPI_Comm c) {
  const Quiet quiet;
  return collective(c, true, true,
                    [&] { return PMPI_Reduce_scatter_block(data, into, count, type, op, c); });
}

VESTIGE_MPI MPI_Finalize(void) {
  const Quiet quiet;
  return PMPI_Finalize();
}
