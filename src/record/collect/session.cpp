#include "record/collect/session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "record/collect/futex.h"
#include "record/collect/rank_meeting.h"

namespace vestige {

using namespace protocol;

namespace {

// A limit on the size of files (ulimit -f) is not meant for memory; the part of it that can be
// lifted is, for this moment.
bool resize(int fd, uint64_t bytes) {
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit lifted{limit.rlim_max, limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &lifted);
  const bool done = ::ftruncate(fd, static_cast<off_t>(bytes)) == 0;
  const int error = errno;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  errno = error;
  return done;
}

}  // namespace

Result<Session> Session::create(Depth depth) {
  const auto refused = [](const char* what) {
    return fail(ErrorKind::io, fmt::format("cannot {} the memory shared with the program: {}", what,
                                           std::strerror(errno)));
  };
  Session session;
  session.fd_ = ::memfd_create("vestige-session", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (session.fd_ < 0) return refused("create");
  if (!resize(session.fd_, kSessionBytes)) return refused("size");
  // A program that shrank the file would kill the collector with SIGBUS.
  ::fcntl(session.fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  void* base = ::mmap(nullptr, kSessionBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                      session.fd_, 0);
  if (base == MAP_FAILED) return refused("map");
  session.base_ = static_cast<uint8_t*>(base);

  SessionHeader& header = *new (base) SessionHeader{};
  if (::getrandom(&header.nonce, sizeof header.nonce, 0) != sizeof header.nonce)
    return refused("name");
  header.version = kProtocolVersion;
  header.collector_pid = static_cast<uint32_t>(::getpid());
  header.next_path = kFirstPath;
  header.next_ring_serial = 1;
  header.depth = depth;
  header.state = static_cast<uint32_t>(SessionState::open);
  header.magic = kMagic;
  return session;
}

Session::~Session() {
  if (base_) ::munmap(base_, kSessionBytes);
  if (fd_ >= 0) ::close(fd_);
}

std::string Session::variable() const {
  // Always of one length: the environment lies above the program's stack and moves it.
  return fmt::format("/proc{:/>20}:{:016x}+{:04x}", fmt::format("/{}/fd/{}", ::getpid(), fd_),
                     header().nonce, 0);
}

std::string with_rank(const std::string& variable, uint32_t rank) {
  return fmt::format("{}+{:04x}", variable.substr(0, variable.rfind('+')), rank + 1);
}

std::optional<ByteView> Session::upload(uint64_t offset, uint64_t size) const {
  constexpr uint64_t kUploadBytes = kSessionBytes - kUploadsOffset;
  if (offset > kUploadBytes || size > kUploadBytes - offset) return std::nullopt;
  return ByteView(base_ + kUploadsOffset + offset, size);
}

void Session::release_upload(uint64_t offset, uint64_t size) const {
  if (!upload(offset, size)) return;
  constexpr uint64_t kPage = 4096;
  const uint64_t begin = (kUploadsOffset + offset + kPage - 1) / kPage * kPage;
  const uint64_t end = (kUploadsOffset + offset + size) / kPage * kPage;
  if (begin < end)
    ::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin),
                static_cast<off_t>(end - begin));
}

void Session::ring_doorbell() const {
  header().doorbell.fetch_add(1);
  if (header().collector_asleep.load() != 0) futex_wake_all(header().doorbell);
}

void Session::stop() const {
  header().state.store(static_cast<uint32_t>(SessionState::stopped), std::memory_order_seq_cst);
  const uint32_t rings = std::min(header().ring_count.load(), kMaxRings);
  for (uint32_t i = 0; i < rings; ++i) {
    ring(i).drained_signal.fetch_add(1);
    futex_wake_all(ring(i).drained_signal);
  }
}

}  // namespace vestige
