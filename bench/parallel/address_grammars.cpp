// address_grammars CDR: the addresses of each load and store of each thread as a grammar, as they
// are and after Diff and RLE: bytes and processor seconds of both, and the bytes of all pages that
// threads share. Prints one JSON object.
#include <cstdio>
#include <ctime>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "codec/stream_codec.h"
#include "vestige/represent.h"

using namespace vestige;

namespace {

constexpr uint64_t kPage = 4096;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Coded {
  std::unique_ptr<StreamEncoder> encoder;
  uint64_t bytes = 0;
  double seconds = 0;

  void add(const std::vector<uint64_t>& values) {
    const double start = cpu_seconds();
    encoder->append(values);
    bytes += encoder->finish().size();
    seconds += cpu_seconds() - start;
  }
};

int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto cdr = Trace::open(argv[1]);
  if (!cdr) return fail(cdr.error());
  Coded plain{make_stream_encoder(StreamCodec::sequitur)};
  Coded runs{make_stream_encoder(StreamCodec::runs)};
  std::vector<uint64_t> values;
  std::unordered_map<uint64_t, std::set<uint32_t>> threads_of;  // by page
  for (uint32_t thread = 0; thread < cdr->threads().size(); ++thread) {
    const auto patterns = address_patterns(*cdr, thread);
    if (!patterns) return fail(patterns.error());
    for (const AddressPattern& pattern : *patterns) {
      uint64_t page = 0;
      values.clear();
      const auto read = read_pattern(*cdr, thread, pattern, [&](const PatternRun& run) {
        for (uint64_t i = 0; i < run.count; ++i) {
          const uint64_t address = run.start + i * run.stride;
          values.push_back(address);
          if (address / kPage == page) continue;
          page = address / kPage;
          threads_of[page].insert(thread);
        }
        return true;
      });
      if (!read) return fail(read.error());
      plain.add(values);
      runs.add(values);
    }
  }
  uint64_t shared = 0;
  for (const auto& [page, threads] : threads_of) shared += threads.size() > 1 ? kPage : 0;
  std::printf(R"({"sequitur_bytes": %llu, "sequitur_s": %.4f, "runs_bytes": %llu)",
              static_cast<unsigned long long>(plain.bytes), plain.seconds,
              static_cast<unsigned long long>(runs.bytes));
  std::printf(R"(, "runs_s": %.4f, "shared_bytes": %llu})"
              "\n",
              runs.seconds, static_cast<unsigned long long>(shared));
  return 0;
}
