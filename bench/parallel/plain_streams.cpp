// plain_streams CDR FOLDER: what a cdr holds, uncompressed, for other compressors: FOLDER/control,
// 4 bytes a block, thread by thread; FOLDER/data4 and FOLDER/data8, 4 and 8 bytes an address, load
// by load and store by store.
#include <cstdio>
#include <string>
#include <vector>

#include "vestige/query.h"
#include "vestige/represent.h"

using namespace vestige;

namespace {

class File {
 public:
  explicit File(const std::string& name) : file_(std::fopen(name.c_str(), "wb")) {}
  ~File() { std::fclose(file_); }
  void put(uint64_t value, size_t bytes) { std::fwrite(&value, 1, bytes, file_); }

 private:
  std::FILE* file_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto trace = Trace::open(argv[1]);
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().message.c_str());
    return 3;
  }
  const std::string folder = argv[2];
  File control(folder + "/control"), data4(folder + "/data4"), data8(folder + "/data8");
  for (uint32_t thread = 0; thread < trace->threads().size(); ++thread) {
    auto walk = WalkCursor::open(*trace, {.thread = thread, .level = WalkLevel::block});
    if (!walk) continue;
    while (const WalkRow* row = walk->next())
      if (row->kind == WalkRow::Kind::block)
        control.put(uint64_t{row->function} << 12 | row->block, 4);
    const auto patterns = address_patterns(*trace, thread);
    if (!patterns) return 3;
    for (const AddressPattern& pattern : *patterns)
      (void)read_pattern(*trace, thread, pattern, [&](const PatternRun& run) {
        for (uint64_t i = 0; i < run.count; ++i) {
          data4.put(run.start + i * run.stride, 4);
          data8.put(run.start + i * run.stride, 8);
        }
        return true;
      });
  }
  return 0;
}
