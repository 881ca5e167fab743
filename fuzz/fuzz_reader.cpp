// A whole file, as it is and signed again: opened, verified, walked, recovered.
#include "answers.h"
#include "file_parts.h"
#include "fuzz.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vestige;
  constexpr uint64_t kSteps = 300;
  static MemoryFile file, recovered;
  Bytes bytes(data, data + size);
  file.write(bytes);
  hostile::survive(file.name(), kSteps);
  hostile::sign(bytes);
  file.write(bytes);
  hostile::survive(file.name(), kSteps);
  if (recover(file.name(), recovered.name())) {
    const auto report = verify(recovered.name());
    require(report.has_value(), "what recover wrote is no trace");
  }
  return 0;
}
