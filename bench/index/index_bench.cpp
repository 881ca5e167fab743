// How long does making an index take, how big is it, and how soon does a random window begin?
//
//     index_bench TRACE [--keep]     one JSON line on stdout
//
// Makes the index (without --keep it is removed again), then begins random windows, each on a fresh
// evaluation, and runs one path of them.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <optional>
#include <random>

#include "trace/parallel.h"
#include "trace/windows/windows.h"

namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int report(const vestige::Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 3;
}

long peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

struct Sink : vestige::EvaluationObserver {
  uint64_t sum = 0;
  void see(const vestige::Observation& observation) override { sum += observation.value; }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: index_bench TRACE [--keep]\n");
    return 2;
  }
  const auto trace = vestige::Trace::open(argv[1]);
  if (!trace) return report(trace.error());
  double start = cpu_seconds();
  const auto built = vestige::build_index(*trace);
  if (!built) return report(built.error());
  const double build_cpu = cpu_seconds() - start;
  const long build_peak = peak_mib();

  start = cpu_seconds();
  const auto windows = vestige::Windows::open(*trace);
  if (!windows) return report(windows.error());
  const double open_cpu = cpu_seconds() - start;
  if (argc < 3 || std::strcmp(argv[2], "--keep") != 0) unlink(built->file.c_str());

  std::vector<std::pair<uint32_t, size_t>> all;
  for (uint32_t thread = 0; thread < trace->threads().size(); ++thread)
    for (size_t w = 0; w < windows->of(thread).size(); ++w) all.emplace_back(thread, w);
  std::mt19937 random(1);
  std::ranges::shuffle(all, random);
  all.resize(std::min<size_t>(all.size(), 100));
  std::vector<double> begins, wholes;
  for (const auto& [thread, window] : all) {
    start = cpu_seconds();
    auto evaluation = windows->begin(thread, window);
    if (!evaluation) return report(evaluation.error());
    if (const auto ran = evaluation->run(1); !ran) return report(ran.error());
    begins.push_back(cpu_seconds() - start);
    if (const auto ran = evaluation->run(); !ran) return report(ran.error());
    wholes.push_back(cpu_seconds() - start);
  }
  // The same windows on as many evaluations as there are cores, everything observed.
  std::ranges::sort(all);
  std::erase_if(all, [&](const auto& one) { return one.first != all.front().first; });
  const uint32_t thread = all.front().first;
  struct Worker {
    Sink sink;
    std::optional<vestige::WindowEvaluation> evaluation;
    uint64_t statements = 0;
  };
  std::vector<Worker> workers(vestige::worker_count(all.size()));
  std::atomic<bool> failed{false};
  start = cpu_seconds();
  vestige::run_parallel(all.size(), [&](size_t worker, size_t task) {
    Worker& own = workers[worker];
    if (!own.evaluation) {
      auto begun = windows->begin(thread, all[task].second);
      if (!begun) return !(failed = true);
      own.evaluation.emplace(std::move(*begun));
      own.evaluation->evaluator().observe_all(own.sink);
    } else if (!windows->go_to(*own.evaluation, all[task].second)) {
      return !(failed = true);
    }
    if (!own.evaluation->run()) return !(failed = true);
    own.statements += own.evaluation->evaluator().statements();
    return true;
  });
  const double parallel_cpu = cpu_seconds() - start;
  if (failed) return 3;
  uint64_t observed = 0;
  for (const Worker& worker : workers) observed += worker.statements;
  std::ranges::sort(begins);
  std::ranges::sort(wholes);
  const auto at = [](const std::vector<double>& list, double part) {
    return 1e3 * list[static_cast<size_t>(static_cast<double>(list.size() - 1) * part)];
  };
  std::printf(
      "{\"statements\":%lu,\"windows\":%lu,\"build_cpu_s\":%.2f,\"m_statements_per_s\":%.0f,"
      "\"index_bytes\":%lu,\"bits_per_statement\":%.3f,\"open_ms\":%.2f,\"begin_ms\":%.2f,"
      "\"begin_most_ms\":%.2f,\"window_ms\":%.2f,\"window_most_ms\":%.2f,"
      "\"observed_m_statements_per_s\":%.0f,\"build_peak_mib\":%ld,\"peak_mib\":%ld}\n",
      built->statements, built->windows, build_cpu, built->statements / build_cpu / 1e6,
      built->bytes, 8.0 * static_cast<double>(built->bytes) / built->statements, 1e3 * open_cpu,
      at(begins, 0.5), at(begins, 1), at(wholes, 0.5), at(wholes, 1), observed / parallel_cpu / 1e6,
      build_peak, peak_mib());
  return 0;
}
