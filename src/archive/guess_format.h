// What a trace of unknown format most likely is, from its name, its size and its first bytes.
#pragma once

#include "archive/trace_format.h"
#include "base/bytes.h"

namespace vestige {

// How much of the input is looked at.
inline constexpr size_t kGuessBytes = 1 << 20;

// `name` is the file's, `size` its size or 0 when it is not known, `head` its first kGuessBytes or
// all of it. A name that says it (*.vpc, *.u32, *cflow*, *memref*, *.refs, *.u64), or the four
// bytes `vpc3` in front, decide. Otherwise the head is taken apart in several ways, and the way
// that makes it most predictable wins: by what a last-value, a stride and an order-1 context
// predictor per PC miss. Deterministic; never fails: a wrong guess costs size only.
TraceFormat guess_format(std::string_view name, uint64_t size, ByteView head);

}  // namespace vestige
