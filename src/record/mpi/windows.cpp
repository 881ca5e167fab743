// One-sided communication. What orders ranks is the synchronization around accesses: fences, locks,
// and post–start–complete–wait. Accesses themselves are told as such, and order nothing.
//
// MPI may delay a lock until it is needed: then the moment at which the call returns says nothing.
// So a byte is read from the target's window behind each lock, and waited for; that forces it.
#include "telling.h"

using namespace vestige_mpi;

namespace {

struct MpiWindow {
  uint64_t id = 0;
  std::vector<int> world;  // its ranks as those of the world
  int rank = 0;
  std::vector<MPI_Aint> bytes;  // at each rank
  uint64_t fences = 0;
  std::map<int, uint64_t> posts, starts;  // epochs, by the other end's rank in the world
  std::vector<int> exposed_to, accessed;  // of the epochs that are open
};
std::map<MPI_Win, MpiWindow> windows;  // guarded by `guard`

void remember(MPI_Win window, MPI_Comm communicator, MPI_Aint bytes) {
  MpiWindow fresh;
  {
    const std::lock_guard lock(guard);
    const Communicator* in = find(communicator);
    if (!in) return;
    fresh.world = in->world;
    fresh.rank = in->rank;
    fresh.id = number_of_next(mix(in->id, 0x77696e));
  }
  fresh.bytes.resize(fresh.world.size());
  PMPI_Allgather(&bytes, sizeof bytes, MPI_BYTE, fresh.bytes.data(), sizeof bytes, MPI_BYTE,
                 communicator);
  const std::lock_guard lock(guard);
  windows[window] = std::move(fresh);
}

int made(int result, const MPI_Win* window, MPI_Comm communicator, MPI_Aint bytes) {
  if (result == MPI_SUCCESS) remember(*window, communicator, bytes);
  return result;
}

// Precondition: the guard is held.
MpiWindow* known(MPI_Win window) {
  const auto found = windows.find(window);
  return found == windows.end() ? nullptr : &found->second;
}

void access(MPI_Win window, MpiFunction function, int target, uint64_t bytes) {
  const std::lock_guard lock(guard);
  const MpiWindow* in = known(window);
  if (in && target >= 0 && static_cast<size_t>(target) < in->world.size())
    tell(SyncKind::mpi_access, in->id, in->world[static_cast<size_t>(target)], function, bytes);
}

uint64_t lock_of(const MpiWindow& window, int target) {
  return mix(window.id, 0x6c6f636b00000000 | static_cast<uint32_t>(target));
}

// Waits until it is there, then tells.
void locked(MPI_Win window, int target, bool exclusive) {
  bool empty = true;
  {
    const std::lock_guard lock(guard);
    const MpiWindow* in = known(window);
    if (!in || target < 0 || static_cast<size_t>(target) >= in->world.size()) return;
    empty = in->bytes[static_cast<size_t>(target)] == 0;
  }
  if (!empty) {
    char byte;
    PMPI_Get(&byte, 1, MPI_BYTE, target, 0, 1, MPI_BYTE, window);
    PMPI_Win_flush(target, window);
  }
  const std::lock_guard lock(guard);
  const MpiWindow& in = *known(window);
  tell(SyncKind::mpi_lock, lock_of(in, target), in.world[static_cast<size_t>(target)],
       exclusive ? MpiFunction::lock_exclusive : MpiFunction::lock_shared, 0);
}

void unlocks(MPI_Win window, int target) {
  const std::lock_guard lock(guard);
  const MpiWindow* in = known(window);
  if (in && target >= 0 && static_cast<size_t>(target) < in->world.size())
    tell(SyncKind::mpi_unlock, lock_of(*in, target), in->world[static_cast<size_t>(target)], 0, 0);
}

int ranks_of(MPI_Win window) {
  const std::lock_guard lock(guard);
  const MpiWindow* in = known(window);
  return in ? static_cast<int>(in->world.size()) : 0;
}

// From one rank to another, of the world: what `from` gives with its epoch's beginning (post) or
// end (complete).
uint64_t handover(const MpiWindow& window, MpiFunction function, int from, int to, uint64_t epoch) {
  const uint64_t ends = static_cast<uint64_t>(from) << 32 | static_cast<uint32_t>(to);
  return mix(mix(mix(window.id, static_cast<uint64_t>(function)), ends), epoch);
}

void exposed(MpiWindow& in) {
  const int me = in.world[static_cast<size_t>(in.rank)];
  for (const int origin : in.exposed_to)
    tell(SyncKind::mpi_leave, handover(in, MpiFunction::complete, origin, me, in.posts[origin]),
         origin, MpiFunction::complete, 0);
  in.exposed_to.clear();
}

}  // namespace

