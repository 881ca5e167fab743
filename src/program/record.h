// The bytes of one function's record: written by the pass into the object file, copied into the
// trace unchanged. The byte grammar is in docs/format.md, "Function record".
//
// decode_function checks everything a reader relies on (indices in range, graph acyclic, path
// count as numbered), so the rest of the library may trust a decoded Function.
#pragma once

#include "base/bytes.h"
#include "vestige/program.h"
#include "vestige/result.h"

namespace vestige {

// Version 1 has no variables. Code compiled with version 1 or 2 keeps simple values only, and until
// version 3 it tells what conversions from floating point to integers give. Before version 5 data
// have no addresses.
inline constexpr uint32_t kFunctionRecordVersion = Function::kRecordVersion;
inline constexpr uint32_t kVariablesSince = 2;
inline constexpr uint32_t kWideSince = 3;
inline constexpr uint32_t kConversionsSince = 4;
inline constexpr uint32_t kAddressesInDataSince = 5;

Bytes encode_function(const Function& function);
Result<Function> decode_function(ByteView record);

}  // namespace vestige
