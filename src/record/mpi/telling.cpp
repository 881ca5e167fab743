#include "telling.h"

#include <algorithm>
#include <tuple>

// Of the runtime, when the program has one. Precondition: the thread runs recorded code below.
extern "C" __attribute__((weak)) void __vestige_tell_message(uint32_t kind, uint64_t number,
                                                             int peer, uint64_t what);
// What this thread does now is MPI's own: +1; and again its own: -1.
extern "C" __attribute__((weak)) void __vestige_be_quiet(int more);

namespace vestige_mpi {

std::mutex guard;

namespace {

int key = MPI_KEYVAL_INVALID;
uint64_t requests_begun = 0;
std::map<uint64_t, uint64_t> made;  // things that only their key tells apart
// Communicator, peer, tag, sends.
std::map<std::tuple<uint64_t, int, int, bool>, uint64_t> channels;
// Several where MPI gives the same handle to all that is complete at once.
std::map<MPI_Request, std::vector<Pending>> pending_requests;
std::map<MPI_Request, Persistent> persistent_requests;

// MPI has such a function, whose address would have to be known in processes without MPI.
int do_not_copy(MPI_Comm, int, void*, void*, void*, int* copied) {
  *copied = 0;
  return MPI_SUCCESS;
}
int forget_communicator(MPI_Comm, int, void* value, void*) {
  delete static_cast<Communicator*>(value);
  return MPI_SUCCESS;
}

bool inter(MPI_Comm communicator) {
  int flag = 0;
  PMPI_Comm_test_inter(communicator, &flag);
  return flag != 0;
}

uint64_t next_message(const Communicator& in, int from, int to, int tag, bool sends) {
  const int peer = sends ? to : from;
  uint64_t& count = channels[{in.id, peer, tag, sends}];
  const auto word = [](int a, int b) {
    return static_cast<uint64_t>(static_cast<uint32_t>(a)) << 32 | static_cast<uint32_t>(b);
  };
  return mix(mix(mix(in.id, word(from, to)), static_cast<uint32_t>(tag)), ++count);
}

bool could_match(const Pending& receive, MPI_Comm communicator, int source, int tag) {
  return receive.what == Pending::What::receive && receive.number == 0 &&
         receive.communicator == communicator &&
         (receive.source == source || receive.source == MPI_ANY_SOURCE) &&
         (receive.tag == tag || receive.tag == MPI_ANY_TAG);
}

// A message of this status was matched by a receive that was begun at `order`. Receives that were
// begun before it and match the same messages have earlier ones of them.
uint64_t number_of_match(MPI_Comm communicator, const MPI_Status& status, uint64_t order) {
  const Communicator* in = find(communicator);
  const int source = status.MPI_SOURCE, tag = status.MPI_TAG;
  if (!in || !in->has(source)) return 0;
  std::map<uint64_t, std::pair<MPI_Request, Pending*>> earlier;
  for (auto& [request, all] : pending_requests)
    for (Pending& receive : all)
      if (receive.order < order && could_match(receive, communicator, source, tag))
        earlier[receive.order] = {request, &receive};
  for (const auto& [began, which] : earlier) {
    Pending& receive = *which.second;
    if (receive.source == MPI_ANY_SOURCE || receive.tag == MPI_ANY_TAG) {
      int complete = 0;
      MPI_Status got;
      PMPI_Request_get_status(which.first, &complete, &got);
      if (!complete || got.MPI_SOURCE != source || got.MPI_TAG != tag) continue;
    }
    receive.number = next_message(*in, source, in->rank, tag, false);
  }
  return next_message(*in, source, in->rank, tag, false);
}

}  // namespace

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15 + b;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
  return x ^ x >> 32;
}

void tell(SyncKind kind, uint64_t number, int peer, int tag, uint64_t bytes) {
  if (!__vestige_tell_message) return;
  // No address looks like the number, nor do OpenMP's things.
  __vestige_tell_message(
      static_cast<uint32_t>(kind), uint64_t{15} << 60 | number >> 4, peer,
      uint64_t{static_cast<uint32_t>(tag)} << 32 | std::min<uint64_t>(bytes, UINT32_MAX));
}