VESTIGE_MPI MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm c,
                           MPI_Win* window) {
  const Quiet quiet;
  return made(PMPI_Win_create(base, size, unit, info, c, window), window, c, size);
}
VESTIGE_MPI MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm c, void* base,
                             MPI_Win* window) {
  const Quiet quiet;
  return made(PMPI_Win_allocate(size, unit, info, c, base, window), window, c, size);
}
VESTIGE_MPI MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm c, void* base,
                                    MPI_Win* window) {
  const Quiet quiet;
  return made(PMPI_Win_allocate_shared(size, unit, info, c, base, window), window, c, size);
}
VESTIGE_MPI MPI_Win_create_dynamic(MPI_Info info, MPI_Comm c, MPI_Win* window) {
  const Quiet quiet;
  return made(PMPI_Win_create_dynamic(info, c, window), window, c, 0);
}
VESTIGE_MPI MPI_Win_free(MPI_Win* window) {
  const Quiet quiet;
  {
    const std::lock_guard lock(guard);
    windows.erase(*window);
  }
  return PMPI_Win_free(window);
}

VESTIGE_MPI MPI_Win_fence(int promises, MPI_Win window) {
  const Quiet quiet;
  uint64_t number = 0;
  {
    const std::lock_guard lock(guard);
    if (MpiWindow* in = known(window)) number = mix(~in->id, ++in->fences);
  }
  if (number != 0) tell(SyncKind::mpi_arrive, number, 0, MpiFunction::fence, 0);
  const int result = PMPI_Win_fence(promises, window);
  // One that ends no epoch need not wait for anybody.
  if (number != 0 && result == MPI_SUCCESS && !(promises & MPI_MODE_NOPRECEDE))
    tell(SyncKind::mpi_leave, number, 0, MpiFunction::fence, 0);
  return result;
}

VESTIGE_MPI MPI_Win_lock(int type, int target, int promises, MPI_Win window) {
  const Quiet quiet;
  const int result = PMPI_Win_lock(type, target, promises, window);
  if (result == MPI_SUCCESS && !(promises & MPI_MODE_NOCHECK))
    locked(window, target, type == MPI_LOCK_EXCLUSIVE);
  return result;
}
VESTIGE_MPI MPI_Win_unlock(int target, MPI_Win window) {
  const Quiet quiet;
  // All of its accesses are done before others can have the lock.
  PMPI_Win_flush(target, window);
  unlocks(window, target);
  return PMPI_Win_unlock(target, window);
}
VESTIGE_MPI MPI_Win_lock_all(int promises, MPI_Win window) {
  const Quiet quiet;
  const int result = PMPI_Win_lock_all(promises, window);
  const int ranks = ranks_of(window);
  for (int r = 0; r < ranks && result == MPI_SUCCESS && !(promises & MPI_MODE_NOCHECK); ++r)
    locked(window, r, false);
  return result;
}
VESTIGE_MPI MPI_Win_unlock_all(MPI_Win window) {
  const Quiet quiet;
  PMPI_Win_flush_all(window);
  const int ranks = ranks_of(window);
  for (int r = 0; r < ranks; ++r) unlocks(window, r);
  return PMPI_Win_unlock_all(window);
}

VESTIGE_MPI MPI_Win_post(MPI_Group group, int promises, MPI_Win window) {
  const Quiet quiet;
  const std::vector<int> origins = world_ranks(group);
  {
    const std::lock_guard lock(guard);
    if (MpiWindow* in = known(window)) {
      const int me = in->world[static_cast<size_t>(in->rank)];
      for (const int origin : origins)
        tell(SyncKind::mpi_arrive,
             handover(*in, MpiFunction::post, me, origin, ++in->posts[origin]), origin,
             MpiFunction::post, 0);
      in->exposed_to = origins;
    }
  }
  return PMPI_Win_post(group, promises, window);
}
VESTIGE_MPI MPI_Win_start(MPI_Group group, int promises, MPI_Win window) {
  const Quiet quiet;
  const std::vector<int> targets = world_ranks(group);
  const int result = PMPI_Win_start(group, promises, window);
  const std::lock_guard lock(guard);
  if (MpiWindow* in = known(window); in && result == MPI_SUCCESS) {
    for (const int target : targets) ++in->starts[target];
    in->accessed = targets;
  }
  return result;
}
// The start may not have waited for the post, so the access epoch's end takes from it.
VESTIGE_MPI MPI_Win_complete(MPI_Win window) {
  const Quiet quiet;
  const auto each = [&](SyncKind kind, MpiFunction function) {
    const std::lock_guard lock(guard);
    MpiWindow* in = known(window);
    if (!in) return;
    const int me = in->world[static_cast<size_t>(in->rank)];
    for (const int target : in->accessed)
      tell(kind,
           function == MpiFunction::post
               ? handover(*in, MpiFunction::post, target, me, in->starts[target])
               : handover(*in, MpiFunction::complete, me, target, in->starts[target]),
           target, function, 0);
  };
  each(SyncKind::mpi_arrive, MpiFunction::complete);
  const int result = PMPI_Win_complete(window);
  if (result == MPI_SUCCESS) each(SyncKind::mpi_leave, MpiFunction::post);
  return result;
}
VESTIGE_MPI MPI_Win_wait(MPI_Win window) {
  const Quiet quiet;
  const int result = PMPI_Win_wait(window);
  const std::lock_guard lock(guard);
  if (MpiWindow* in = known(window); in && result == MPI_SUCCESS) exposed(*in);
  return result;
}
VESTIGE_MPI MPI_Win_test(MPI_Win window, int* flag) {
  const Quiet quiet;
  const int result = PMPI_Win_test(window, flag);
  const std::lock_guard lock(guard);
  if (MpiWindow* in = known(window); in && result == MPI_SUCCESS && *flag) exposed(*in);
  return result;
}

