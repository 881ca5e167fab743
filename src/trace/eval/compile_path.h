// One path, compiled once: a row of cells that evaluates everything the path executes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "trace/eval/function_code.h"
#include "trace/eval/micro_code.h"
#include "vestige/trace.h"

namespace vestige {

// Lists of value kinds, each distinct one with a number: what a caller passes is compared with what
// the callee takes by comparing numbers.
class Signatures {
 public:
  uint32_t number(const std::vector<ValueKind>& kinds) {
    const auto [at, fresh] = numbers_.try_emplace(kinds, static_cast<uint32_t>(list_.size()));
    if (fresh) list_.push_back(&at->first);
    return at->second;
  }
  const std::vector<ValueKind>& kinds(uint32_t number) const { return *list_[number]; }

 private:
  std::map<std::vector<ValueKind>, uint32_t> numbers_;
  std::vector<const std::vector<ValueKind>*> list_;
};

class RoundCode;
struct KnownNests;

struct PathCode {
  FunctionCode* function = nullptr;
  std::vector<Cell> cells;
  // A path that begins a block first does the block's phis, by the block the activation comes
  // from: pairs of that block and a place in `cells`, by rising block. Without phis there are none.
  std::vector<std::pair<uint32_t, uint32_t>> entries;
  mutable uint32_t last_entry = 0;  // taken last, and likely again
  uint32_t unknown_entry = 0;       // when the activation comes from none of them
  uint32_t signature = 0;           // of the function
  bool enters = false, leaves = false, returns = false;
  bool watched = false;        // the function has bindings that are
  bool at_pad = false;         // begins where an exception arrives
  bool tracked_only = false;   // uses something that is never known
  uint32_t behind = kNone;     // the statement it goes on behind
  uint32_t result_of = kNone;  // the same, when that is a call over the call edge
  uint32_t end_block = 0;
  uint32_t invoke = kNone;  // the invoke it ends with
  uint32_t arguments = 0;   // the most that a call of it passes
  uint64_t statements = 0;
  mutable std::shared_ptr<const RoundCode> round;  // made when it is first wanted (round_code.h)
  // The same (nest_rounds.cpp): of rounds that end with this path.
  mutable std::shared_ptr<KnownNests> nests;
  mutable uint32_t rows_wait = 0, rows_next_wait = 1;  // of rows that end with it (row_rounds.cpp)
  // Of WindowNotes: the activation it was last looked at in, the window it was last counted in.
  mutable uint64_t noted_frame = 0, noted_window = 0;
  mutable uint32_t noted_count = 0;

  size_t bytes() const {
    return sizeof *this + cells.capacity() * sizeof(Cell) + entries.capacity() * 8;
  }
};

// `observed` has a bit per statement id, `watched` one per binding of the function. Either may be
// shorter, or empty: nothing else is observed. `left_out` has a bit per statement of the function
// that is not computed (decisions.h); unless it is empty, branches are not checked.
PathCode compile_path(const Path& path, FunctionCode& function, Signatures& signatures,
                      const std::vector<bool>& observed, const std::vector<bool>& watched,
                      const std::vector<bool>& left_out = {});

// Whether the statement sets `callee` and gets its result over the call edge (program/derive.h).
bool is_outward_call(const Function& function, const Statement& statement);

}  // namespace vestige
