// Traces of other tools as traces of ours, so that every question can be asked of them.
//
//     auto report = vestige::import_control_flow("events.cf", "events.vst", {});
//     auto trace = vestige::Trace::open("events.vst");
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "vestige/api.h"
#include "vestige/result.h"

VESTIGE_API_BEGIN
namespace vestige {

struct ImportOptions {
  // Called now and then with the events done, and all there is to do (each event is read twice).
  std::function<void(uint64_t done, uint64_t total)> progress;
  // How much is compressed as one, in whole blocks of 131,072 paths.
  uint64_t chunk_paths = 8 * 1024 * 1024;
};

struct ImportReport {
  uint64_t events = 0;  // blocks, entries and exits together
  uint64_t blocks = 0, entries = 0, exits = 0;
  uint64_t functions = 0;
  uint64_t paths = 0;
  uint64_t bytes = 0;  // of the trace file
  double seconds = 0;
};

// A trace of control flow (u32 events: block, function entry, exit; docs/exchange.md), a .vcz of
// one, or `-` for a pipe with either, becomes the trace file `out`. Bad input is
// ErrorKind::corrupt, names the event, and leaves `out` alone.
Result<ImportReport> import_control_flow(const std::string& in, const std::string& out,
                                         const ImportOptions& options);

// The formats there are, each under the name that users give it.
struct ImportFormat {
  std::string_view name;
  std::string_view holds;  // in a few words
  Result<ImportReport> (*import)(const std::string& in, const std::string& out,
                                 const ImportOptions& options);
};
std::span<const ImportFormat> import_formats();

}  // namespace vestige
VESTIGE_API_END
