// What `vestige info --tiers` adds.
#pragma once

#include <nlohmann/json.hpp>

#include "command_line.h"
#include "output.h"
#include "vestige/tiers.h"

namespace vestige::cli {

// With a progress bar.
Result<TierReport> tiers_of(const Trace& trace, const Presentation& presentation);
nlohmann::ordered_json tiers_json(const TierReport& report);
void print_tiers(const TierReport& report, const Presentation& presentation, Output& out);

}  // namespace vestige::cli
