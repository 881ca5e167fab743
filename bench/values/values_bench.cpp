// How fast are the histories of load values and addresses?
//
//     values_bench TRACE…     one JSON line per trace and one of means, on stdout
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "vestige/index.h"
#include "vestige/values.h"

namespace {

using namespace vestige;

// Of all threads: windows are evaluated on several.
double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

[[noreturn]] void give_up(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  std::exit(3);
}

struct Rate {
  uint64_t rows = 0;
  double seconds = 0, elapsed = 0;
  uint64_t sum = 0;  // so that nothing is left out
  // The measure of the WET paper: four bytes for each value or address.
  double megabytes() const { return 4e-6 * static_cast<double>(rows); }
  double megabytes_per_second() const { return seconds > 0 ? megabytes() / seconds : 0; }
  double elapsed_megabytes_per_second() const { return elapsed > 0 ? megabytes() / elapsed : 0; }
};

Rate read_all(const Trace& trace, bool addresses) {
  ColumnOptions options;
  options.statements = all_loads(trace);
  options.values = !addresses;
  options.addresses = addresses;
  Rate rate;
  const auto begin = std::chrono::steady_clock::now();
  const double start = cpu_seconds();
  const auto read = read_columns(trace, options, [&](const ColumnPiece& piece) {
    const auto& column = addresses ? piece.addresses : piece.values;
    rate.rows += column.size();
    for (const uint64_t value : column) rate.sum += value;
    return true;
  });
  if (!read) give_up(read.error());
  rate.seconds = cpu_seconds() - start;
  rate.elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return rate;
}

double read_first(const Trace& trace, StatementRef load, uint64_t from, uint64_t count) {
  const double start = cpu_seconds();
  HistoryOptions options;
  options.statements = {load};
  options.from = from;
  options.count = count;
  auto history = HistoryCursor::open(trace, options);
  if (!history) give_up(history.error());
  while (history->next()) {
  }
  return 1e3 * (cpu_seconds() - start);
}

}  // namespace

int main(int argc, char** argv) {
  double sum_values = 0, sum_addresses = 0;
  for (int i = 1; i < argc; ++i) {
    const auto trace = Trace::open(argv[i]);
    if (!trace) give_up(trace.error());
    ensure_index(*trace);
    const Rate values = read_all(*trace, false), addresses = read_all(*trace, true);

    // The load that ran most, from its beginning and from its middle.
    const auto profile = trace->profile();
    if (!profile) give_up(profile.error());
    const std::vector<StatementRef> loads = all_loads(*trace);
    const auto runs = [&](StatementRef ref) {
      return (*profile)[ref.function].statements[ref.statement];
    };
    if (loads.empty()) continue;
    const StatementRef most = *std::ranges::max_element(loads, {}, runs);
    const uint64_t middle = std::max<uint64_t>(1, runs(most) / 2);
    const double first = read_first(*trace, most, 1, 1);
    const double first_100 = read_first(*trace, most, 1, 100);
    const double middle_1 = read_first(*trace, most, middle, 1);
    const double middle_100 = read_first(*trace, most, middle, 100);
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    std::printf(
        "{\"trace\":\"%s\",\"loads\":%lu,\"values_mb_per_s\":%.1f,\"addresses_mb_per_s\":%.1f,"
        "\"values_mb_per_elapsed_s\":%.1f,\"addresses_mb_per_elapsed_s\":%.1f,"
        "\"first_ms\":%.1f,\"first_100_ms\":%.1f,\"middle_ms\":%.1f,\"middle_100_ms\":%.1f,"
        "\"peak_mib\":%ld}\n",
        argv[i], values.rows, values.megabytes_per_second(), addresses.megabytes_per_second(),
        values.elapsed_megabytes_per_second(), addresses.elapsed_megabytes_per_second(), first,
        first_100, middle_1, middle_100, used.ru_maxrss / 1024);
    sum_values += values.megabytes_per_second();
    sum_addresses += addresses.megabytes_per_second();
  }
  std::printf("{\"traces\":%d,\"values_mb_per_s\":%.1f,\"addresses_mb_per_s\":%.1f}\n", argc - 1,
              sum_values / std::max(1, argc - 1), sum_addresses / std::max(1, argc - 1));
}
