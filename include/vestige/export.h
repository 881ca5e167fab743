// Recordings in the formats of other tools.
//
//     auto report = vestige::export_std(
//         trace, {}, [&](std::string_view text) { return bool(file << text); });
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "vestige/api.h"
#include "vestige/result.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

struct ExportOptions {
  bool shared_only = false;  // leave out memory that only one thread touches
};

struct ExportReport {
  uint64_t events = 0;    // lines
  uint64_t accesses = 0;  // of those: r and w
  uint64_t edges = 0;     // threads that stand for an order (docs/threads.md)
  uint64_t unknown = 0;   // accesses of unknown address, which were left out
};

// Gets what is written in pieces; false ends the writing.
using ExportTarget = std::function<bool(std::string_view)>;

// The text that trace-based race detectors read: one event a line, `T0|acq(L1)|12`.
// ErrorKind::unsupported when the trace has no values.
Result<ExportReport> export_std(const Trace& trace, const ExportOptions& options,
                                const ExportTarget& write);

// The formats there are, each under the name that users give it.
struct ExportFormat {
  std::string_view name;
  std::string_view holds;  // in a few words
  Result<ExportReport> (*write)(const Trace& trace, const ExportOptions& options,
                                const ExportTarget& write);
};
std::span<const ExportFormat> export_formats();

// What the only format's were called.
using StdExportOptions = ExportOptions;
using StdExportReport = ExportReport;

}  // namespace vestige
VESTIGE_API_END
