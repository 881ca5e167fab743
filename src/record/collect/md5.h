// The first 64 bits of a short string's MD5 (RFC 1321), which is how LLVM's probes name symbols.
// Not for anything that needs a cryptographic hash.
#pragma once

#include <cstdint>
#include <string_view>

namespace vestige {

uint64_t md5_low(std::string_view text);

}  // namespace vestige
