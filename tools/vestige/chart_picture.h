// Message sequence charts of synchronization, as text and as SVG.
#pragma once

#include "output.h"
#include "vestige/sync_chart.h"

namespace vestige::cli {

void print_chart_text(const Trace& trace, const SyncChart& chart, Output& out);
void print_chart_svg(const Trace& trace, const SyncChart& chart, Output& out);

}  // namespace vestige::cli
