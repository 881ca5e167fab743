// A thread's control flow as terminals (terminal.h), numbered as they are first met. It is what the
// grammar is built from, and what is read where a stretch of time is to be seen without it.
//
// Besides paths there is a terminal for every change of the call stack by other means: exceptions
// and longjmp end activations and keep the others; a gap, another stack, or paths that are missing
// end all of them, since nobody knows what those did meanwhile.
//
// An activation's function is that of the last path seen of it; of one that was there before, and
// of which none has been seen yet, it is not known.
//
// One owner thread. Memory: the call stack (4 bytes an activation), one block of paths, the table
// of terminals.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "store/chunks.h"
#include "trace/depth.h"
#include "trace/paths/terminal.h"
#include "trace/state.h"

namespace vestige {

class TerminalStream {
 public:
  TerminalStream(const Trace::State& trace, uint32_t thread) : trace_(trace), thread_(thread) {}

  // The next terminals, as numbers into terminals(), in the place of what `out` holds. Empty at the
  // end.
  Result<void> read(std::vector<uint32_t>& out);
  // Goes on before the path with this time. `innermost`: the function the innermost activation is
  // of; those of the others are not known.
  Result<void> seek(uint64_t time, uint32_t innermost);

  const std::vector<Terminal>& terminals() const { return terminals_; }

 private:
  static constexpr size_t kMaxDepth = size_t{1} << 24;

  Result<void> open_chunk();
  Result<void> start_chunk(size_t chunk);
  void step(const Path& path, std::vector<uint32_t>& out);
  void change(const Event& event, std::vector<uint32_t>& out);
  void add_change(const Terminal& change, std::vector<uint32_t>& out);
  void forget_stack(uint64_t after, uint64_t missing, std::vector<uint32_t>& out);
  uint64_t depth() const { return below_ + stack_.size(); }
  uint32_t number(uint64_t key, const Terminal& terminal);

  const Trace::State& trace_;
  uint32_t thread_;
  size_t chunk_ = 0;                 // the one that is read, or is next
  std::optional<WordCursor> words_;  // on it
  std::vector<Event> resyncs_;       // of it
  size_t next_resync_ = 0;
  uint64_t time_ = 0;  // of the next path
  bool started_ = false;
  std::vector<uint32_t> pending_;  // before the next path

  uint64_t below_ = 0;           // activations of which the function is not kept, under stack_
  std::vector<uint32_t> stack_;  // functions, the innermost last

  std::vector<Terminal> terminals_;
  std::unordered_map<uint64_t, uint32_t> numbers_;  // by path and caller
  static constexpr size_t kRecentChanges = 64;
  std::vector<uint32_t> changes_;  // terminals without a path, some of the last ones
  std::vector<uint32_t> plain_;    // by path id, where it is small: paths that do not enter
};

}  // namespace vestige
