// Each process has a stand-in, forked before MPI begins, in a session of its own: what ends the
// processes leaves it alone. As long as its process lives it does nothing. Once one is killed, the
// launcher ends all others, and one of the stand-ins (a lock decides) merges all files by itself.
// It may be killed too: the lock goes to the next. Nobody acts when every process was told to end:
// that is the user's wish.
#include "merge_over_mpi.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "commands.h"
#include "merge_ledger.h"
#include "report.h"

namespace vestige::cli {

namespace {

using namespace std::chrono_literals;
constexpr auto kLook = 20ms;
// For how long a stand-in waits for processes that did not come yet.
constexpr auto kLongestSilence = 3s;

// Who was killed, or never came.
std::string list_of(const MergeLedger& ledger) {
  const auto states = ledger.states();
  const auto list = [&](std::initializer_list<MergeLedger::State> wanted) {
    std::string who;
    for (size_t r = 0; r < states.size(); ++r)
      if (std::ranges::find(wanted, states[r]) != wanted.end())
        who += fmt::format("{}{}", who.empty() ? "" : ", ", r);
    return who;
  };
  const std::string who = list({MergeLedger::killed, MergeLedger::absent});
  return fmt::format("process{} {} of {}", who.contains(',') ? "es" : "", who, ledger.size());
}

// The whole merge, without the others.
void merge_alone(const MergeJob& job, const MergeLedger& ledger) {
  std::vector<Descriptors> ranks;
  std::vector<std::string> missing;
  for (const std::string& file : job.files) {
    auto rank = read_rank(file);
    if (rank)
      ranks.push_back(std::move(*rank));
    else
      missing.push_back(fmt::format("{}: {}", file, rank.error().message));
  }
  if (ranks.empty()) return;
  auto merged = Descriptors::merge(std::move(ranks));
  if (!merged) return;
  merged->say_merged(fmt::format("{} was killed during the merge; another one read its files{}",
                                 list_of(ledger),
                                 missing.empty() ? ", and nothing is missing" : ""));
  for (std::string& text : missing) merged->say_missing(std::move(text));
  if (write_merged(*merged, job.output, ledger.file() + ".new"))
    ledger.mark(MergeLedger::finished_by_stand_in);
}

// Whether the merge is to be finished by stand-ins. Waits until that is clear.
bool is_wanted(const MergeLedger& ledger) {
  const auto until = std::chrono::steady_clock::now() + kLongestSilence;
  while (std::chrono::steady_clock::now() < until) {
    if (ledger.outcome() != MergeLedger::open_yet) return false;
    const auto states = ledger.states();
    if (std::ranges::find(states, MergeLedger::killed) != states.end()) return true;
    if (std::ranges::all_of(states, [](auto state) {
          return state == MergeLedger::told || state == MergeLedger::dismissed;
        }))
      return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

[[noreturn]] void stand_in(const MergeJob& job, MergeLedger& ledger, int from_process) {
  ::setsid();
  ::signal(SIGPIPE, SIG_IGN);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) ::dup2(nothing, fd);
  ledger.detach(from_process);  // of what it has the launcher hears when its process ends
  char word = 0;
  ssize_t got = 0;
  while ((got = ::read(from_process, &word, 1)) < 0 && errno == EINTR) {
  }
  if (got == 0) {  // its end of the pipe went with it
    if (ledger.states()[ledger.rank()] == MergeLedger::runs) ledger.mark(MergeLedger::killed);
    if (is_wanted(ledger)) {
      ledger.lock();
      if (ledger.outcome() == MergeLedger::open_yet) merge_alone(job, ledger);
    }
  }
  ledger.remove();
  ::_exit(0);
}

// Remembers whether the others could be reached.
class CheckedTransport final : public Transport {
 public:
  explicit CheckedTransport(Transport& real) : real_(real) {}
  uint32_t rank() const override { return real_.rank(); }
  uint32_t size() const override { return real_.size(); }
  Result<void> send(uint32_t to, std::span<const uint8_t> bytes) override {
    auto sent = real_.send(to, bytes);
    failed_ |= !sent;
    return sent;
  }
  Result<std::vector<uint8_t>> receive(uint32_t from) override {
    auto received = real_.receive(from);
    failed_ |= !received;
    return received;
  }
  bool failed() const { return failed_; }

 private:
  Transport& real_;
  bool failed_ = false;
};

// From process 0 down the tree by which the data came.
void pass_down(Transport& transport, std::vector<uint8_t> outcome) {
  const uint32_t rank = transport.rank();
  uint32_t step = 1;
  while (step < transport.size() && !(rank & step)) step *= 2;
  if (rank != 0) {
    const auto received = transport.receive(rank - step);
    if (!received) return;
    outcome = *received;
  }
  for (step /= 2; step != 0; step /= 2)
    if (rank + step < transport.size() && !transport.send(rank + step, outcome)) return;
}

const MergeLedger* signalled = nullptr;
void on_end(int) { signalled->mark(MergeLedger::told); }

// Ends the process when there is nothing more to wait for: MPI's own waiting has no end when
// somebody was killed.
void watch(const MergeLedger& ledger, const MergeJob& job, const std::atomic<bool>& over) {
  while (!over) {
    std::this_thread::sleep_for(kLook);
    const auto outcome = ledger.outcome();
    const auto states = ledger.states();
    const bool told = states[ledger.rank()] == MergeLedger::told;
    if (over) return;
    if (outcome == MergeLedger::finished_by_stand_in || (outcome == MergeLedger::written && told)) {
      if (!job.presentation.quiet && ledger.rank() == 0)
        report_error(
            fmt::format("{} was killed; {} is complete all the same", list_of(ledger), job.output));
      ::_exit(kDone);
    }
    if (told && std::ranges::all_of(states, [](auto state) {
          return state == MergeLedger::told || state == MergeLedger::dismissed;
        }))
      ::_exit(128 + SIGTERM);
  }
}

// What process 0 has to say of the whole merge.
int write_result(const Result<std::optional<Descriptors>>& merged, const MergeJob& job,
                 const MergeLedger& ledger) {
  if (!merged) return report_trace(merged.error());
  ledger.lock();
  if (ledger.outcome() == MergeLedger::open_yet) {
    if (const auto written = write_merged(**merged, job.output, ledger.file() + ".new"); !written)
      return report(written.error());
    ledger.mark(MergeLedger::written);
  }
  ledger.unlock();
  report_merged(**merged, job);
  return kDone;
}

}  // namespace

int merge_over_mpi(const MergeJob& job, const ParallelRun& run) {
  auto ledger = MergeLedger::open(job.output, run);
  if (!ledger) return run.rank == 0 ? report(ledger.error()) : int(kIo);
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return report(Error{ErrorKind::io, "cannot make a pipe"});
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[1]);
    stand_in(job, *ledger, ends[0]);
  }
  ::close(ends[0]);
  const auto dismiss = [&] {
    ledger->mark(MergeLedger::dismissed);
    (void)!::write(ends[1], "x", 1);
  };
  signalled = &*ledger;
  ::signal(SIGTERM, on_end);
  ::signal(SIGINT, on_end);
  std::atomic<bool> over = false;
  std::thread watcher([&] { watch(*ledger, job, over); });
  const auto end = [&](int code) {
    over = true;
    watcher.join();
    dismiss();
    return code;
  };

  const auto joined = mpi_transport();
  if (!joined) return end(report_trace(joined.error()));
  CheckedTransport transport(**joined);
  Result<std::vector<Descriptors::Numbered>> own = std::vector<Descriptors::Numbered>();
  for (uint32_t i = transport.rank(); i < job.files.size() && own; i += transport.size()) {
    auto rank = read_rank(job.files[i]);
    if (rank)
      own->emplace_back(i, std::move(*rank));
    else
      own = std::unexpected(rank.error());
  }
  const auto merged = Descriptors::merge_over(transport, std::move(own));
  if (transport.failed()) {
    ::close(ends[1]);  // the stand-in's turn
    watcher.join();
  }
  int code = merged ? kDone : kIo;
  if (transport.rank() == 0)
    code = write_result(merged, job, *ledger);
  else if (!merged)
    code = report_trace(merged.error());
  // Others wait for their end, so that a process 0 that is killed while it writes is missed.
  pass_down(transport, {static_cast<uint8_t>(code)});
  if (transport.failed() && ledger->outcome() == MergeLedger::open_yet) {
    ::close(ends[1]);
    watcher.join();
  }
  return end(code);
}

}  // namespace vestige::cli
