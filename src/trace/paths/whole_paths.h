// The whole program paths of a trace, opened for queries: the file T.vst.wpp (cache_file.h), made
// by whole_paths_build.cpp. docs/index-format.md describes it.
//
//   table  := squeezed( chunk_bytes list of threads( first_time list( part ) by_rule by_time ) )
//   part   := offset - end of the piece before, terminals, runs, rules, symbols, raw, checksum:u64
//   piece  := Terminal[], RunRecord[], RuleFacts[], ends:u32[], symbols:u32[]    (path_grammar.h)
//
// A thread's path is a list of grammars, each the size the builder can hold; queries go from one to
// the next, so it is as if one start rule listed theirs.
//
// Thread safety: all parts are checked when it is opened, rule by rule; from then on it is const.
#pragma once

#include <vector>

#include "trace/index/cache_file.h"
#include "trace/paths/chunk_index.h"
#include "vestige/trace.h"

namespace vestige {

inline constexpr CacheKind kPathIndex = {
    {'\x89', 'V', 'S', 'P', '\r', '\n', '\x1a', '\n'}, 1, ".wpp"};

class WholePaths {
 public:
  struct Thread {
    uint64_t first_time = 1;
    std::vector<PathGrammar> parts;
    ChunkIndex by_rule, by_time;
    uint64_t raw_events = 0;  // blocks, entries and exits
  };

  // The file beside the trace or in the cache directory; fails when there is none that fits.
  static Result<WholePaths> open(const Trace& trace);

  const std::string& file() const { return cache_.file(); }
  uint64_t file_bytes() const { return cache_.bytes().size(); }
  uint64_t grammar_bytes() const { return grammar_bytes_; }
  const std::vector<Thread>& threads() const { return threads_; }

 private:
  bool read_table();
  CacheReader cache_;
  uint64_t grammar_bytes_ = 0;
  std::vector<Thread> threads_;
};

}  // namespace vestige
