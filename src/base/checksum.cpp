#include "base/checksum.h"

#include <xxhash.h>

namespace vestige {

uint64_t checksum(ByteView bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace vestige
