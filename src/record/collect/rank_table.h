// The ranks of a parallel run that one collector records: who was started, who still runs, and how
// the others ended. A rank's launcher writes its entry of the session (record/protocol.h); that it
// was killed itself is seen by its pidfd. Of the collector's thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "record/collect/session.h"

namespace vestige {

class RankTable {
 public:
  using Clock = std::chrono::steady_clock;
  // Of `size` ranks, so many are on this machine; `elsewhere` knows of some that they are recorded
  // into other files.
  RankTable(const Session& session, uint32_t size, uint32_t size_here,
            std::function<bool(uint32_t rank)> elsewhere);
  ~RankTable();
  RankTable(const RankTable&) = delete;
  RankTable& operator=(const RankTable&) = delete;

  // Looks who came and who went.
  void look(Clock::time_point now);
  bool all_came() const { return came_ + elsewhere_ >= size_here_; }
  // Nobody runs any more, and nobody who is missing will come.
  bool over(Clock::time_point now) const;
  // Whether a process of this rank may have its number: processes are numbered by rank, so those of
  // lower ranks come first, unless they are late or gone.
  bool turn_of(uint32_t rank, Clock::time_point now) const;
  void has_process(uint32_t rank);
  // What did not go as it should, in a sentence; empty when everything did.
  std::string missing() const;
  // How the program with this pid ended, as wait gives it; nothing: that is not known yet.
  // `unknown`: it never will be.
  std::optional<int> status_of(uint32_t rank, pid_t pid, bool& unknown) const;

 private:
  struct Rank {
    int pidfd = -1;  // of its launcher
    bool came = false, runs = false, has_process = false, elsewhere = false;
  };
  const Session& session_;
  std::vector<Rank> ranks_;
  uint32_t size_here_, came_ = 0, running_ = 0, elsewhere_ = 0;
  std::function<bool(uint32_t)> is_elsewhere_;
  Clock::time_point changed_, asked_;
};

}  // namespace vestige
