// A trace written in another way: the three representations of the parallel-executions paper, as
// files.
//
//     auto report = vestige::represent(trace, vestige::Representation::cdr, "small.vst");
//
// cor   control only: each thread's paths as one SEQUITUR grammar with its synchronization operations
//       marked in it, and the order of those operations
// dor   data only: each thread's accesses to shared memory and its synchronization operations, in
//       order, as a grammar
// cdr   cor, and for each load and store that touches shared memory the addresses it went to,
//       Diff∘RLE∘SEQ
//
// A file of the first or last kind is a trace like any other: whatever asks for control flow works
// on it. Memory is shared when it lies in a page of 4 KiB that more than one thread touches. Of a
// program with one thread all of it counts. The cdr keeps all addresses of a load or store that
// ever goes to such a page, so that they line up with the control flow.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "vestige/api.h"
#include "vestige/result.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

enum class Representation : uint8_t { cor, dor, cdr };

struct RepresentationReport {
  uint64_t blocks = 0;        // executed, 4 bytes each in a plain log
  uint64_t accesses = 0;      // that are kept, 4 bytes each (or 8)
  uint64_t all_accesses = 0;  // private ones too
  uint64_t sync_operations = 0;
  uint64_t control_bytes = 0;  // compressed
  uint64_t sync_bytes = 0;     // their order
  uint64_t access_bytes = 0;
  uint64_t detail_bytes =
      0;  // of a cdr: sizes and times that nothing else tells, library functions
  uint64_t memory_bytes = 0;  // of a dor or cdr: when memory changed hands
  uint64_t file_bytes = 0;    // with program, threads, processes
};
// `progress`: paths written so far.
Result<RepresentationReport> represent(const Trace& trace, Representation as,
                                       const std::string& file,
                                       const std::function<void(uint64_t)>& progress = nullptr);

// What the trace is; nothing: as it was recorded.
std::optional<Representation> representation_of(const Trace& trace);

// In a cor or cdr: the time at which the thread's m-th synchronization operation took place (from
// 1), found in the grammar by its counts. ErrorKind::missing when there are not so many.
Result<uint64_t> time_of_sync(const Trace& trace, uint32_t thread, uint64_t m);
// The other way: how many of them took place before the path with this time ended.
Result<uint64_t> syncs_before(const Trace& trace, uint32_t thread, uint64_t time);

// In a dor: a thread's accesses and synchronization operations, in order.
struct SharedAccess {
  bool sync = false;  // the next synchronization operation; what follows says nothing
  bool write = false;
  uint64_t address = 0;
};
// Must not outlive its Trace.
class SharedAccessCursor {
 public:
  // ErrorKind::unsupported when the trace is no dor.
  static Result<SharedAccessCursor> open(const Trace& trace, uint32_t thread);
  SharedAccessCursor(SharedAccessCursor&&) noexcept;
  SharedAccessCursor& operator=(SharedAccessCursor&&) noexcept;
  ~SharedAccessCursor();

  uint64_t size() const;  // accesses and operations, in all
  bool next();            // false at the end
  const SharedAccess& access() const;
  // Behind the m-th synchronization operation (from 1; 0: the beginning), by its counts. False when
  // there are not so many.
  bool seek_sync(uint64_t m);

 private:
  struct VESTIGE_LOCAL State;
  explicit SharedAccessCursor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// In a cdr: the addresses of one load or store of a thread, in order, as runs.
struct AddressPattern {
  uint64_t statement_id = 0;
  bool write = false;
  uint64_t count = 0;  // of addresses
  // Compressed. Statements whose addresses are a fixed distance apart share them.
  uint64_t bytes = 0;
};
Result<std::vector<AddressPattern>> address_patterns(const Trace& trace, uint32_t thread);
struct PatternRun {
  uint64_t start = 0, stride = 0, count = 0;  // the stride modulo 2^64
};
// False from `take` ends the reading.
Result<void> read_pattern(const Trace& trace, uint32_t thread, const AddressPattern& pattern,
                          const std::function<bool(const PatternRun&)>& take);

// What a cdr tells of one load or store, of one thread or all, without reading its addresses one by
// one: the same as RunSummary (values.h) of the recording.
struct PatternSummary {
  uint64_t statement_id = 0;
  bool write = false;
  uint64_t accesses = 0;
  uint64_t runs = 0;  // as long as they can be; nests of them are not looked for
  // The most frequent distance inside of runs, and how often it is.
  int64_t stride = 0;
  uint64_t stride_count = 0;
  double statements_between = 0;   // executed, on average, from one of these to the next
  uint64_t prefetch_distance = 0;  // executions ahead; 0: prefetching makes no sense
};
// Of the loads and stores among these statements (#ID) that the cdr keeps, by rising #ID. Walks
// over each thread's paths once.
Result<std::vector<PatternSummary>> summarize_patterns(const Trace& trace,
                                                       const std::set<uint64_t>& statements,
                                                       std::optional<uint32_t> thread);

}  // namespace vestige
VESTIGE_API_END
