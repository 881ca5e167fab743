// A thread's execution on the modelled machine. Each thread has a predictor and caches of its own,
// which begin empty.
#pragma once

#include "query/machine/labels.h"
#include "trace/windows/windows.h"

namespace vestige {

// Paths that were done since the last call.
using MachineStep = std::function<void(uint64_t paths)>;

Result<std::vector<LabelRow>> label_branches(const Trace& trace, uint32_t thread,
                                             PredictorKind predictor, CacheWriter& writer,
                                             const MachineStep& step);
// Of a thread that has windows.
Result<std::vector<LabelRow>> label_references(const Trace& trace, const Windows& windows,
                                               uint32_t thread, const MachineModel& model,
                                               CacheWriter& writer, const MachineStep& step);

}  // namespace vestige
