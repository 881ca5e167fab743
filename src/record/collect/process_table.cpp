#include "record/collect/process_table.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/sort_stably.h"

namespace vestige {

using namespace protocol;
using format::EndReason;

namespace {

int open_pidfd(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

ProcessEnd end_of(int status) {
  if (WIFEXITED(status)) return {EndReason::exited, WEXITSTATUS(status)};
  if (WIFSIGNALED(status)) return {EndReason::killed, WTERMSIG(status)};
  return {};
}

}  // namespace

ProcessTable::ProcessTable(const Session& session, StoreWriter& writer, pid_t main,
                           RankTable* ranks)
    : session_(session), writer_(writer), main_(main), ranks_(ranks) {}

ProcessTable::~ProcessTable() {
  for (const auto& [index, process] : processes_)
    if (process.pidfd >= 0) ::close(process.pidfd);
}

Result<void> ProcessTable::discover() {
  const auto now = RankTable::Clock::now();
  if (ranks_) ranks_->look(now);  // first: who is over by now has registered all that it will
  const uint32_t count =
      std::min(session_.header().process_count.load(std::memory_order_acquire), kMaxProcesses);
  for (; seen_ < count; ++seen_) waiting_.push_back(seen_);
  // In the order of the entries: a child's entry comes behind its parent's. Ranks come in theirs.
  if (ranks_)
    sort_stably(waiting_, {}, [&](uint32_t index) { return session_.process(index).rank; });
  std::vector<uint32_t> not_ready;
  Result<void> result;
  for (const uint32_t index : waiting_) {
    const ProcessEntry& entry = session_.process(index);
    const uint32_t rank = entry.rank - 1;  // kNone: none
    if (entry.ready.load(std::memory_order_acquire) == 0 ||
        (ranks_ && rank != kNone && !ranks_->turn_of(rank, now))) {
      not_ready.push_back(index);
      continue;
    }
    if (auto ok = take(index); !ok && result) result = std::move(ok);
    if (ranks_) ranks_->has_process(rank);
  }
  waiting_ = std::move(not_ready);
  return result;
}

Result<void> ProcessTable::take(uint32_t session_index) {
  const ProcessEntry& entry = session_.process(session_index);
  Process process;
  process.index = next_index_++;
  process.pid = static_cast<pid_t>(entry.pid);
  process.pidfd = open_pidfd(process.pid);
  process.departed = !ranks_ && process.pidfd < 0 && errno == ESRCH;
  if (entry.forked_from != 0) process.forked_from = entry.forked_from - 1;
  process.rank = entry.rank - 1;

  // A newer image under the same pid: the old one was replaced by exec. (Or it died and its pid is
  // used again; then the newer one came by fork.)
  for (const uint32_t other_index : open_) {
    Process& other = processes_.at(other_index);
    if (other.pid != process.pid || other.departed) continue;
    other.departed = true;
    if (entry.forked_from == 0) other.end = {EndReason::execed, 0};
  }

  ProcessChunk chunk;
  chunk.index = process.index;
  chunk.pid = entry.pid;
  chunk.parent_pid = entry.parent_pid;
  chunk.forked_from = index(process.forked_from);
  if (const auto text = session_.upload(entry.description, entry.description_size)) {
    std::vector<std::string> parts;
    for (auto begin = text->begin(); begin != text->end();) {
      const auto end = std::find(begin, text->end(), 0);
      parts.emplace_back(begin, end);
      begin = end == text->end() ? end : end + 1;
    }
    if (!parts.empty()) {
      chunk.executable = std::move(parts.front());
      chunk.arguments.assign(std::make_move_iterator(parts.begin() + 1),
                             std::make_move_iterator(parts.end()));
    }
  }
  processes_.emplace(session_index, process);
  open_.push_back(session_index);
  if (auto ok = writer_.append(chunk); !ok || !ranks_ || process.rank == process.index) return ok;
  return writer_.append(MetaChunk{
      {{"rank of process " + std::to_string(process.index), std::to_string(process.rank)}}});
}

bool ProcessTable::alive(const Process& process) const {
  if (process.pidfd >= 0) {
    pollfd poll{process.pidfd, POLLIN, 0};
    return ::poll(&poll, 1, 0) == 0;
  }
  return ::kill(process.pid, 0) == 0 || errno == EPERM;
}

void ProcessTable::reap() {
  while (true) {
    // Look first, wait after: until then the pid is nobody else's, and what the dead process had
    // registered can still be found under it.
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    (void)discover();  // an error stays with the writer and comes back at its next use
    int status = 0;
    if (::waitpid(info.si_pid, &status, WNOHANG) != info.si_pid) return;
    if (info.si_pid == main_) main_status_ = status;
    for (const uint32_t index : open_) {
      Process& process = processes_.at(index);
      if (process.pid != info.si_pid) continue;
      if (process.end.reason == EndReason::unknown) process.end = end_of(status);
      process.departed = true;
    }
  }
}

std::vector<uint32_t> ProcessTable::departed() {
  reap();
  std::vector<uint32_t> gone;
  for (const uint32_t index : open_) {
    Process& process = processes_.at(index);
    if (!process.departed && !alive(process)) process.departed = !ranks_ || ended_as_rank(process);
    if (process.departed) gone.push_back(index);
  }
  return gone;
}

// The launcher of the rank knows how its program ended; that takes it a moment.
bool ProcessTable::ended_as_rank(Process& process) const {
  bool unknown = false;
  if (const auto status = ranks_->status_of(process.rank, process.pid, unknown)) {
    process.end = end_of(*status);
    return true;
  }
  return unknown;
}

bool ProcessTable::programs_ended() const {
  if (!ranks_) return main_status_.has_value();
  // A rank that is over has registered all that it ever will.
  if (!ranks_->over(RankTable::Clock::now()) || seen_ < session_.header().process_count.load())
    return false;
  return std::ranges::none_of(
      waiting_, [&](uint32_t index) { return session_.process(index).ready.load() != 0; });
}

ProcessEnd ProcessTable::end(uint32_t session_index) const {
  const auto found = processes_.find(session_index);
  return found == processes_.end() ? ProcessEnd{} : found->second.end;
}

Result<void> ProcessTable::close(uint32_t session_index, ProcessEnd end) {
  const auto found = processes_.find(session_index);
  if (found == processes_.end() || std::erase(open_, session_index) == 0) return {};
  Process& process = found->second;
  if (process.pidfd >= 0) ::close(std::exchange(process.pidfd, -1));
  EndChunk chunk;
  chunk.is_process = true;
  chunk.index = process.index;
  chunk.reason = end.reason;
  chunk.status = end.status;
  return writer_.append(chunk);
}

uint32_t ProcessTable::index(uint32_t session_index) const {
  const auto found = processes_.find(session_index);
  return found == processes_.end() ? kNone : found->second.index;
}

uint32_t ProcessTable::forked_from(uint32_t session_index) const {
  const auto found = processes_.find(session_index);
  return found == processes_.end() ? kNone : found->second.forked_from;
}

bool ProcessTable::has_children() const {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace vestige
