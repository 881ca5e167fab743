// meet_ranks, record_rank and parallel_run of vestige/record_ranks.h: a rank's side of a parallel
// recording. The collector's side is in record.cpp.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/checksum.h"
#include "record/collect/futex.h"
#include "record/collect/launch.h"
#include "record/collect/preload.h"
#include "record/collect/rank_meeting.h"
#include "record/collect/signals.h"
#include "record/protocol.h"
#include "vestige/record_ranks.h"

namespace vestige {

using namespace protocol;

namespace {

using namespace std::chrono_literals;
constexpr auto kLongestMeeting = 60s;

std::optional<uint32_t> number(const char* name) {
  const char* text = std::getenv(name);
  if (!text) return std::nullopt;
  uint32_t value = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, failure] = std::from_chars(text, end, value);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<uint32_t> first_number(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto value = number(name)) return value;
  return std::nullopt;
}

// The tables of another process's session.
class JoinedSession {
 public:
  // `variable` is what the collector says of it: "<path>:<nonce>+…".
  static Result<JoinedSession> open(const std::string& variable) {
    const auto wrong = [&](const char* what) {
      return fail(ErrorKind::io, std::string("the recording of this run ") + what);
    };
    const size_t colon = variable.rfind(':');
    uint64_t nonce = 0;
    if (colon == std::string::npos) return wrong("left a file that makes no sense");
    std::from_chars(variable.data() + colon + 1, variable.data() + variable.size(), nonce, 16);
    const int fd = ::open(variable.substr(0, colon).c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) return wrong("is over already");
    void* base = ::mmap(nullptr, kRingsOffset, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    if (base == MAP_FAILED) return wrong("cannot be joined");
    JoinedSession session;
    session.base_ = static_cast<uint8_t*>(base);
    if (session.header().magic != kMagic || session.header().version != kProtocolVersion ||
        session.header().nonce != nonce)
      return wrong("is of another version of vestige");
    return session;
  }
  JoinedSession(JoinedSession&& other) noexcept : base_(std::exchange(other.base_, nullptr)) {}
  ~JoinedSession() {
    if (base_) ::munmap(base_, kRingsOffset);
  }
  SessionHeader& header() const { return *reinterpret_cast<SessionHeader*>(base_); }
  RankEntry& rank(uint32_t r) const {
    return *reinterpret_cast<RankEntry*>(base_ + kRankEntriesOffset + r * sizeof(RankEntry));
  }
  void ring_doorbell() const {
    header().doorbell.fetch_add(1);
    futex_wake_all(header().doorbell);
  }

 private:
  JoinedSession() = default;
  uint8_t* base_ = nullptr;
};

// What the collector wrote for the ranks, once it did.
Result<std::string> read_meeting(const RankMeeting& meeting, SignalGuard&) {
  const auto until = std::chrono::steady_clock::now() + kLongestMeeting;
  while (std::chrono::steady_clock::now() < until) {
    char text[512];
    const int fd = ::open(meeting.file.c_str(), O_RDONLY | O_CLOEXEC);
    const ssize_t size = fd < 0 ? -1 : ::read(fd, text, sizeof text);
    if (fd >= 0) ::close(fd);
    if (size > 0 && text[size - 1] == '\n') {
      std::string line(text, static_cast<size_t>(size) - 1);
      if (line.starts_with(kMeetingFailed))
        return fail(ErrorKind::io, line.substr(std::strlen(kMeetingFailed)));
      return line;
    }
    if (fd < 0 && errno == ENOENT)
      return fail(ErrorKind::io, "the recording of this run is over already");
    std::this_thread::sleep_for(10ms);
  }
  return fail(ErrorKind::io, "no collector came for this run; remove " + meeting.file);
}

// Gone with the rank.
class Notice {
 public:
  Notice(const RankMeeting& meeting, uint32_t rank)
      : name_(meeting.notices + "-" + std::to_string(rank)) {}
  Notice(const Notice&) = delete;
  Notice& operator=(const Notice&) = delete;
  ~Notice() { ::unlink(name_.c_str()); }

