// The entry of a target that takes bytes in several ways: the first byte says in which.
#pragma once

#include "base/bytes.h"
#include "fuzz.h"

namespace vestige {

// What the target defines; `rest` is what comes behind the first byte.
void use_input(uint8_t kind, ByteView rest);

}  // namespace vestige

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0) vestige::use_input(data[0], {data + 1, size - 1});
  return 0;
}
