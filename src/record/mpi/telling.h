// What ranks tell each other, by MPI's profiling interface (PMPI): each function of this library
// runs the real one and tells the runtime what it gave or took. Preloaded into the ranks of a
// parallel run that is recorded; it has no MPI of its own, so that it does nothing in a process
// without one. Handles and constants are those of one MPI: the same sources are built for Open MPI
// and for MPICH.
//
// Everything has a number that all who take part know without asking each other, so nothing is sent
// that the program does not send:
//   a communicator   its ranks, and how many of the same ranks there were before it
//   a message        communicator, sender, receiver, tag, and how many there were before it with the same four
//   a collective     communicator, and how many there were before on it
//   a window         like a communicator
// MPI keeps messages of one sender, receiver, communicator and tag in order: the receive that was
// begun first gets the first of them, whatever the order in which receives are completed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "vestige/sync_kind.h"

#define VESTIGE_MPI extern "C" __attribute__((visibility("default"))) int

#ifdef OPEN_MPI
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_comm_null
#pragma weak ompi_request_null
#pragma weak ompi_mpi_byte
#endif

namespace vestige_mpi {

using vestige::MpiFunction;
using vestige::SyncKind;

struct Communicator {
  uint64_t id = 0;           // the same in all its ranks
  std::vector<int> world;    // its ranks as those of MPI_COMM_WORLD
  int rank = 0;              // in it
  uint64_t collectives = 0;  // so far
  int world_rank(int of) const { return world[static_cast<size_t>(of)]; }
  bool has(int of) const { return of >= 0 && static_cast<size_t>(of) < world.size(); }
};

// Guards everything here.
extern std::mutex guard;

uint64_t mix(uint64_t a, uint64_t b);
// `peer`: a rank of the world, or a lock's target. Does nothing where nothing is recorded.
void tell(SyncKind kind, uint64_t number, int peer, int tag, uint64_t bytes);
// What has no tag says what it was.
inline void tell(SyncKind kind, uint64_t number, int peer, MpiFunction function, uint64_t bytes) {
  tell(kind, number, peer, static_cast<int>(function), bytes);
}

// While it lives, what this thread does is MPI's own.
class Quiet {
 public:
  Quiet();
  ~Quiet();
};

uint64_t bytes_of(int count, MPI_Datatype type);

// ---- communicators ------------------------------------------------------------------------------

// The ranks of a group as those of the world.
std::vector<int> world_ranks(MPI_Group group);
// A communicator was made; all its ranks come here, each for itself.
void meet(MPI_Comm communicator);
// The same, of one that has the ranks of `like` and can be used later: `met` sets it.
Communicator* announce(MPI_Comm like);
void met(MPI_Comm communicator, Communicator* known);
// Null when nothing is known of it: what happens on it is not told.
Communicator* find(MPI_Comm communicator);
// The number that things with this key have: how many there were, and the key.
uint64_t number_of_next(uint64_t key);

// ---- point to point -----------------------------------------------------------------------------

void sends(MPI_Comm communicator, int to, int tag, int count, MPI_Datatype type);
// A receive that was not begun before is complete.
void received(MPI_Comm communicator, const MPI_Status& status);
// A receive that was matched, whose message is fetched later, or never.
uint64_t match(MPI_Comm communicator, const MPI_Status& status);
void tell_received(MPI_Comm communicator, const MPI_Status& status, uint64_t number);

// ---- requests -----------------------------------------------------------------------------------

// What is told when a request is complete.
struct Pending {
  enum class What { receive, leave, duplicate, matched } what = What::receive;
  MPI_Comm communicator;
  uint64_t order = 0;             // in which they were begun
  int source = 0, tag = 0;        // receive: as it was asked for
  uint64_t number = 0;            // receive: 0 as long as it is not known
  std::vector<uint64_t> taken;    // leave
  MpiFunction function{};         // leave
  int root = 0;                   // the same
  uint64_t bytes = 0;             // leave
  Communicator* known = nullptr;  // duplicate
  MPI_Comm* made = nullptr;
};
void begun(MPI_Request request, Pending pending);
void forget(MPI_Request request);

// A persistent request: what each start of it begins.
struct Persistent {
  bool sends = false;
  MPI_Comm communicator;
  int peer = 0, tag = 0, count = 0;
  MPI_Datatype type;
};
void keep(MPI_Request request, const Persistent& persistent);
void start(MPI_Request request);    // before it
void started(MPI_Request request);  // after it

// Requests that a call completes: what they are is to be remembered before it.
class Completing {
 public:
  Completing(int count, const MPI_Request* requests) : before_(requests, requests + count) {}
  // Those of `which` are complete; status i belongs to which[i].
  void done(const std::vector<int>& which, const MPI_Status* statuses);

 private:
  std::vector<MPI_Request> before_;
};

// ---- collectives --------------------------------------------------------------------------------

// One of them: who gives, before it, and who takes, behind it.
class Collective {
 public:
  enum class Takes { nothing, from_all, from_lower };
  // `root`: of this communicator, -1: none.
  Collective(MPI_Comm communicator, MpiFunction function, bool gives, Takes takes, uint64_t bytes,
             int root = -1);
  void leave() const;
  void leave_with(MPI_Request request) const;

 private:
  MPI_Comm communicator_;
  bool known_ = false;
  MpiFunction function_;
  int root_ = 0;
  uint64_t bytes_;
  std::vector<uint64_t> taken_;
};

// A status of our own where the caller wants none.
class Status {
 public:
  explicit Status(MPI_Status* wanted) : use_(wanted == MPI_STATUS_IGNORE ? &own_ : wanted) {}
  MPI_Status* get() const { return use_; }

 private:
  MPI_Status own_;
  MPI_Status* use_;
};

}  // namespace vestige_mpi
