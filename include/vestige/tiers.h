// What a full recording would take as the WET paper keeps it ("Whole Execution Traces",
// section 5.1, Tables 1–3 and Figure 8): labels as they are, after the first tier, after the
// second.
//
//     auto report = vestige::measure_tiers(trace);
//     use(report->values.original, report->values.tier1, report->values.tier2);
//
// This is a measurement: Vestige itself keeps less (docs/wet.md, "Tiers").
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "vestige/api.h"
#include "vestige/trace.h"

VESTIGE_API_BEGIN
namespace vestige {

struct TierSizes {
  uint64_t original = 0, tier1 = 0, tier2 = 0;  // bytes
};

struct TierReport {
  uint64_t statements = 0;  // executed, pseudo ones left out
  uint64_t paths = 0, nodes = 0;
  TierSizes times, values, edges;
  // Executions of dependences, and of those: within one execution of a path, always the same, so
  // that nothing is kept; and such whose labels are those of another edge.
  uint64_t dependences = 0, inferred = 0, shared = 0;
  uint64_t memory_dependences = 0, control_dependences = 0;  // among them
  uint64_t groups = 0;                                       // of values, over all nodes
  uint64_t unknown_values = 0;                               // counted as 0
  // Streams begin anew where memory would be short; 1 per thread when it never was.
  uint64_t segments = 0;
  std::map<std::string, uint64_t> codecs;  // streams of the second tier by the codec they took
};

struct TierOptions {
  std::function<void(uint64_t done, uint64_t total)> progress;  // paths
  // Bytes of labels that wait to be compressed.
  uint64_t most_memory = uint64_t{768} << 20;
};

// Uses the index of dependences (dependences.h), or makes one in memory. ErrorKind::unsupported
// when there are no values.
Result<TierReport> measure_tiers(const Trace& trace, const TierOptions& options = {});

}  // namespace vestige
VESTIGE_API_END