Quiet::Quiet() {
  if (__vestige_be_quiet) __vestige_be_quiet(1);
}
Quiet::~Quiet() {
  if (__vestige_be_quiet) __vestige_be_quiet(-1);
}

uint64_t bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  if (count <= 0 || PMPI_Type_size(type, &size) != MPI_SUCCESS || size < 0) return 0;
  return static_cast<uint64_t>(count) * static_cast<uint64_t>(size);
}

uint64_t number_of_next(uint64_t key_of_it) { return mix(key_of_it, ++made[key_of_it]); }

std::vector<int> world_ranks(MPI_Group group) {
  int size = 0;
  PMPI_Group_size(group, &size);
  MPI_Group world;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> places(static_cast<size_t>(size)), out(places.size());
  for (int i = 0; i < size; ++i) places[static_cast<size_t>(i)] = i;
  PMPI_Group_translate_ranks(group, size, places.data(), world, out.data());
  PMPI_Group_free(&world);
  return out;
}

Communicator* announce(MPI_Comm like) {
  auto* fresh = new Communicator;
  PMPI_Comm_rank(like, &fresh->rank);
  MPI_Group group;
  PMPI_Comm_group(like, &group);
  fresh->world = world_ranks(group);
  PMPI_Group_free(&group);
  uint64_t ranks = 1;
  for (const int rank : fresh->world) ranks = mix(ranks, static_cast<uint32_t>(rank));
  const std::lock_guard lock(guard);
  fresh->id = number_of_next(ranks);
  return fresh;
}

void met(MPI_Comm communicator, Communicator* known) {
  if (key == MPI_KEYVAL_INVALID)
    PMPI_Comm_create_keyval(do_not_copy, forget_communicator, &key, nullptr);
  PMPI_Comm_set_attr(communicator, key, known);
}

void meet(MPI_Comm communicator) {
  if (communicator == MPI_COMM_NULL || inter(communicator)) return;
  Communicator* known = announce(communicator);
  const std::lock_guard lock(guard);
  met(communicator, known);
}

Communicator* find(MPI_Comm communicator) {
  void* value = nullptr;
  int there = 0;
  if (key != MPI_KEYVAL_INVALID) PMPI_Comm_get_attr(communicator, key, &value, &there);
  return there ? static_cast<Communicator*>(value) : nullptr;
}

void sends(MPI_Comm communicator, int to, int tag, int count, MPI_Datatype type) {
  const std::lock_guard lock(guard);
  const Communicator* in = find(communicator);
  if (!in || !in->has(to)) return;
  tell(SyncKind::mpi_send, next_message(*in, in->rank, to, tag, true), in->world_rank(to), tag,
       bytes_of(count, type));
}

void tell_received(MPI_Comm communicator, const MPI_Status& status, uint64_t number) {
  const Communicator* in = find(communicator);
  if (number == 0 || !in || !in->has(status.MPI_SOURCE)) return;
  int bytes = 0;
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  tell(SyncKind::mpi_receive, number, in->world_rank(status.MPI_SOURCE), status.MPI_TAG,
       bytes < 0 ? 0 : static_cast<uint64_t>(bytes));
}

uint64_t match(MPI_Comm communicator, const MPI_Status& status) {
  const std::lock_guard lock(guard);
  return number_of_match(communicator, status, UINT64_MAX);
}

void received(MPI_Comm communicator, const MPI_Status& status) {
  const std::lock_guard lock(guard);
  tell_received(communicator, status, number_of_match(communicator, status, UINT64_MAX));
}

void begun(MPI_Request request, Pending pending) {
  if (pending.what == Pending::What::receive && pending.source == MPI_PROC_NULL) return;
  const std::lock_guard lock(guard);
  pending.order = ++requests_begun;
  pending_requests[request].push_back(std::move(pending));
}

