// A recorded execution, opened for reading. Start here:
//
//     auto trace = vestige::Trace::open("prog.vst");
//     auto cursor = trace->walk(0);              // thread 0, before its first path
//     while (cursor->next()) use(cursor->function(), cursor->blocks());
//
// A Trace maps its file and is immutable: any number of threads may use one Trace, each with its
// own cursors. Cursors must not outlive their Trace.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vestige/api.h"
#include "vestige/program.h"
#include "vestige/result.h"

VESTIGE_API_BEGIN
namespace vestige {

enum class EndReason : uint8_t { exited, killed, execed, stopped, unknown };

struct ProcessInfo {
  uint32_t pid = 0;
  uint32_t parent_pid = 0;
  uint32_t forked_from = kNone;  // index into Trace::processes()
  std::string executable;
  std::vector<std::string> arguments;
  EndReason end = EndReason::unknown;
  int32_t status = 0;  // exit code, or signal when killed
};

struct ThreadInfo {
  uint32_t process = 0;  // index into Trace::processes()
  uint32_t tid = 0;
  bool handler = false;  // runs of signal handlers, kept apart from the thread they interrupted
  // Index into Trace::threads(): its creator, the thread it is a fork of, or the one it
  // interrupted.
  uint32_t parent = kNone;
  uint64_t parent_time = 0;  // paths the parent had completed then
  uint64_t handle = 0;       // its pthread id; 0 when that is not known
  uint64_t first_time = 1;   // time of the first path kept (more than 1 with --last)
  uint64_t paths = 0;        // paths kept
  EndReason end = EndReason::unknown;
  int32_t status = 0;
};

struct ModuleInfo {
  std::string name;
  uint64_t load_address = 0;
  uint32_t first_function = 0;  // index into Trace::functions()
  uint32_t function_count = 0;
};

// Something that happened between two paths of a thread.
struct TraceEvent {
  enum class Kind : uint8_t {
    unwound,        // exception or longjmp: the call stack was cut back
    gap,            // not recorded meanwhile (--start/--stop)
    switched,       // swapcontext: another stack, of which nothing is known
    module_load,    // numbers: module index; unless 0, which of its tables of addresses
    module_unload,  // numbers: module index
    fatal_signal,  // numbers: signal, pc, fault address, place (first path id, block; or kNone), 17
                   // registers, and where known line and column of the pc
    handler_begin,  // numbers: signal, interrupted thread, its time
    handler_end,
    abandoned,      // a path was left in its middle
    thread_create,  // numbers: pthread id
    thread_join,    // the same
    fork,           // numbers: pid of the child
    unregistered,   // numbers: count of paths of code without ids
    damaged,        // numbers: count of paths lost to a damaged chunk, when known
  };
  Kind kind = Kind::abandoned;
  uint64_t time = 0;  // paths completed before it
  std::vector<uint64_t> numbers;
  // fatal_signal: where the pc is; where that is not known (no place in numbers), where the
  // innermost activation was last seen
  uint32_t function = kNone, block = kNone, line = 0;
};

// The path a path id stands for, taken apart once and kept.
struct Path {
  uint32_t id = 0;
  uint32_t function = 0;  // index into Trace::functions()
  bool enters = false;    // begins an activation
  bool leaves = false;    // ends it: return, tail call, unwind
  bool resumes = false;   // its first segment continues a block begun by an earlier path
  SegmentEnd end = SegmentEnd::branch;
  std::vector<uint32_t> segments;  // Function::segments
  std::vector<uint32_t> blocks;    // Function::blocks it begins, in order: without the resumed one
  uint64_t statements = 0, loads = 0, stores = 0, syncs = 0;  // what it executes
};

class PathCursor;

// sync_ops: every synchronization operation (sync.h): atomic ones by the paths that end in them,
// all others as they were told.
struct TraceCounts {
  uint64_t paths = 0, blocks = 0, statements = 0, loads = 0, stores = 0, sync_ops = 0;
};

// How often each thing ran. Blocks: Function::blocks; statements: Function::statements.
struct FunctionCounts {
  uint64_t activations = 0;
  std::vector<uint64_t> blocks;
  std::vector<uint64_t> statements;
};

class Trace {
 public:
  // Opens a complete trace file. Errors name the file, the place and what to do ("… run vestige
  // recover").
  static Result<Trace> open(const std::string& path);
  // A recording that is still being made: the first so many bytes of the file
  // (RecordOptions::written). catch_up() takes in what has come since, and nothing else may use the
  // trace meanwhile. False: that changes what was known (a library was loaded, another process
  // came); follow it anew.
  static Result<Trace> follow(const std::string& path, uint64_t bytes);
  Result<bool> catch_up(uint64_t bytes);
  Trace(Trace&&) noexcept;
  Trace& operator=(Trace&&) noexcept;
  ~Trace();

