// The stable part of the library in one header: open a trace, walk it, ask what was computed, and
// why.
//
//     auto trace = vestige::Trace::open("prog.vst");
//     if (!trace) return complain(trace.error().message);
//     auto walk = vestige::WalkCursor::open(*trace, {.thread = 0});
//     while (const vestige::WalkRow* row = walk->next()) show(*row);
//
// README.md in this folder lists the other headers and says what is promised of them.
#pragma once

#include "vestige/query.h"
#include "vestige/result.h"
#include "vestige/slice.h"
#include "vestige/trace.h"
#include "vestige/values.h"
#include "vestige/variables.h"
#include "vestige/version.h"
