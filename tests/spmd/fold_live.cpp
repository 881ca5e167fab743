// fold_live memory|full RECORDING PROGRAM… — records a program and folds it meanwhile, and folds
// the recording once more when it is complete. The bytes must be the same. What is irregular is put
// off meanwhile, and folded all the same when it is complete. Prints how many paths were folded
// meanwhile, of how many.
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/bytes.h"
#include "base/mapped_file.h"
#include "vestige/live_fold.h"
#include "vestige/record.h"

using namespace vestige;

namespace {

int failed(const Error& error) { return std::puts(error.message.c_str()), 2; }

}  // namespace

int main(int count, char** words) {
  if (count < 4) return std::puts("fold_live memory|full RECORDING PROGRAM…"), 2;
  RecordOptions options;
  options.full = true;
  options.memory = std::strcmp(words[1], "memory") == 0;
  options.output = words[2];
  options.command.assign(words + 3, words + count);
  LiveFold live(options.output, LiveFold::Irregular::put_off);
  options.written = [&](auto... what) { live.written(what...); };
  const auto summary = record(options);
  if (!summary) return failed(summary.error());
  const auto meanwhile = live.finish();
  if (!meanwhile) return failed(meanwhile.error());
  const auto trace = Trace::open(options.output);
  if (!trace) return failed(trace.error());
  const auto later = Descriptors::fold(*trace);
  if (!later) return failed(later.error());
  const std::string one = options.output + ".meanwhile", other = options.output + ".later";
  if (const auto written = meanwhile->write(one); !written) return failed(written.error());
  if (const auto written = later->write(other); !written) return failed(written.error());
  const auto a = MappedFile::open(one), b = MappedFile::open(other);
  if (!a) return failed(a.error());
  if (!b) return failed(b.error());
  if (a->bytes().size() != b->bytes().size() ||
      std::memcmp(a->bytes().data(), b->bytes().data(), a->bytes().size()) != 0)
    return std::printf("%zu and %zu bytes that differ\n", a->bytes().size(), b->bytes().size()), 1;
  std::printf("%" PRIu64 " of %" PRIu64 "\n", live.paths_meanwhile(), summary->paths);
  return summary->exit_status;
}
