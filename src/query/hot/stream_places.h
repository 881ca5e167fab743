// From places in a thread's stream of terminals to times.
//
// A terminal is mostly one path, and time moves by one; changes of the call stack move it by none,
// missing paths by more. So a place is looked up on the grammar: down from the start rule, passing
// over symbols by their number of terminals.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/paths/whole_paths.h"

namespace vestige {

// Terminals in the expansion of each rule. Sums wrap, as those of RuleFacts do.
std::vector<uint64_t> rule_lengths(const PathGrammar& grammar);

// The time of the terminal at each of these places (terminals of the thread before it), which
// rise. One pass over the start rules. UINT64_MAX for a place behind the end.
std::vector<uint64_t> times_at(const WholePaths::Thread& thread, std::span<const uint64_t> places);

}  // namespace vestige
