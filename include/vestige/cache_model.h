// A hierarchy of caches that memory references are played into, from a recording or from
// descriptors (docs/spmd.md).
//
//     auto levels = vestige::parse_cache_levels("32K,8,64/1M,16,64/8M,16,64,shared");
//     vestige::CacheModel model(*levels);
//     model.add_thread(0);                       // for each thread: whose memory it works in
//     model.use(reference);                      // Reference::thread is the number of the thread
//     model.total().misses[0];
//
// Each thread has the private levels for itself; threads of one process share the rest. A level is
// asked for what the one before it does not have, and then has it. A line that one thread writes is
// taken away from all others' private levels, as MESI does, so a miss may be one of sharing.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/api.h"
#include "vestige/machine.h"
#include "vestige/values.h"

VESTIGE_API_BEGIN
namespace vestige {

enum class Replacement : uint8_t { lru, plru };  // plru: a binary tree of the ways

struct CacheLevel {
  CacheGeometry geometry;
  Replacement replacement = Replacement::lru;
  bool shared = false;
  bool operator==(const CacheLevel&) const = default;
};
inline constexpr size_t kMostCacheLevels = 4;
// "32K,8,64/8M,16,64,plru,shared" (8 ways and lines of 64 where they are left out): first level
// first, at most four, private ones before shared ones. A usage error when no hierarchy is like
// that: private levels have lines of one size, further ones the same or more; plru wants ways of a
// power of two.
Result<std::vector<CacheLevel>> parse_cache_levels(std::string_view text);
std::string cache_level_text(const CacheLevel& level);

// The same references with steps: body[i] moves by steps[i] from iteration to iteration.
struct ReferenceRun {
  std::span<const Reference> body;
  std::span<const uint64_t> steps;  // as many; modulo 2^64
  uint64_t iterations = 1;
};

// Of references; what touches several lines missed when one of them did, and why the first of them
// did.
struct CacheCounts {
  uint64_t reads = 0, writes = 0;  // an atomic operation is a write
  std::array<uint64_t, kMostCacheLevels> misses{};
  // Of misses of the first level: the thread never had the line; it was replaced; another thread
  // wrote to it, to bytes that are used now, or only to others.
  uint64_t cold = 0, replaced = 0, true_sharing = 0, false_sharing = 0;
  uint64_t upgrades = 0;  // writes that hit a line which other threads have too

  uint64_t references() const { return reads + writes; }
  void add(const CacheCounts& other);
  bool operator==(const CacheCounts&) const = default;
};

struct CacheStatement {
  uint64_t id = 0;  // #ID
  CacheCounts counts;
};

// A line of memory.
struct CacheLine {
  uint32_t process = 0;
  uint64_t address = 0;
  uint32_t threads = 0;  // that used it
  uint64_t misses = 0, true_sharing = 0, false_sharing = 0;
};

class CacheModel {
 public:
  // The levels must be such as parse_cache_levels gives.
  explicit CacheModel(const std::vector<CacheLevel>& levels);
  CacheModel(CacheModel&&) noexcept;
  CacheModel& operator=(CacheModel&&) noexcept;
  ~CacheModel();

  const std::vector<CacheLevel>& levels() const;
  // The next thread: 0, 1, 2 … All are told before the first reference. Threads with the same
  // number of a process share memory.
  void add_thread(uint32_t process);
  // Of a thread that was added.
  void use(const Reference& reference);
  // The same as all references one by one, iteration by iteration, but faster where lines stay the
  // same.
  void use(const ReferenceRun& run);

  // More than 2^27 lines of memory were touched: nothing is counted any more.
  bool is_full() const;
  CacheCounts total() const;
  const CacheCounts& thread(uint32_t thread) const;
  std::vector<CacheStatement> statements() const;  // by rising #ID
  std::vector<CacheLine> lines() const;            // those that missed; most misses first

 private:
  struct VESTIGE_LOCAL State;
  std::unique_ptr<State> state_;
};

// Reuse distances of one thread: how many different lines were touched since the line was touched
// last. Exact. Time per touch: the logarithm of the number of lines; memory: a few words for each
// line.
class ReuseDistances {
 public:
  explicit ReuseDistances(uint32_t line);  // bytes, a power of two
  ReuseDistances(ReuseDistances&&) noexcept;
  ReuseDistances& operator=(ReuseDistances&&) noexcept;
  ~ReuseDistances();

  // Touches all lines of the reference, rising.
  void use(const Reference& reference);
  void use(const ReferenceRun& run);

  bool is_full() const;   // as CacheModel's
  uint64_t cold() const;  // touches of lines that were never touched before
  std::map<uint64_t, uint64_t> histogram() const;  // by distance: how many touches

 private:
  struct VESTIGE_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace vestige
VESTIGE_API_END
