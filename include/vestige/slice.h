// Dynamic slices of a full recording: what made a value, and what a value made.
//
//     auto slice = vestige::slice(trace, {.statement = *find_statement(trace, "#12")});
//     for (const vestige::SliceStatement& s : slice->statements) use(s.statement, s.instances);
//
// The criterion is one execution of a statement. The backward slice holds every execution that it
// depends on, the forward slice every one that depends on it. docs/wet.md says what a dependence
// is.
//
// Slices go through memory that threads share, where synchronization says who wrote it. Where a
// dependence leaves what was recorded, Slice::unresolved says so.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "vestige/api.h"
#include "vestige/query.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

// Why an execution is in the slice: the kind of the dependence between it and SliceInstance::of.
enum class SliceReason : uint8_t {
  criterion,
  operand,   // its result is an operand
  memory,    // it wrote bytes that were read; `address` is the lowest of them
  returned,  // it returned the call's result
  argument,  // the call that passed an argument
  control,   // the branch that decided
  entered,   // the call that the activation was entered by
};
std::string_view reason_name(SliceReason reason);

// Where dependences leave what was recorded.
enum class SliceEnd : uint8_t {
  memory,    // bytes that were read and that nobody is known to have written: from before, or from
             // unrecorded code of which it is not known what it writes
  changed,   // bytes that were not any longer what was last seen there; backwards only
  address,   // loads of which the address is not known
  argument,  // arguments of functions that were called by unrecorded code
  result,    // results of calls of unrecorded code; such a call depends on what it was given
  activation,  // activations that were cut off, or of which the beginning was not recorded
  outside,  // library and system calls that wrote what came from outside of the program: read, fgets, …
  unordered,  // bytes that another thread wrote, and no synchronization says whether before
};
inline constexpr size_t kSliceEnds = 8;
std::string_view end_name(SliceEnd end);

struct SliceInstance {
  StatementRef statement;
  uint32_t thread = 0;
  uint64_t time = 0;
  uint64_t instance = 0;  // in the thread, from 1
  std::optional<uint64_t> value, address;
  uint32_t depth = 0;  // dependences between it and the criterion, on the shortest way
  // The first dependence on that way: from here to that member of Slice::instances.
  SliceReason reason = SliceReason::criterion;
  uint32_t of = kNone;
  uint64_t reason_address = 0;
  uint8_t ends = 0;  // bits of SliceEnd: what of it is unresolved
};

struct SliceStatement {
  StatementRef statement;
  uint64_t instances = 0;
};

struct SliceOptions {
  StatementRef statement;
  std::optional<uint64_t> instance = std::nullopt;  // none: the last
  std::optional<uint32_t> thread = std::nullopt;    // none: the first that executed the statement
  bool forward = false;
  // Backward: only where the value itself came from, through loads, stores, copies, conversions,
  // phis, arguments and results, to what computed it. No address, no branch.
  bool copies_only = false;
  bool memory_only = false;  // only dependences through memory
  bool data_only = false;    // no dependences on branches and on calls that were entered
  uint32_t depth = kNone;    // dependences between the criterion and what is wanted, at most
  bool instances = false;    // Slice::instances is wanted
  bool values = true;        // of those: their instance numbers, values and addresses
  uint64_t most_instances = uint64_t{1} << 24;  // of those; more are ErrorKind::unsupported
  // Backward, with instances: what a member depends on is wanted only where this says so. It may be
  // asked several times about one, with other reasons.
  std::function<bool(const SliceInstance& member)> through = nullptr;
};

struct Slice {
  uint32_t thread = 0;  // the criterion's
  SliceInstance criterion;
  uint64_t count = 0;                      // executions, with the criterion
  std::vector<SliceStatement> statements;  // by rising #ID
  // When wanted: in the order executed, of several threads one that fits (docs/wet.md).
  std::vector<SliceInstance> instances;
  // Per SliceEnd: how many executions; of memory and changed: how many bytes.
  std::array<uint64_t, kSliceEnds> unresolved{};
};

// Is given a member, and the one that SliceInstance::of would be; false ends it. The slice is
// complete but for the list of instances.
using SliceVisitor =
    std::function<bool(const Slice& slice, const SliceInstance& member, const SliceInstance* of)>;

// Makes slices of one trace, which must outlive it. One owner thread.
class Slicer {
 public:
  // Uses the index of dependences (dependences.h); without one it makes one in memory, which takes
  // an evaluation of the whole trace. ErrorKind::unsupported when no values were recorded.
  static Result<Slicer> open(const Trace& trace);
  ~Slicer();
  Slicer(Slicer&&) noexcept;
  // ErrorKind::missing when there is no such instance, unsupported when the slice is too large. An
  // index that turns out to be damaged is made anew.
  Result<Slice> slice(const SliceOptions& options);
  // The same, but the members are shown one by one, in the order executed, and not kept: what
  // 120 MB of memory cannot hold of them lies in temporary files ($TMPDIR), 56 bytes each.
  Result<Slice> each(SliceOptions options, const SliceVisitor& visit);

 private:
  struct VESTIGE_LOCAL State;
  explicit Slicer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// One slice.
Result<Slice> slice(const Trace& trace, const SliceOptions& options);
Result<Slice> slice_each(const Trace& trace, const SliceOptions& options,
                         const SliceVisitor& visit);

}  // namespace vestige
VESTIGE_API_END
