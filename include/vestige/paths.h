// Whole program paths: did this function ever go this way, when, and how often? Answered on the
// grammar of each thread's paths, without unpacking it (docs/paths.md).
//
//     auto search = vestige::PathSearch::open(trace);
//     auto pattern = search->pattern({.function = f, .text = "B1 B2 B5"});
//     auto times = search->count(*pattern);
//     for (auto all = search->matches(*pattern); auto match = all.next();) use(match->time);
//
// A path is intraprocedural: consecutive blocks of one activation, whatever it calls in between.
// It ends at its last block; overlapping ones count. Of an expression, every block counts at which
// some match ends.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vestige/api.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

// ---- the index of paths: T.vst.wpp --------------------------------------------------------------

struct PathIndexOptions {
  std::function<void(uint64_t done, uint64_t total)> progress;  // paths; as in index.h
  // A chunk holds about this much of the raw log: 4 bytes a block, a function entry, an exit.
  uint64_t chunk_bytes = uint64_t{4} << 20;
};

struct PathIndexReport {
  std::string file;
  uint64_t bytes = 0;          // of the file
  uint64_t grammar_bytes = 0;  // the annotated grammars
  uint64_t index_bytes = 0;    // chunks, their levels and bitmaps
  uint64_t raw_bytes = 0;      // what the log would take
  uint64_t paths = 0, grammars = 0, rules = 0, symbols = 0, chunks = 0;
};

// Makes it anew. Uses all cores, a thread of the trace each; memory is bounded.
Result<PathIndexReport> build_path_index(const Trace& trace, const PathIndexOptions& options = {});

// ---- patterns -----------------------------------------------------------------------------------

enum class PatternKind : uint8_t {
  path,   // "B1 B2 B5" or "1 2 5": these blocks, one after the other
  lines,  // "12 14 15": consecutive blocks that hold these lines
  regex,  // "B1 (B2|B3)* B4": blocks, . (any block), L12 (a block that holds line 12), @name (a
          // call of that function), @ (any call), ( ) | * + ? {n} {n,m}. Begins with a block. Calls
          // are passed through wherever they are not asked for.
};

struct PatternOptions {
  uint32_t function = 0;  // index into Trace::functions()
  PatternKind kind = PatternKind::path;
  std::string text;
  uint32_t caller = kNone;  // only activations that this function called
  uint32_t thread = kNone;  // only this thread
};

class PathPattern {
 public:
  uint32_t function() const;
  const PatternOptions& options() const;
  ~PathPattern();
  PathPattern(PathPattern&&) noexcept;
  PathPattern& operator=(PathPattern&&) noexcept;
  struct Program;
  const Program& program() const { return *program_; }

 private:
  friend class PathSearch;
  explicit PathPattern(std::unique_ptr<Program> program);
  std::unique_ptr<Program> program_;
};

// ---- matches ------------------------------------------------------------------------------------

// The schemes of the path-matching paper. They give the same answers.
enum class MatchScheme : uint8_t {
  automatic = 0,
  unpack = 1,   // expands the grammar and scans it
  grammar = 2,  // summaries of all rules, bottom-up
  chunks = 3,   // reads the chunks of the trace that hold the function
  index = 4,    // the grammar, but only below the chunks that hold the function
};

struct PathMatch {
  uint32_t thread = 0;
  uint64_t time = 0;   // of the path that holds the last block
  uint32_t block = 0;  // the last block: position in Path::blocks of that path
};

// Matches one by one, thread by thread, by rising time.
class MatchCursor {
 public:
  MatchCursor(MatchCursor&&) noexcept;
  ~MatchCursor();
  // None at the end, or when error() is set.
  std::optional<PathMatch> next();
  // Leaves out the next `count`; gives how many there were. Costs no visit on the grammar.
  uint64_t skip(uint64_t count);
  const Error* error() const;

 private:
  friend class PathSearch;
  struct VESTIGE_LOCAL State;
  explicit MatchCursor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class PathSearch {
 public:
  // Makes the index of paths when there is none that fits.
  static Result<PathSearch> open(const Trace& trace, const PathIndexOptions& options = {});
  PathSearch(PathSearch&&) noexcept;
  ~PathSearch();

  // Fails with `usage` on text that makes no sense, or of which the automaton would be too large.
  Result<PathPattern> pattern(const PatternOptions& options) const;

  Result<uint64_t> count(const PathPattern& pattern,
                         MatchScheme scheme = MatchScheme::automatic) const;
  // Of many patterns, together: what has to be unpacked is unpacked once for all of them.
  Result<std::vector<uint64_t>> count(const std::vector<const PathPattern*>& patterns,
                                      MatchScheme scheme = MatchScheme::automatic) const;
  MatchCursor matches(const PathPattern& pattern,
                      MatchScheme scheme = MatchScheme::automatic) const;
  // What `automatic` stands for: `first` when only the first match is wanted, `requests` patterns.
  MatchScheme choose(const PathPattern& pattern, bool first, size_t requests = 1) const;

  // The activation that a path at this time belongs to: when it was entered (0: before the trace
  // begins) and from which function (kNone: not known).
  struct Activation {
    uint64_t entered = 0;
    uint32_t caller = kNone;
  };
  Activation activation(uint32_t thread, uint64_t time) const;

  struct VESTIGE_LOCAL State;
  const State& state() const { return *state_; }

 private:
  explicit PathSearch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace vestige
VESTIGE_API_END
