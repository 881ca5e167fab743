// A whole file, as it is and signed again: opened, verified, walked, recovered.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "answers.h"
#include "file_parts.h"
#include "fuzz.h"

namespace {

constexpr uint64_t kSteps = 300;

// A file in memory that can be opened by name.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("fuzz", 0)) {
    vestige::require(descriptor_ >= 0, "no memory file");
  }
  ~MemoryFile() { close(descriptor_); }
  void write(const vestige::Bytes& bytes) {
    vestige::require(
        ftruncate(descriptor_, 0) == 0 && pwrite(descriptor_, bytes.data(), bytes.size(), 0) ==
                                              static_cast<ssize_t>(bytes.size()),
        "a short write");
  }
  std::string name() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file, recovered;
  vestige::Bytes bytes(data, data + size);
  file.write(bytes);
  vestige::hostile::survive(file.name(), kSteps);
  vestige::hostile::sign(bytes);
  file.write(bytes);
  vestige::hostile::survive(file.name(), kSteps);
  if (vestige::recover(file.name(), recovered.name())) {
    const auto report = vestige::verify(recovered.name());
    vestige::require(report.has_value(), "what recover wrote is no trace");
  }
  return 0;
}
