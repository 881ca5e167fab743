// slice_bench TRACE [CRITERIA [SEED]]: slices of random executions, both ways: sizes and processor
// time. Makes the indexes first, and says what they cost; walks the control flow both ways; asks
// why, one hop, each time with all files out of memory. Prints one row of each table.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "vestige/dependences.h"
#include "vestige/slice.h"

using namespace vestige;

namespace {

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

struct Sample {
  uint64_t members = 0;
  double seconds = 0;
};

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[std::min(values.size() - 1, static_cast<size_t>(share * double(values.size())))];
}

// Executions, all equally likely.
class Criteria {
 public:
  Criteria(const Trace& trace, uint64_t seed) : random_(seed) {
    const auto profile = trace.profile(0);
    if (!profile) return;
    for (uint32_t f = 0; f < profile->size(); ++f)
      for (uint32_t s = 0; s < (*profile)[f].statements.size(); ++s)
        if (const uint64_t count = (*profile)[f].statements[s]) {
          total_ += count;
          statements_.push_back({f, s});
          ends_.push_back(total_);
        }
  }
  SliceOptions next() {
    const uint64_t number = random_() % total_;
    const auto at = static_cast<size_t>(std::ranges::upper_bound(ends_, number) - ends_.begin());
    SliceOptions options;
    options.statement = statements_[at];
    options.instance = number - (at == 0 ? 0 : ends_[at - 1]) + 1;
    options.thread = 0;
    return options;
  }

 private:
  std::mt19937_64 random_;
  std::vector<StatementRef> statements_;
  std::vector<uint64_t> ends_;
  uint64_t total_ = 0;
};

void print(const std::string& name, const char* what, const std::vector<Sample>& samples) {
  std::vector<double> all, small, sizes;
  uint64_t members = 0;
  double seconds = 0, slowest = 0;
  for (const Sample& s : samples) {
    all.push_back(1e3 * s.seconds);
    if (s.members <= 100'000) small.push_back(1e3 * s.seconds);
    if (s.members <= 3'000'000) slowest = std::max(slowest, s.seconds);
    sizes.push_back(static_cast<double>(s.members));
    members += s.members;
    seconds += s.seconds;
  }
  std::printf("| %s | %s | %.0f / %.0f / %.0f | %.1f / %.1f | %zu: %.1f / %.1f | %.2f s | %.1f |\n",
              name.c_str(), what, percentile(sizes, 0.5), percentile(sizes, 0.95),
              percentile(sizes, 1), percentile(all, 0.5), percentile(all, 0.95), small.size(),
              percentile(small, 0.5), percentile(small, 0.95), slowest,
              1e-6 * static_cast<double>(members) / seconds);
  std::fflush(stdout);
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
void ask_why(const std::string& file, const std::string& name, Criteria random, int times) {
  std::vector<double> processor, passed;
  for (int i = 0; i < times; ++i) {
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
  std::printf("| %s | %.1f / %.1f | %.1f / %.1f |\n", name.c_str(), percentile(processor, 0.5),
              percentile(processor, 0.95), percentile(passed, 0.5), percentile(passed, 0.95));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto trace = Trace::open(argv[1]);
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().message.c_str());
    return 1;
  }
  const int criteria = argc > 2 ? std::atoi(argv[2]) : 100;
  const std::string name = std::filesystem::path(argv[1]).stem().string();
  double begun = processor_seconds();
  const auto index = build_index(*trace);
  const double index_seconds = processor_seconds() - begun;
  begun = processor_seconds();
  const auto built = build_dependences(*trace);
  const double seconds = processor_seconds() - begun;
  if (!index || !built) {
    std::fprintf(stderr, "%s\n", (index ? built.error() : index.error()).message.c_str());
    return 1;
  }
  const auto statements = static_cast<double>(built->statements);
  const auto bits = [&](uint64_t bytes) { return 8 * static_cast<double>(bytes) / statements; };
  std::printf("| %s | %.0f M | %.0f M | %.3f | %.3f | %.3f | %.3f | %.1f | %.1f | %.0f MB |\n",
              name.c_str(), 1e-6 * statements, 1e-6 * static_cast<double>(built->reads),
              bits(trace->file_bytes()), bits(index->bytes), bits(built->bytes),
              bits(trace->file_bytes() + index->bytes + built->bytes), 1e-6 * statements / seconds,
              1e-6 * statements / (seconds + index_seconds), peak_megabytes());
  const double pseudo =
      static_cast<double>(executed(*trace, true)) / static_cast<double>(executed(*trace, false));
  std::printf("| %s | %.3f | %.3f | %.0f | %.0f |\n", name.c_str(),
              bits(trace->file_bytes() + index->bytes + built->bytes),
              bits(trace->file_bytes() + index->bytes + built->bytes) / pseudo, walk(*trace, false),
              walk(*trace, true));
  std::fflush(stdout);
  ask_why(argv[1], name, Criteria(*trace, 2), criteria);
  for (const bool forward : {false, true}) {
    for (const bool data_only : {false, true}) {
      Criteria random(*trace, argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
      std::vector<Sample> samples;
      for (int i = 0; i < criteria; ++i) {
        SliceOptions options = random.next();
        options.forward = forward;
        options.data_only = data_only;
        begun = processor_seconds();
        const auto found = slice(*trace, options);
        if (!found) {
          std::fprintf(stderr, "%s\n", found.error().message.c_str());
          return 1;
        }
        samples.push_back({found->count, processor_seconds() - begun});
      }
      print(name,
            forward     ? data_only ? "forward, data" : "forward"
            : data_only ? "backward, data"
                        : "backward",
            samples);
    }
  }
}
