#include "record/collect/rank_table.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace vestige {

using namespace protocol;

namespace {
using namespace std::chrono_literals;
constexpr auto kLongestWait = 10s;  // for a rank that was not started yet
constexpr auto kBetweenQuestions = 50ms;
}  // namespace

RankTable::RankTable(const Session& session, uint32_t size, uint32_t size_here,
                     std::function<bool(uint32_t)> elsewhere)
    : session_(session),
      ranks_(std::min(size, kMaxRanks)),
      size_here_(size_here),
      is_elsewhere_(std::move(elsewhere)),
      changed_(Clock::now()) {}

RankTable::~RankTable() {
  for (const Rank& rank : ranks_)
    if (rank.pidfd >= 0) ::close(rank.pidfd);
}

void RankTable::look(Clock::time_point now) {
  const bool ask = !all_came() && now - asked_ > kBetweenQuestions;
  if (ask) asked_ = now;
  for (uint32_t r = 0; r < ranks_.size(); ++r) {
    Rank& rank = ranks_[r];
    const RankEntry& entry = session_.rank(r);
    const auto state = static_cast<RankState>(entry.state.load(std::memory_order_acquire));
    if (!rank.came && state != RankState::none) {
      rank.came = rank.runs = true;
      rank.pidfd = static_cast<int>(::syscall(SYS_pidfd_open, entry.launcher, 0));
      ++came_;
      ++running_;
      changed_ = now;
    }
    if (ask && !rank.came && !rank.elsewhere && is_elsewhere_(r)) {
      rank.elsewhere = true;
      ++elsewhere_;
    }
    if (!rank.runs) continue;
    pollfd poll{rank.pidfd, POLLIN, 0};
    if (state != RankState::ended && rank.pidfd >= 0 && ::poll(&poll, 1, 0) == 0) continue;
    rank.runs = false;
    --running_;
    changed_ = now;
  }
}

bool RankTable::over(Clock::time_point now) const {
  return running_ == 0 && (all_came() || now - changed_ > kLongestWait);
}

bool RankTable::turn_of(uint32_t rank, Clock::time_point now) const {
  if (now - changed_ > kLongestWait) return true;
  for (uint32_t lower = 0; lower < std::min<size_t>(rank, ranks_.size()); ++lower)
    if (!ranks_[lower].has_process &&
        (ranks_[lower].came ? ranks_[lower].runs : !ranks_[lower].elsewhere && !all_came()))
      return false;
  return true;
}

void RankTable::has_process(uint32_t rank) {
  if (rank < ranks_.size()) ranks_[rank].has_process = true;
}

std::string RankTable::missing() const {
  std::string out;
  const auto say = [&](uint32_t rank, const std::string& what) {
    out += (out.empty() ? "rank " : ", rank ") + std::to_string(rank) + what;
  };
  for (uint32_t r = 0; r < ranks_.size(); ++r) {
    const RankEntry& entry = session_.rank(r);
    if (!ranks_[r].came) {
      // One alone: its file is meant to be its own.
      if (size_here_ == ranks_.size() && came_ > 1 && !ranks_[r].elsewhere)
        say(r, " was never started");
    } else if (entry.state.load() != static_cast<uint32_t>(RankState::ended)) {
      say(r, "'s recorder was killed");
    } else if (WIFSIGNALED(entry.status)) {
      say(r, " was killed by signal " + std::to_string(WTERMSIG(entry.status)));
    } else if (!ranks_[r].has_process) {
      say(r, " has no recorded code");
    }
  }
  return out;
}

std::optional<int> RankTable::status_of(uint32_t rank, pid_t pid, bool& unknown) const {
  unknown = true;
  if (rank >= ranks_.size()) return std::nullopt;
  const RankEntry& entry = session_.rank(rank);
  const bool ended =
      entry.state.load(std::memory_order_acquire) == static_cast<uint32_t>(RankState::ended);
  if (ended && entry.program == static_cast<uint32_t>(pid)) return entry.status;
  unknown = ended || !ranks_[rank].runs;
  return std::nullopt;
}

}  // namespace vestige