  const std::string& file() const;
  uint64_t file_bytes() const;
  std::optional<std::string> meta(const std::string& key) const;
  const std::vector<std::pair<std::string, std::string>>& meta() const;
  const std::vector<ProcessInfo>& processes() const;
  const std::vector<ThreadInfo>& threads() const;
  const std::vector<ModuleInfo>& modules() const;
  const std::vector<Function>& functions() const;
  // Bytes of the file by what they hold: control, events, stack, program, values
  // (of full recordings), sync (of programs that synchronize), other.
  std::vector<std::pair<std::string, uint64_t>> sections() const;

  // The path with this id, or nullptr when the trace has no such path. Stable address.
  const Path* path(uint32_t id) const;

  // A cursor over one thread's paths, before the first one.
  Result<PathCursor> walk(uint32_t thread) const;
  // All events of a thread, in order.
  Result<std::vector<TraceEvent>> events(uint32_t thread) const;
  // The call stack of a thread after `time` paths: (path id, time) of each activation, outermost
  // first. Events at that time are applied. An activation of which nothing is known (older than
  // what was kept) has path 0.
  struct StackFrame {
    uint32_t path = 0;  // the last path the activation completed
    uint64_t time = 0;
    bool operator==(const StackFrame&) const = default;
  };
  Result<std::vector<StackFrame>> stack(uint32_t thread, uint64_t time) const;

  // Counts over the whole trace, or one thread (kNone: all). Reads every path once, on all cores.
  Result<TraceCounts> counts(uint32_t thread = kNone) const;
  // Per function, block and statement; indexed like functions().
  Result<std::vector<FunctionCounts>> profile(uint32_t thread = kNone) const;

  struct VESTIGE_LOCAL State;
  const State& state() const { return *state_; }

