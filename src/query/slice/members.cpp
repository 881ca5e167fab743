#include "query/slice/members.h"

#include "query/slice/waiting.h"

namespace vestige {

uint64_t SliceMembers::statement_count(const Trace& trace) {
  uint64_t count = 0;
  for (const Function& function : trace.functions()) count += function.statements.size();
  return count;
}

void SliceMembers::finish(Slice& slice) const {
  slice.count = count_;
  slice.unresolved = unresolved_;
  for (uint32_t f = 0; f < trace_.functions().size(); ++f) {
    const Function& function = trace_.functions()[f];
    for (uint32_t s = 0; s < function.statements.size(); ++s)
      if (const uint64_t count = counts_[uint64_t{function.first_statement} + s])
        slice.statements.push_back({{f, s}, count});
  }
}

std::unexpected<Error> too_large(const SliceOptions& options, bool memory) {
  const std::string what = memory ? std::to_string(Waiting::kMost) + " reads of memory at one time"
                                  : std::to_string(options.most_instances) + " instances";
  return fail(ErrorKind::unsupported,
              "the slice has more than " + what + "; ask for less with --depth or --data-only");
}

std::unexpected<Error> no_room_for_members() {
  return fail(ErrorKind::io,
              "the slice's members need more room for temporary files than there is; set TMPDIR to "
              "a folder that has it, or ask for less with --depth or --data-only");
}

std::string_view reason_name(SliceReason reason) {
  constexpr std::string_view kNames[] = {"criterion", "operand", "memory", "returned",
                                         "argument",  "control", "entered"};
  return kNames[static_cast<size_t>(reason)];
}

std::string_view end_name(SliceEnd end) {
  constexpr std::string_view kNames[kSliceEnds] = {"memory", "changed",    "address", "argument",
                                                   "result", "activation", "outside", "unordered"};
  return kNames[static_cast<size_t>(end)];
}

}  // namespace vestige
