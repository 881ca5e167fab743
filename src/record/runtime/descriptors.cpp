#include "record/runtime/descriptors.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "record/runtime/sync.h"

namespace vestige::runtime {

namespace {

enum class Behind : uint64_t { pipe = 1, socket = 2, made = 3, file = 4 };

constexpr uint64_t kNumber = (uint64_t{1} << 60) - 1;
uint64_t name(Behind what, uint64_t number) {
  return static_cast<uint64_t>(what) << 60 | (number & kNumber);
}
// A product's low bits know nothing of the factor's high ones.
uint64_t mixed(uint64_t a, uint64_t b) {
  const uint64_t product = (a ^ b * 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
  return product ^ product >> 32;
}
uint64_t file_number(const struct stat& info) {
  return info.st_ino + info.st_dev * 0x9e3779b97f4a7c15;
}

// ---- those that were numbered
// ----------------------------------------------------------------------

constexpr int kMostDescriptors = 1 << 14;
std::atomic<uint64_t> numbers[kMostDescriptors];  // by descriptor; 0: none

// What a vfork child does to its descriptors is not ours, though the memory is.
bool is_ours() { return process_id() == session.processes[session.process].pid; }

void set_number(int descriptor, uint64_t number) {
  if (descriptor < 0 || descriptor >= kMostDescriptors || !recording()) return;
  if (numbers[descriptor].load(std::memory_order_relaxed) == number || !is_ours()) return;
  numbers[descriptor].store(number, std::memory_order_relaxed);
}

// ---- sockets
// ---------------------------------------------------------------------------------------

// What was found out, by inode: the kernel gives no socket's number to another one. Nothing is
// taken out. One that found no room has to be looked at again; of a pair, both ends or none are in.
struct KnownSocket {
  std::atomic<uint64_t> inode, object;
};
constexpr uint64_t kMostSockets = 1 << 13, kMostProbes = 16;
KnownSocket sockets[kMostSockets];

KnownSocket& socket_slot(uint64_t inode, uint64_t probe) {
  return sockets[(mixed(inode, 0) + probe) % kMostSockets];
}

uint64_t known_socket(uint64_t inode) {
  for (uint64_t probe = 0; probe < kMostProbes; ++probe) {
    const KnownSocket& slot = socket_slot(inode, probe);
    const uint64_t there = slot.inode.load(std::memory_order_acquire);
    if (there == inode) return slot.object.load(std::memory_order_acquire);
    if (there == 0) return 0;
  }
  return 0;
}

KnownSocket* claim_socket(uint64_t inode) {
  for (uint64_t probe = 0; probe < kMostProbes; ++probe) {
    KnownSocket& slot = socket_slot(inode, probe);
    uint64_t there = 0;
    if (slot.inode.compare_exchange_strong(there, inode) || there == inode) return &slot;
  }
  return nullptr;
}

uint64_t keep_socket(uint64_t inode, uint64_t object) {
  if (KnownSocket* slot = claim_socket(inode)) slot->object.store(object);
  return object;
}

// Of an internet address; 0 of any other. One number for an address of version 4 and its form in
// version 6.
uint64_t end_number(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(address);
    return mixed(four.sin_addr.s_addr, four.sin_port) | 1;
  }
  if (address.ss_family != AF_INET6) return 0;
  const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
  uint64_t low, high;
  copy_bytes(&low, six.sin6_addr.s6_addr, 8);
  copy_bytes(&high, six.sin6_addr.s6_addr + 8, 8);
  if (low == 0 && (high & 0xffffffff) == 0xffff0000) return mixed(high >> 32, six.sin6_port) | 1;
  return mixed(mixed(low, high), six.sin6_port) | 1;
}

uint64_t end_of(long call, int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  return system_call(call, static_cast<uint64_t>(descriptor), word_of(&address), word_of(&size)) < 0
             ? 0
             : end_number(address);
}

uint64_t socket_object(int descriptor, uint64_t inode) {
  constexpr uint64_t kAnySocket = static_cast<uint64_t>(Behind::socket) << 60;
  if (const uint64_t known = known_socket(inode); known != 0) return known;
  int type = 0;
  socklen_t size = sizeof type;
  system_call(SYS_getsockopt, static_cast<uint64_t>(descriptor), SOL_SOCKET, SO_TYPE,
              word_of(&type), word_of(&size));
  // A datagram's receiver need not be connected to anybody.
  if (type != SOCK_STREAM) return keep_socket(inode, kAnySocket);
  const uint64_t mine = end_of(SYS_getsockname, descriptor);
  const uint64_t other = mine == 0 ? 0 : end_of(SYS_getpeername, descriptor);
  if (mine == 0 || other == 0) return kAnySocket;
  return keep_socket(inode, name(Behind::socket, mixed(mine, 0) + mixed(other, 0)));
}

}  // namespace

uint64_t descriptor_object(int descriptor) {
  struct stat info;
  if (descriptor < 0 || !stat_fd(descriptor, &info)) return 0;
  switch (info.st_mode & S_IFMT) {
    case S_IFIFO:
      return name(Behind::pipe, file_number(info));
    case S_IFSOCK:
      return socket_object(descriptor, info.st_ino);
    case S_IFREG:
      return name(Behind::file, file_number(info));
    case 0: {
      if (descriptor >= kMostDescriptors) return 0;
      const uint64_t number = numbers[descriptor].load(std::memory_order_relaxed);
      return number == 0 ? 0 : name(Behind::made, number);
    }
    default:
      return 0;
  }
}

// Stamps are the session's own numbers.
void descriptor_made(int descriptor) {
  if (descriptor >= 0 && recording()) set_number(descriptor, take_stamp());
}

void descriptor_copied(int from, int to) {
  if (from == to || from < 0) return;
  set_number(to, from < kMostDescriptors ? numbers[from].load(std::memory_order_relaxed) : 0);
}

void descriptor_closed(int descriptor) { set_number(descriptor, 0); }

void descriptors_paired(const int (&ends)[2]) {
  struct stat one, other;
  if (!recording() || !stat_fd(ends[0], &one) || !stat_fd(ends[1], &other)) return;
  KnownSocket* const first = claim_socket(one.st_ino);
  KnownSocket* const second = first == nullptr ? nullptr : claim_socket(other.st_ino);
  if (second == nullptr) return;
  const uint64_t object = name(Behind::socket, one.st_ino);
  first->object.store(object, std::memory_order_release);
  second->object.store(object, std::memory_order_release);
}

}  // namespace vestige::runtime
