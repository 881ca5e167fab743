// What commands that ask for values do first.
#pragma once

#include "command_line.h"
#include "vestige/trace.h"

namespace vestige::cli {

// Makes the index where that is worth it, with a progress bar. Nothing is reported: without values, the
// question itself says so.
void prepare_index(const Trace& trace, const Presentation& presentation);

}  // namespace vestige::cli