void forget(MPI_Request request) {
  const std::lock_guard lock(guard);
  persistent_requests.erase(request);
  pending_requests.erase(request);
}

void keep(MPI_Request request, const Persistent& persistent) {
  const std::lock_guard lock(guard);
  persistent_requests[request] = persistent;
}

void start(MPI_Request request) {
  Persistent what;
  {
    const std::lock_guard lock(guard);
    const auto found = persistent_requests.find(request);
    if (found == persistent_requests.end() || !found->second.sends) return;
    what = found->second;
  }
  sends(what.communicator, what.peer, what.tag, what.count, what.type);
}

void started(MPI_Request request) {
  Pending pending;
  {
    const std::lock_guard lock(guard);
    const auto found = persistent_requests.find(request);
    if (found == persistent_requests.end() || found->second.sends) return;
    pending.communicator = found->second.communicator;
    pending.source = found->second.peer;
    pending.tag = found->second.tag;
  }
  begun(request, std::move(pending));
}

void Completing::done(const std::vector<int>& which, const MPI_Status* statuses) {
  const std::lock_guard lock(guard);
  // In the order in which they were begun, so that the same program tells the same.
  std::map<uint64_t, std::pair<Pending, const MPI_Status*>> in_order;
  for (size_t i = 0; i < which.size(); ++i) {
    const auto found = pending_requests.find(before_[static_cast<size_t>(which[i])]);
    if (found == pending_requests.end()) continue;
    Pending& first = found->second.front();
    const uint64_t order = first.order;
    in_order[order] = {std::move(first), &statuses[i]};
    found->second.erase(found->second.begin());
    if (found->second.empty()) pending_requests.erase(found);
  }
  for (auto& [order, one] : in_order) {
    Pending& pending = one.first;
    const MPI_Status& status = *one.second;
    switch (pending.what) {
      case Pending::What::receive: {
        int cancelled = 0;
        PMPI_Test_cancelled(&status, &cancelled);
        if (cancelled) break;
        if (pending.number == 0)
          pending.number = number_of_match(pending.communicator, status, order);
        tell_received(pending.communicator, status, pending.number);
        break;
      }
      case Pending::What::matched:
        tell_received(pending.communicator, status, pending.number);
        break;
      case Pending::What::leave:
        for (const uint64_t number : pending.taken)
          tell(SyncKind::mpi_leave, number, pending.root, pending.function, pending.bytes);
        break;
      case Pending::What::duplicate:
        met(*pending.made, pending.known);
        break;
    }
  }
}

Collective::Collective(MPI_Comm communicator, MpiFunction function, bool gives, Takes takes,
                       uint64_t bytes, int root)
    : communicator_(communicator), function_(function), bytes_(bytes) {
  const std::lock_guard lock(guard);
  Communicator* in = find(communicator);
  if (!in) return;
  known_ = true;
  root_ = in->has(root) ? in->world_rank(root) : 0;
  const uint64_t number = mix(~in->id, ++in->collectives);
  // Where each takes from some of the others only, each has a number of its own.
  const bool apart = function == MpiFunction::scan || function == MpiFunction::exscan;
  const auto of = [&](int rank) {
    return apart ? mix(number, static_cast<uint32_t>(rank)) : number;
  };
  if (gives) tell(SyncKind::mpi_arrive, of(in->rank), root_, function, bytes);
  if (takes == Takes::from_all) taken_.push_back(number);
  if (takes == Takes::from_lower)
    for (int rank = 0; rank < in->rank; ++rank) taken_.push_back(of(rank));
}

void Collective::leave() const {
  for (const uint64_t number : taken_) tell(SyncKind::mpi_leave, number, root_, function_, bytes_);
}

void Collective::leave_with(MPI_Request request) const {
  if (!known_ || taken_.empty()) return;
  Pending pending;
  pending.what = Pending::What::leave;
  pending.communicator = communicator_;
  pending.taken = taken_;
  pending.function = function_;
  pending.root = root_;
  pending.bytes = bytes_;
  begun(request, std::move(pending));
}

}  // namespace vestige_mpi
