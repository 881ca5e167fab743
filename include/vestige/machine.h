// How the recorded execution would have fared on a modelled machine: which branches a predictor
// gets wrong, which loads and stores miss the caches. docs/wet.md says what is modelled.
//
//     auto labels = vestige::MachineLabels::open(trace, {});
//     for (const vestige::MachineStatement& s : labels->statements()) use(s.statement, s.misses);
//
// One bit per execution of a branch, load or store, and a second one for misses of the second
// cache, is kept compressed in a file beside the trace (T.vst.mch) or in the cache directory. It is
// made when it is missing or of another model.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/api.h"
#include "vestige/query.h"
#include "vestige/slice.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

// A cache of `bytes`, in sets of `ways` lines of `line` bytes, least recently used replaced.
struct CacheGeometry {
  uint64_t bytes = 0;
  uint32_t ways = 0;
  uint32_t line = 0;
  bool operator==(const CacheGeometry&) const = default;
};
// "32K,8,64": bytes, ways, bytes of a line. A usage error when no cache is like that: the line must
// be a power of two from 8 to 4096, the ways 1 … 64, and the sets come out whole, 2^26 of them at
// most.
Result<CacheGeometry> parse_cache_geometry(std::string_view text);
std::string cache_geometry_text(const CacheGeometry& geometry);

enum class PredictorKind : uint8_t { tage = 0, gshare = 1 };
std::string_view predictor_name(PredictorKind kind);

struct MachineModel {
  PredictorKind predictor = PredictorKind::tage;
  CacheGeometry l1{32 << 10, 8, 64}, l2{1 << 20, 16, 64};  // l2's line is a multiple of l1's
  bool operator==(const MachineModel&) const = default;
};

enum class MachineKind : uint8_t { branch = 0, load = 1, store = 2 };
std::string_view kind_name(MachineKind kind);

// A copy (memcpy, memmove) is a load and a store, and so is an atomic operation.
struct MachineStatement {
  StatementRef statement;
  MachineKind kind = MachineKind::branch;
  uint64_t executions = 0;
  uint64_t unknown = 0;    // of those: no address, or no one knows where the branch went
  uint64_t misses = 0;     // mispredicted; or missed the first cache
  uint64_t l2_misses = 0;  // of those: missed the second one too
};

struct MachineOptions {
  MachineModel model;
  std::function<void(uint64_t done, uint64_t total)> progress;  // paths, each counted twice
};

class MachineLabels {
 public:
  // Reads the labels, or makes them first. A trace of control flow alone has branches only. The
  // trace must outlive it.
  static Result<MachineLabels> open(const Trace& trace, const MachineOptions& options);
  MachineLabels(MachineLabels&&) noexcept;
  MachineLabels& operator=(MachineLabels&&) noexcept;
  ~MachineLabels();

  const MachineModel& model() const;
  bool has_caches() const;       // there were values to know addresses from
  uint64_t label_bytes() const;  // of the compressed bits
  const std::string& file() const;
  // Of one thread, or summed over all; by rising #ID, then kind. Those that never ran are left out.
  std::vector<MachineStatement> statements(std::optional<uint32_t> thread = std::nullopt) const;
  // The executions of a statement in a thread that missed, as instance numbers from 1, rising.
  // False from `take` ends it.
  Result<void> misses(uint32_t thread, StatementRef statement, MachineKind kind,
                      const std::function<bool(uint64_t instance, bool l2)>& take) const;

 private:
  struct VESTIGE_LOCAL State;
  explicit MachineLabels(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The executions of a branch that were mispredicted, or of a load or store that missed the first
// cache, each with its slice, as one slice: the union. Every one of them is a criterion, and depths
// are those of the nearest. Of each kind of SliceEnd it has the most that one slice left
// unresolved.
struct MissSlice {
  Slice slice;
  uint64_t misses = 0;  // of the statement in the thread
  uint64_t sliced = 0;  // of those: the first `most`
};
// In SliceOptions::thread, or the first thread in which it missed; SliceOptions::instance is not
// looked at. ErrorKind::missing when nothing missed.
Result<MissSlice> slice_misses(const Trace& trace, const MachineLabels& labels,
                               const SliceOptions& options, uint64_t most);

}  // namespace vestige
VESTIGE_API_END