// ---- accesses -----------------------------------------------------------------------------------

VESTIGE_MPI MPI_Put(const void* data, int count, MPI_Datatype type, int target, MPI_Aint place,
                    int there, MPI_Datatype as, MPI_Win window) {
  const Quiet quiet;
  access(window, MpiFunction::put, target, bytes_of(count, type));
  return PMPI_Put(data, count, type, target, place, there, as, window);
}
VESTIGE_MPI MPI_Rput(const void* data, int count, MPI_Datatype type, int target, MPI_Aint place,
                     int there, MPI_Datatype as, MPI_Win window, MPI_Request* request) {
  const Quiet quiet;
  access(window, MpiFunction::put, target, bytes_of(count, type));
  return PMPI_Rput(data, count, type, target, place, there, as, window, request);
}
VESTIGE_MPI MPI_Get(void* data, int count, MPI_Datatype type, int target, MPI_Aint place, int there,
                    MPI_Datatype as, MPI_Win window) {
  const Quiet quiet;
  access(window, MpiFunction::get, target, bytes_of(count, type));
  return PMPI_Get(data, count, type, target, place, there, as, window);
}
VESTIGE_MPI MPI_Rget(void* data, int count, MPI_Datatype type, int target, MPI_Aint place,
                     int there, MPI_Datatype as, MPI_Win window, MPI_Request* request) {
  const Quiet quiet;
  access(window, MpiFunction::get, target, bytes_of(count, type));
  return PMPI_Rget(data, count, type, target, place, there, as, window, request);
}
VESTIGE_MPI MPI_Accumulate(const void* data, int count, MPI_Datatype type, int target,
                           MPI_Aint place, int there, MPI_Datatype as, MPI_Op op, MPI_Win window) {
  const Quiet quiet;
  access(window, MpiFunction::accumulate, target, bytes_of(count, type));
  return PMPI_Accumulate(data, count, type, target, place, there, as, op, window);
}
VESTIGE_MPI MPI_Raccumulate(const void* data, int count, MPI_Datatype type, int target,
                            MPI_Aint place, int there, MPI_Datatype as, MPI_Op op, MPI_Win window,
                            MPI_Request* request) {
  const Quiet quiet;
  access(window, MpiFunction::accumulate, target, bytes_of(count, type));
  return PMPI_Raccumulate(data, count, type, target, place, there, as, op, window, request);
}
VESTIGE_MPI MPI_Get_accumulate(const void* data, int count, MPI_Datatype type, void* into, int most,
                               MPI_Datatype result_type, int target, MPI_Aint place, int there,
                               MPI_Datatype as, MPI_Op op, MPI_Win window) {
  const Quiet quiet;
  access(window, MpiFunction::get_accumulate, target, bytes_of(most, result_type));
  return PMPI_Get_accumulate(data, count, type, into, most, result_type, target, place, there, as,
                             op, window);
}
VESTIGE_MPI MPI_Fetch_and_op(const void* data, void* into, MPI_Datatype type, int target,
                             MPI_Aint place, MPI_Op op, MPI_Win window) {
  const Quiet quiet;
  access(window, MpiFunction::fetch_and_op, target, bytes_of(1, type));
  return PMPI_Fetch_and_op(data, into, type, target, place, op, window);
}
VESTIGE_MPI MPI_Compare_and_swap(const void* data, const void* compare, void* into,
                                 MPI_Datatype type, int target, MPI_Aint place, MPI_Win window) {
  const Quiet quiet;
  access(window, MpiFunction::compare_and_swap, target, bytes_of(1, type));
  return PMPI_Compare_and_swap(data, compare, into, type, target, place, window);
}
