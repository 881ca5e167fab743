#include "merge_ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace vestige::cli {

namespace {

// Bytes of the file that locks are on: of the result, of all who have the file open, of each
// process as long as it lives.
constexpr long kResult = 0, kPresence = 1, kLife = 2;

// Of the run, so that a ledger that an earlier one left behind is not taken for this one's.
uint64_t run_name(const ParallelRun& run) {
  uint64_t name = 0xcbf29ce484222325;
  for (const char c : run.job) name = (name ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return name;
}

}  // namespace

Result<MergeLedger> MergeLedger::open(const std::string& output, const ParallelRun& run) {
  std::string file = fmt::format("{}.merging-{:016x}", output, run_name(run));
  const int fd = ::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0)
    return fail(ErrorKind::io, fmt::format("cannot create {}: {}", file, std::strerror(errno)));
  MergeLedger ledger(fd, std::move(file), run);
  // One that nobody has open was left behind.
  if (ledger.lock(kPresence, F_WRLCK, false)) (void)!::ftruncate(fd, 0);
  ledger.lock(kPresence, F_RDLCK, true);
  ledger.lock(kLife + run.rank, F_RDLCK, true);
  ledger.mark(runs);
  return ledger;
}

MergeLedger::MergeLedger(MergeLedger&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      rank_(other.rank_),
      size_(other.size_),
      file_(std::move(other.file_)) {}

MergeLedger::~MergeLedger() {
  if (fd_ >= 0) ::close(fd_);
}

void MergeLedger::mark(State state) const {
  const char byte = state;
  (void)!::pwrite(fd_, &byte, 1, rank_ + 1);
}

void MergeLedger::mark(Outcome outcome) const {
  const char byte = outcome;
  (void)!::pwrite(fd_, &byte, 1, 0);
}

std::vector<MergeLedger::State> MergeLedger::states() const {
  std::string bytes(size_, '\0');
  (void)!::pread(fd_, bytes.data(), bytes.size(), 1);
  std::vector<State> out;
  for (size_t r = 0; r < bytes.size(); ++r) {
    const auto state = static_cast<State>(bytes[r]);
    const bool dead = state == runs && r != rank_ && !is_locked(kLife + static_cast<long>(r));
    out.push_back(dead ? killed : state);
  }
  return out;
}

MergeLedger::Outcome MergeLedger::outcome() const {
  char byte = 0;
  (void)!::pread(fd_, &byte, 1, 0);
  return static_cast<Outcome>(byte);
}

bool MergeLedger::lock(long byte, int type, bool wait) const {
  struct flock what = {};
  what.l_type = static_cast<short>(type);
  what.l_whence = SEEK_SET;
  what.l_start = byte;
  what.l_len = 1;
  int failed = 0;
  while ((failed = ::fcntl(fd_, wait ? F_OFD_SETLKW : F_OFD_SETLK, &what)) != 0 && errno == EINTR) {
  }
  return failed == 0;
}
bool MergeLedger::is_locked(long byte) const {
  struct flock what = {};
  what.l_type = F_WRLCK;
  what.l_whence = SEEK_SET;
  what.l_start = byte;
  what.l_len = 1;
  return ::fcntl(fd_, F_OFD_GETLK, &what) != 0 || what.l_type != F_UNLCK;
}
void MergeLedger::lock() const { lock(kResult, F_WRLCK, true); }
void MergeLedger::unlock() const { lock(kResult, F_UNLCK, true); }

void MergeLedger::detach(int keep) {
  const int again = ::open(fmt::format("/proc/self/fd/{}", fd_).c_str(), O_RDWR | O_CLOEXEC);
  if (again >= 0) fd_ = again;
  lock(kPresence, F_RDLCK, true);
  const auto [low, high] = std::minmax(static_cast<unsigned>(fd_), static_cast<unsigned>(keep));
  if (low > 3) ::close_range(3, low - 1, 0);
  if (high > low + 1) ::close_range(low + 1, high - 1, 0);
  ::close_range(high + 1, ~0U, 0);
}

void MergeLedger::remove() const {
  struct stat mine, there;
  if (::fstat(fd_, &mine) == 0 && ::stat(file_.c_str(), &there) == 0 &&
      mine.st_ino == there.st_ino && mine.st_dev == there.st_dev)
    ::unlink(file_.c_str());
}

}  // namespace vestige::cli
