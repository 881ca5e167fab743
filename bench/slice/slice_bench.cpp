// slice_bench TRACE [CRITERIA [FIRST]]: slices of random executions, both ways: sizes and processor
// time. JSON lines: one of the trace, one of `why`, then four for each execution.
//
// Makes the indexes first, and says what they cost; walks the control flow both ways; asks why, one
// hop, each time with all files out of memory. The executions are the same in every run; with FIRST
// the run goes on there, with the slices alone.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "criteria.h"
#include "vestige/dependences.h"

using namespace vestige;

namespace {

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

unsigned long long number(uint64_t value) { return value; }

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[std::min(values.size() - 1, static_cast<size_t>(share * double(values.size())))];
}

uint64_t executed(const Trace& trace, bool pseudo) {
  uint64_t count = 0;
  const auto profile = trace.profile();
  for (uint32_t f = 0; profile && f < profile->size(); ++f)
    for (uint32_t s = 0; s < (*profile)[f].statements.size(); ++s)
      if (pseudo || !trace.functions()[f].statements[s].pseudo)
        count += (*profile)[f].statements[s];
  return count;
}

// MB of control flow a second, four bytes a statement: every path of thread 0.
double walk(const Trace& trace, bool back) {
  auto cursor = trace.walk(0);
  if (!cursor) return 0;
  if (back) cursor->to_end();
  const double begun = processor_seconds();
  uint64_t statements = 0;
  while (back ? cursor->prev() : cursor->next()) statements += cursor->path().statements;
  return 4e-6 * static_cast<double>(statements) / (processor_seconds() - begun);
}

void drop_from_memory(const std::string& file) {
  const int open_file = open(file.c_str(), O_RDONLY);
  if (open_file < 0) return;
  fsync(open_file);
  posix_fadvise(open_file, 0, 0, POSIX_FADV_DONTNEED);
  close(open_file);
}

// The first hop of `why`, from opening the trace on: processor time, and time that passed.
void ask_why(const std::string& file, Criteria random, uint64_t times) {
  std::vector<double> processor, passed;
  for (uint64_t i = 0; i < times; ++i) {
    SliceOptions options = random.next();
    options.copies_only = options.instances = true;
    options.depth = 1;
    for (const char* end : {"", ".idx", ".dep"}) drop_from_memory(file + end);
    const double begun = processor_seconds();
    const auto start = std::chrono::steady_clock::now();
    const auto trace = Trace::open(file);
    if (!trace || !slice(*trace, options)) return;
    processor.push_back(1e3 * (processor_seconds() - begun));
    passed.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
  std::printf(
      "{\"kind\":\"why\",\"asked\":%zu,\"ms_p50\":%.1f,\"ms_p95\":%.1f,\"passed_ms_p50\":%.1f,"
      "\"passed_ms_p95\":%.1f}\n",
      processor.size(), percentile(processor, 0.5), percentile(processor, 0.95),
      percentile(passed, 0.5), percentile(passed, 0.95));
  std::fflush(stdout);
}

// What the indexes cost, and how fast paths are walked. False: there are no indexes.
bool measure_trace(const Trace& trace) {
  double begun = processor_seconds();
  const auto index = build_index(trace);
  const double index_seconds = processor_seconds() - begun;
  begun = processor_seconds();
  const auto built = build_dependences(trace);
  const double seconds = processor_seconds() - begun;
  if (!index || !built) {
    std::fprintf(stderr, "%s\n", (index ? built.error() : index.error()).message.c_str());
    return false;
  }
  const double peak = peak_megabytes();
  std::printf(
      "{\"kind\":\"trace\",\"statements\":%llu,\"with_pseudo\":%llu,\"reads\":%llu,"
      "\"trace_bytes\":%llu,\"index_bytes\":%llu,\"dependence_bytes\":%llu,\"index_s\":%.3f,"
      "\"dependences_s\":%.3f,\"peak_mb\":%.0f,\"forward_mb_per_s\":%.0f,"
      "\"backward_mb_per_s\":%.0f}\n",
      number(executed(trace, false)), number(executed(trace, true)), number(built->reads),
      number(trace.file_bytes()), number(index->bytes), number(built->bytes), index_seconds,
      seconds, peak, walk(trace, false), walk(trace, true));
  std::fflush(stdout);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto trace = Trace::open(argv[1]);
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().message.c_str());
    return 1;
  }
  const uint64_t criteria = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100;
  const uint64_t first = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
  if (first == 0) {
    if (!measure_trace(*trace)) return 1;
    ask_why(argv[1], Criteria(*trace, 2), criteria);
  }
  Criteria random(*trace, 1);
  for (uint64_t i = 0; i < criteria; ++i) {
    SliceOptions options = random.next();
    if (i < first) continue;
    for (const bool forward : {false, true})
      for (const bool data_only : {false, true}) {
        options.forward = forward;
        options.data_only = data_only;
        const double begun = processor_seconds();
        const auto found = slice(*trace, options);
        if (!found) {
          std::fprintf(stderr, "%s\n", found.error().message.c_str());
          return 1;
        }
        std::printf(
            "{\"kind\":\"slice\",\"criterion\":%llu,\"slices\":\"%s%s\",\"members\":%llu,"
            "\"seconds\":%.5f}\n",
            number(i), forward ? "forward" : "backward", data_only ? ", data" : "",
            number(found->count), processor_seconds() - begun);
      }
    std::fflush(stdout);
  }
}