 private:
  explicit Trace(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Moves over a thread's paths, both ways. It stands on a path, or before the first, or behind the
// last.
class PathCursor {
 public:
  PathCursor(PathCursor&&) noexcept;
  PathCursor& operator=(PathCursor&&) noexcept;
  ~PathCursor();

  // Each moves and says whether the cursor now stands on a path. False with error() set: damaged
  // bytes; the cursor stays where it was. After skip_damage() they step over what is damaged
  // instead, and time() jumps.
  bool next() {
    if (at_ + 1 < window_end_) {
      const Path* path = lookup(at_[1]);
      if (!path) return bad_path(true);
      path_ = path;
      ++at_;
      ++time_;
      return true;
    }
    return next_window();
  }
  bool prev() {
    if (at_ > window_begin_) {
      const Path* path = lookup(at_[-1]);
      if (!path) return bad_path(false);
      path_ = path;
      --at_;
      --time_;
      return true;
    }
    return prev_window();
  }
  // How many of the next paths are the same one again: those that are at hand, `most` at most.
  // There may be more behind them.
  uint64_t same_ahead(uint64_t most = UINT64_MAX) const;
  // The numbers of the paths that follow, as far as they are at hand.
  std::span<const uint32_t> ahead() const {
    return path_ ? std::span(at_ + 1, window_end_) : std::span<const uint32_t>();
  }
  // The path of such a number; null: there is none.
  const Path* find(uint32_t id) const { return lookup(id); }
  // Moves over so many paths that are at hand; the last one must be the one it stands on, again.
  void skip_same(uint64_t count) {
    at_ += count;
    time_ += count;
  }
  // Moves over as many rows of these paths, one after the other, as follow, `most` at most, at hand
  // or not; how many there were. Without any it stays.
  uint64_t go_over(std::span<const uint32_t> row, uint64_t most);
  // One more than the time of the last path.
  uint64_t end_time() const;
  // Stands on the path with this time. Past the ends: stands before the first or behind the last,
  // false.
  bool seek(uint64_t time);
  // Stands on no path, so that next() goes to the one with this time, or the first one behind it.
  void stand_before(uint64_t time);
  void to_start();  // before the first path
  void to_end();    // behind the last
  void skip_damage();

  // Before the first path: one less than its time; behind the last: one more.
  uint64_t time() const { return time_; }
  // Of the path the cursor stands on; undefined when it stands on none.
  const Path& path() const { return *path_; }
  uint32_t function() const { return path_->function; }
  // The blocks this path begins, in order.
  std::span<const uint32_t> blocks() const { return path_->blocks; }
  // Why the last move that gave false did, when that was damage; otherwise nullptr.
  const Error* error() const;

 private:
  friend class Trace;
  struct VESTIGE_LOCAL State;
  explicit PathCursor(std::unique_ptr<State> state);
  // Invariants: window_begin_ <= at_ < window_end_ and *at_ is path_'s id when the cursor stands on
  // a path; otherwise at_ == window_begin_ == window_end_ == &nowhere_, so that both inline steps
  // fall through.
  const Path* lookup(uint32_t id) const {
    const uint32_t page = id >> kPageBits;
    if (page < page_count_) {
      if (const Slot* slots = pages_[page].load(std::memory_order_acquire)) {
        const Slot& slot = slots[id & ((1u << kPageBits) - 1)];
        if (const Path* path = slot.load(std::memory_order_acquire)) return path;
      }
    }
    return lookup_slow(id);
  }
  const Path* lookup_slow(uint32_t id) const;
  bool bad_path(bool forward);
  bool next_window();
  bool prev_window();
  bool stand_on(size_t chunk, uint64_t time);
  void show_window(size_t at);
  void stand_nowhere(uint64_t time);

  // Path ids of the decoded block around the cursor; at_ is where it stands.
  const uint32_t* at_ = &nowhere_;
  const uint32_t* window_begin_ = &nowhere_;
  const uint32_t* window_end_ = &nowhere_;
  uint64_t time_ = 0;
  const Path* path_ = nullptr;
  // The two-level table from path id to Path that all cursors of the trace share
  // (src/trace/path_table.h).
  static constexpr uint32_t kPageBits = 12;
  using Slot = std::atomic<const Path*>;
  const std::atomic<Slot*>* pages_ = nullptr;
  uint32_t page_count_ = 0;
  std::unique_ptr<State> state_;
  static const uint32_t nowhere_;
};

// Checks everything that can be checked: checksums, sequence, every path id, that each path can
// follow the one before it in its activation, times, stacks at chunk starts, directory against
// chunks, counts at ends.
struct VerifyReport {
  bool ok = true;
  uint64_t chunks = 0;
  uint64_t paths = 0;
  uint64_t statements = 0;
  uint64_t values_compared = 0;  // derived values compared with those that record --check kept
  std::vector<std::string> problems;
  // What could not be checked (values of a call stack that is too deep), what looks odd.
  std::vector<std::string> notes;
};
Result<VerifyReport> verify(const std::string& path);

struct RecoverReport {
  uint64_t chunks = 0;
  uint64_t paths = 0;
  std::vector<std::string> damage;
};
// Writes what can be read of a damaged or unfinished trace as a complete new one.
Result<RecoverReport> recover(const std::string& from, const std::string& to);

}  // namespace vestige
VESTIGE_API_END
