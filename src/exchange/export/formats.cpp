// The formats that are written: each is a folder here and a row in this table.
#include "vestige/export.h"

namespace vestige {

namespace {

constexpr ExportFormat kFormats[] = {
    {"std", "the events that trace-based race detectors read, one a line", export_std},
};

}  // namespace

std::span<const ExportFormat> export_formats() { return kFormats; }

}  // namespace vestige
