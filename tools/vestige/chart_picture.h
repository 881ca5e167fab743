// Message sequence charts of synchronization, as text, as SVG, and as JSON for other pictures.
#pragma once

#include "output.h"
#include "vestige/sync_chart.h"

namespace vestige::cli {

void print_chart_text(const Trace& trace, const SyncChart& chart, Output& out);
void print_chart_svg(const Trace& trace, const SyncChart& chart, Output& out);
void print_chart_json(const SyncChart& chart, Output& out);

}  // namespace vestige::cli
