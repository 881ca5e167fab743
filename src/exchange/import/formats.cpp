// The formats that are imported: each is a folder here and a row in this table.
#include "vestige/exchange.h"

namespace vestige {

namespace {

constexpr ImportFormat kFormats[] = {
    {"cf", "control flow, as u32 events or as a .vcz of them", import_control_flow},
};

}  // namespace

std::span<const ImportFormat> import_formats() { return kFormats; }

}  // namespace vestige
