// What the processes of one merge over MPI know of each other's ends: a file beside the output, a
// byte for each process and one for the whole. Launchers end a whole run when one process is
// killed, so MPI itself tells nobody. Any process may be killed at any instruction: what is in the
// file stays true, and a lock on it goes with its owner.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vestige/record_ranks.h"

namespace vestige::cli {

// Thread-safe, and `mark` may be called by a signal handler.
class MergeLedger {
 public:
  enum State : char {
    absent = 0,  // never came, or not yet
    runs = 'r',
    told = 't',  // was asked to end, by the launcher or the user
    killed = 'k',
    dismissed = 'x',  // knows how the merge ended
  };
  enum Outcome : char { open_yet = 0, written = 'w', finished_by_stand_in = 's' };

  static Result<MergeLedger> open(const std::string& output, const ParallelRun& run);
  MergeLedger(MergeLedger&& other) noexcept;
  ~MergeLedger();

  uint32_t rank() const { return rank_; }
  uint32_t size() const { return size_; }
  const std::string& file() const { return file_; }

  void mark(State state) const;
  void mark(Outcome outcome) const;
  std::vector<State> states() const;  // killed: also who runs no more and says nothing
  Outcome outcome() const;
  // Nobody else may write the result; until unlock, or the process's end.
  void lock() const;
  void unlock() const;
  // In a process that was forked: the two share no locks from here on. Closes all files but itself
  // and `keep`.
  void detach(int keep);
  void remove() const;

 private:
  bool lock(long byte, int type, bool wait) const;
  bool is_locked(long byte) const;
  MergeLedger(int fd, std::string file, const ParallelRun& run)
      : fd_(fd), rank_(run.rank), size_(run.size), file_(std::move(file)) {}
  int fd_;
  uint32_t rank_, size_;
  std::string file_;
};

}  // namespace vestige::cli
