// How fast are values evaluated, and does everything agree? Every thread of a full trace.
//
//     eval_bench TRACE [--observe]     one JSON line per thread on stdout, problems on stderr
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "trace/eval/evaluator.h"
#include "trace/told/process_addresses.h"
#include "trace/told/told.h"

namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Counter : vestige::EvaluationObserver {
  uint64_t seen = 0, values = 0, addresses = 0, sum = 0;
  void see(const vestige::Observation& observation) override {
    ++seen;
    values += observation.has_value;
    addresses += observation.has_address;
    sum += observation.value ^ observation.address;
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: eval_bench TRACE [--observe]\n");
    return 2;
  }
  const bool observe = argc > 2 && std::strcmp(argv[2], "--observe") == 0;
  auto trace = vestige::Trace::open(argv[1]);
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().message.c_str());
    return 3;
  }
  const vestige::ProcessAddresses addresses(*trace);
  int status = 0;
  for (uint32_t thread = 0; thread < trace->threads().size(); ++thread) {
    vestige::ToldValues told(trace->state(), thread);
    vestige::EvaluationInputs inputs = addresses.inputs(thread, nullptr);
    if (vestige::tells_values(trace->state(), thread).value_or(false)) inputs.told_values = &told;
    auto evaluator = vestige::Evaluator::open(*trace, thread, inputs);
    if (!evaluator) {
      std::fprintf(stderr, "%s\n", evaluator.error().message.c_str());
      return 3;
    }
    Counter counter;
    if (observe) evaluator->observe_all(counter);
    const double start = cpu_seconds();
    const auto paths = evaluator->run();
    const double seconds = cpu_seconds() - start;
    if (!paths) {
      std::fprintf(stderr, "%s\n", paths.error().message.c_str());
      status = 3;
    }
    if (told.error()) {
      std::fprintf(stderr, "%s\n", told.error()->message.c_str());
      status = 3;
    }
    const auto rate = [&](uint64_t n) {
      return seconds > 0 ? static_cast<double>(n) / seconds : 0;
    };
    std::printf(
        "{\"thread\":%u,\"paths\":%llu,\"statements\":%llu,\"told\":%llu,\"cpu_s\":%.3f,"
        "\"statements_per_s\":%.0f,\"paths_per_s\":%.0f,\"problems\":%llu,"
        "\"seen\":%llu,\"values\":%llu,\"addresses\":%llu}\n",
        thread, static_cast<unsigned long long>(paths ? *paths : 0),
        static_cast<unsigned long long>(evaluator->statements()),
        static_cast<unsigned long long>(evaluator->told()), seconds, rate(evaluator->statements()),
        rate(paths ? *paths : 0), static_cast<unsigned long long>(evaluator->problems().count()),
        static_cast<unsigned long long>(counter.seen),
        static_cast<unsigned long long>(counter.values),
        static_cast<unsigned long long>(counter.addresses));
    size_t shown = 0;
    for (const auto& problem : evaluator->problems().list()) {
      if (++shown > 10) break;
      std::fprintf(stderr, "%s\n", describe(problem, trace->functions()).c_str());
    }
    if (evaluator->problems().count() > 0) status = 1;
  }
  return status;
}
