// What the stack tracker must know of each path id, in one byte, looked up by the id alone.
//
// The table is 4 GiB of address space and as much memory as the ids in use touch. It is filled
// lazily: a byte of 0 means "ask resolve()", which takes the path's function apart at its first
// sight and fills the bytes around the id. So a program table of millions of possible paths costs
// nothing until its paths run, and the hot loop is one load per word.
//
// Of the collector's thread. Its crew (collector.h) reads table() while it parses, and nothing is
// added or resolved meanwhile.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "program/numbering.h"
#include "record/collect/function_filter.h"
#include "store/chunks.h"

namespace vestige {

namespace path_kind {
inline constexpr uint8_t enters = 1;    // begins an activation
inline constexpr uint8_t leaves = 2;    // ends it: return, tail call, unwind
inline constexpr uint8_t plain = 4;     // nothing else to know: the fast loop may take it
inline constexpr uint8_t excluded = 8;  // not to be recorded
inline constexpr uint8_t starts = 16;   // an entry into the --start function
inline constexpr uint8_t stops = 32;    // an entry into the --stop function
inline constexpr uint8_t known = 64;    // in every filled byte
}  // namespace path_kind

class PathKinds {
 public:
  static Result<PathKinds> create(FunctionFilter filter);
  PathKinds(PathKinds&& other) noexcept;
  PathKinds& operator=(PathKinds&&) = delete;
  ~PathKinds();

  const FunctionFilter& filter() const { return filter_; }
  // One byte per path id; 0 where resolve() has not been asked.
  const uint8_t* table() const { return table_; }

  // Takes over a module's function records. `path_counts` belongs to module.functions.
  void add(ModuleChunk module, const std::vector<uint32_t>& path_counts);
  // The id's kind; 0 when no module has that path.
  uint8_t resolve(uint32_t path);
  // A number that is the same for paths of the same function; kNone when there is none.
  uint32_t function_of(uint32_t path) const;

  // The first path id of the function of this module whose guid this is (see pc_map.h).
  std::optional<uint32_t> find_guid(uint32_t module, uint64_t guid);
  // Whether any function seen so far was the one of --start or --stop.
  bool saw_start() const { return saw_start_; }
  bool saw_stop() const { return saw_stop_; }
  // Looks at every function not yet taken apart, so that saw_start, saw_stop and what the filter
  // says of its patterns are final.
  void judge_all();

 private:
  struct Paths {  // a function taken apart
    std::vector<Segment> segments;
    Numbering numbering;
    FunctionFilter::Verdict verdict;
  };
  struct Entry {
    uint32_t first_path = 0;
    uint32_t path_count = 0;
    uint32_t module = 0;
    Bytes record;
    std::unique_ptr<Paths> paths;
    bool bad = false;
  };
  explicit PathKinds(FunctionFilter filter) : filter_(std::move(filter)) {}
  Entry* find(uint32_t path);
  bool take_apart(Entry& entry);
  uint8_t kind_of(const Entry& entry, uint32_t path) const;

  FunctionFilter filter_;
  uint8_t* table_ = nullptr;
  std::vector<Entry> functions_;  // by first_path
  bool saw_start_ = false, saw_stop_ = false;
};

}  // namespace vestige
