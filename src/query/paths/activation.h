// Which activation a path belongs to, found by going back on the grammar: a symbol that never
// reaches the level that is looked for is passed over whole, by its net and lowest depth.
#pragma once

#include "trace/paths/whole_paths.h"
#include "vestige/paths.h"

namespace vestige {

// Of the path at this time.
PathSearch::Activation find_activation(const WholePaths::Thread& thread, uint64_t time);
// The function of the activation that is innermost before the path at this time; kNone: no path of
// it was seen.
uint32_t innermost_function(const WholePaths::Thread& thread, uint64_t time);

}  // namespace vestige
