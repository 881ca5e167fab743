// What the code of OpenMP teams says before it runs: which calls are the runtime's, which loops
// share out work, and what depends on who does the work.
//
// The compiler leaves of a directive calls of libomp (__kmpc_…) and plain code between them. A loop
// that shares out work is one that lies behind the call that gives it its bounds, and contains no
// such call.
//
// What depends on the thread is followed inside of one function only, through operands, its local
// variables and branches; what leaves the function is said to escape (FunctionCode::escapes).
//
// Immutable once made. One owner thread makes it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "vestige/trace.h"

namespace vestige::schedules {

enum class Call : uint8_t {
  none,      // no call
  unknown,   // of something else
  harmless,  // of the runtime or the compiler, and of no consequence here
  fork,
  serialized,  // a region of one thread, by its `if` clause
  end_serialized,
  team_size,    // sets how many threads a team has
  asks_team,    // asks how many
  asks_thread,  // asks which
  static_init,
  static_fini,
  dispatch_init,
  dispatch_next,
  single,
  end_single,
  master,
  end_master,
  barrier,  // and what has one inside
  waits,    // for tasks
  task,
  taskloop,
  combines,  // what a reduction's threads have
};
Call call_of(const Function& function, uint32_t statement);

// Why something may be different when another thread does the work.
enum Dependence : uint8_t {
  kOnBounds = 1,  // on which part of a loop the thread got
  kOnLast = 2,    // on whether it got the last iteration
  kOnWinner = 4,  // on whether it came first to a `single`, or is the master
  kOnThread = 8,  // on which thread it is, or on memory of its own
};

class TeamFunction {
 public:
  explicit TeamFunction(const Function& function);

  // The loop of the work that is shared out behind this call, by block; kNone: none.
  uint32_t work_loop(uint32_t block, bool in_chunks) const;
  bool in_loop(uint32_t block, uint32_t loop) const;
  // How many iterations a round of the loop has, to judge by the copies of each place of the
  // source.
  uint32_t copies(uint32_t loop) const;
  // Which of these the statement is in; kNone: that is not known.
  uint32_t copy_of(uint32_t loop, uint32_t statement) const;
  // It does outside of the loop what some statement in it does.
  bool is_copy(uint32_t loop, uint32_t statement) const;

  // The loop whose part begins at `lower` goes over sections: what counts its rounds chooses by a
  // switch, and is no variable of the source.
  bool has_sections(uint32_t lower) const;

  // By how much the address moves when the part of a loop begins one iteration later: `lower` is
  // the variable that says where. `in_chunks`: in front of each chunk's loop, too. None: that is not
  // known.
  std::optional<int64_t> step_of_address(uint32_t statement, uint32_t lower, bool in_chunks) const;
  // The same of what memcpy, memmove or memset writes, or reads.
  std::optional<int64_t> step_of_copy(uint32_t statement, bool writes, uint32_t lower) const;
  // Dependences of the address that a statement accesses, and of whether it runs.
  uint8_t of_address(uint32_t statement) const;
  uint8_t of_control(uint32_t block) const { return control_[block]; }
  // Something that depends on the thread is kept outside of local variables, or handed to other
  // code.
  bool escapes() const { return escapes_; }
  // It stores to memory, or reads, through the runtime's words on chunks: the variable (an alloca)
  // that this operand of a call points to.
  static uint32_t variable(const Function& function, uint32_t call, size_t operand);

 private:
  void find_loops();
  void find_dependences();
  bool flow(uint32_t statement);
  uint8_t of(const Operand& operand) const;
  std::vector<bool> counters(uint32_t lower) const;
  struct Begins {
    uint32_t lower = kNone;
    uint32_t loop = kNone;  // over chunks, that begins with it
  };
  std::optional<int64_t> step(const Operand& operand, const Begins& begins, int depth) const;
  std::optional<int64_t> step_of_phi(const Statement& phi, const Begins& begins, int depth) const;
  uint32_t root(const Operand& operand) const;
  bool add(uint8_t& to, uint8_t more);

  const Function& function_;
  std::vector<bool> has_bounds_;                   // by loop: a call that gives bounds is inside
  std::vector<uint8_t> value_, memory_, control_;  // by statement, alloca's statement, block
  bool escapes_ = false;
};

// Of all functions, as they are asked for.
class TeamCode {
 public:
  explicit TeamCode(const Trace& trace) : trace_(trace) {}
  const TeamFunction& of(uint32_t function) {
    return codes_.try_emplace(function, trace_.functions()[function]).first->second;
  }

 private:
  const Trace& trace_;
  std::map<uint32_t, TeamFunction> codes_;
};

}  // namespace vestige::schedules
