// Recordings in the formats of other tools.
//
//     auto report = vestige::export_std(
//         trace, {}, [&](std::string_view text) { return bool(file << text); });
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "vestige/api.h"
#include "vestige/result.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

struct StdExportOptions {
  bool shared_only = false;  // leave out memory that only one thread touches
};

struct StdExportReport {
  uint64_t events = 0;    // lines
  uint64_t accesses = 0;  // of those: r and w
  uint64_t edges = 0;     // threads that stand for an order (docs/threads.md)
  uint64_t unknown = 0;   // accesses of unknown address, which were left out
};

// The text that trace-based race detectors read: one event a line, `T0|acq(L1)|12`. `write` gets it
// in pieces; false from it ends the writing. ErrorKind::unsupported when the trace has no values.
Result<StdExportReport> export_std(const Trace& trace, const StdExportOptions& options,
                                   const std::function<bool(std::string_view)>& write);

}  // namespace vestige
VESTIGE_API_END