 private:
  const std::string name_;
};

void wait_for_end_of(uint32_t pid, SignalGuard& signals, pid_t passed_to) {
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (pidfd < 0) return;
  pollfd poll{pidfd, POLLIN, 0};
  while (::poll(&poll, 1, 20) == 0 || errno == EINTR) {
    if (poll.revents & POLLIN) break;
    signals.pass_on(passed_to);
  }
  ::close(pidfd);
}

}  // namespace

std::optional<ParallelRun> parallel_run() {
  ParallelRun run;
  const auto rank = first_number({"OMPI_COMM_WORLD_RANK", "PMI_RANK"});
  const auto size = first_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"});
  if (!rank || !size || *rank >= *size || *size > kMaxRanks) return std::nullopt;
  run.rank = *rank;
  run.size = *size;
  run.size_here = first_number({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}).value_or(*size);
  for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID"})
    if (const char* job = std::getenv(name); job && run.job.empty()) run.job = job;
  // Ranks on one machine have one process above them.
  if (run.job.empty()) run.job = "parent " + std::to_string(::getppid());
  return run;
}

std::string notice_of(const RecordOptions& options) {
  std::error_code failure;
  return std::filesystem::absolute(options.output, failure).lexically_normal().string();
}

std::optional<std::string> noticed_output(const RankMeeting& meeting, uint32_t rank) {
  const std::string name = meeting.notices + "-" + std::to_string(rank);
  const int fd = ::open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  char text[4096];
  const ssize_t size = ::read(fd, text, sizeof text);
  ::close(fd);
  if (size <= 0 || text[size - 1] != '\n') return std::nullopt;
  // "PID OUTPUT": one whose recorder was killed in an earlier run says nothing.
  int pid = 0;
  const char* const end = text + size - 1;
  const auto [stop, failure] = std::from_chars(text, end, pid);
  if (failure != std::errc() || stop == end || pid <= 0 || ::kill(pid, 0) != 0) return std::nullopt;
  return std::string(stop + 1, end);
}

Result<RankMeeting> meet_ranks(const RecordOptions& options, const ParallelRun& run) {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  const std::string key = run.job + '\n' + host;
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string name;
  uint64_t sum = checksum({reinterpret_cast<const uint8_t*>(key.data()), key.size()});
  for (int i = 0; i < 16; ++i, sum >>= 4) name += kDigits[sum & 15];
  std::error_code failure;
  RankMeeting meeting{options.output + ".meeting-" + name, "", false};
  meeting.notices = (std::filesystem::temp_directory_path(failure) /
                     ("vestige-" + std::to_string(::getuid()) + "-" + name))
                        .string();
  // Ranks that write to other files are not waited for. What cannot be told costs that time.
  const std::string notice = meeting.notices + "-" + std::to_string(run.rank);
  const int note =
      ::open(notice.c_str(), O_CREAT | O_TRUNC | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
  const std::string text = std::to_string(::getpid()) + " " + notice_of(options) + "\n";
  if (note >= 0) {
    (void)!::write(note, text.data(), text.size());
    ::close(note);
  }
  const int fd = ::open(meeting.file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0 && errno != EEXIST) {
    const int error = errno;
    ::unlink(notice.c_str());
    return fail(ErrorKind::io, "cannot create " + meeting.file + ": " + std::strerror(error));
  }
  meeting.collects = fd >= 0;
  if (fd >= 0) ::close(fd);
  return meeting;
}

Result<int> record_rank(const RecordOptions& options, const ParallelRun& run,
                        const RankMeeting& meeting) {
  if (options.command.empty()) return fail(ErrorKind::usage, "there is no program to record");
  SignalGuard signals;
  const Notice notice(meeting, run.rank);
  const auto variable = read_meeting(meeting, signals);
  if (!variable) return std::unexpected(variable.error());
  const auto session = JoinedSession::open(*variable);
  if (!session) return std::unexpected(session.error());
  RankEntry& entry = session->rank(run.rank);
  const auto tell = [&](RankState state) {
    entry.state.store(static_cast<uint32_t>(state), std::memory_order_release);
    session->ring_doorbell();
  };
  entry.launcher = static_cast<uint32_t>(::getpid());
  entry.status = 127 << 8;
  tell(RankState::launched);
  auto program = find_program(options.command.front());
  Result<pid_t> child = std::unexpected(Error{});
  if (program)
    child = launch(*program, options.command, with_rank(*variable, run.rank),
                   join_libraries(messages_library(*program), openmp_libraries(*program)));
  if (!program || !child) {
    tell(RankState::ended);
    return std::unexpected(!program ? program.error() : child.error());
  }
  entry.program = static_cast<uint32_t>(*child);
  int status = 0;
  while (::waitpid(*child, &status, WNOHANG) != *child) {
    signals.pass_on(*child);
    std::this_thread::sleep_for(5ms);
  }
  entry.status = status;
  tell(RankState::ended);
  bool others_run = false;
  for (uint32_t r = 0; r < run.size; ++r)
    others_run |= session->rank(r).state.load() == static_cast<uint32_t>(RankState::launched);
  if (status == 0 || !others_run) wait_for_end_of(session->header().collector_pid, signals, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace vestige
