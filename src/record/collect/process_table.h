// The processes of the session: which there are, which still live, and how they ended.
//
// A process is noticed by its entry in the session. Its life is followed by a pidfd (which becomes
// readable when the last of its threads is gone, and is not confused by reused pids), its way to
// end by wait: the collector is the parent of the program and, as subreaper, of its orphans.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <vector>

#include "record/collect/rank_table.h"
#include "record/collect/session.h"
#include "store/writer.h"

namespace vestige {

struct ProcessEnd {
  format::EndReason reason = format::EndReason::unknown;
  int32_t status = 0;
};

class ProcessTable {
 public:
  // `main` is the program itself: a child of this process. Or there are `ranks`, each with a
  // program that another process launches; `main` is 0.
  ProcessTable(const Session& session, StoreWriter& writer, pid_t main, RankTable* ranks);
  ~ProcessTable();
  ProcessTable(const ProcessTable&) = delete;
  ProcessTable& operator=(const ProcessTable&) = delete;

  // Writes a chunk for every process that has become ready.
  Result<void> discover();
  // Waits for children that ended and gives the processes (session indices) that are gone since the
  // last call, each once.
  std::vector<uint32_t> departed();
  ProcessEnd end(uint32_t session_index) const;
  // Writes the process's end. Its threads' ends come first.
  Result<void> close(uint32_t session_index, ProcessEnd end);

  // The trace's index; kNone when it is not there (yet).
  uint32_t index(uint32_t session_index) const;
  // The session's index of the process this one was forked from; kNone when it came by exec.
  uint32_t forked_from(uint32_t session_index) const;
  const std::vector<uint32_t>& open() const { return open_; }  // session indices
  // Whether this process has children: the program, or orphans of it, recorded or not.
  bool has_children() const;
  uint32_t count() const { return next_index_; }
  // Whether what was started to be recorded has ended.
  bool programs_ended() const;
  // As wait gives it, once the program ended; never when there are ranks.
  const std::optional<int>& main_status() const { return main_status_; }
  pid_t main() const { return main_; }

 private:
  struct Process {
    uint32_t index = 0;
    uint32_t forked_from = kNone;
    pid_t pid = 0;
    int pidfd = -1;
    bool departed = false;
    uint32_t rank = kNone;
    ProcessEnd end;
  };
  bool ended_as_rank(Process& process) const;
  Result<void> take(uint32_t session_index);
  bool alive(const Process& process) const;
  void reap();

  const Session& session_;
  StoreWriter& writer_;
  const pid_t main_;
  RankTable* const ranks_;  // null: one program
  std::optional<int> main_status_;
  std::map<uint32_t, Process> processes_;  // by session index
  std::vector<uint32_t> waiting_;          // noticed, not ready
  std::vector<uint32_t> open_;             // session indices, in order
  uint32_t seen_ = 0;
  uint32_t next_index_ = 0;
};

}  // namespace vestige
