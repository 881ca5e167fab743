// A whole full recording, signed again, in which threads lack paths, values or operations: every
// question is put to every thread.
#include "answers.h"
#include "file_parts.h"
#include "fuzz.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vestige;
  static MemoryFile file;
  Bytes bytes(data, data + size);
  hostile::sign(bytes);
  file.write(bytes);
  hostile::survive_each_thread(file.name(), 50);
  return 0;
}
