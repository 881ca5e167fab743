// Questions about values.
#include <algorithm>

#include "answers.h"
#include "vestige/export.h"
#include "vestige/races.h"
#include "vestige/sharing.h"
#include "vestige/values.h"

namespace vestige::hostile {

namespace {

std::vector<StatementRef> everything(const Trace& trace) {
  std::vector<StatementRef> all = all_values(trace);
  const std::vector<StatementRef> others = all_addresses(trace);
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

}  // namespace

void survive_values(const std::string& file, uint64_t steps) {
  auto trace = Trace::open(file);
  if (!trace) return;
  const std::vector<StatementRef> all = everything(*trace), loads = all_loads(*trace);
  for (const uint64_t from : {uint64_t{1}, uint64_t{5}, UINT64_MAX}) {
    HistoryOptions options;
    options.statements = from == 5 ? loads : all;
    options.from = from;
    options.count = steps;
    auto history = HistoryCursor::open(*trace, options);
    if (!history) return;
    while (history->next()) {
    }
    (void)history->more();
  }
  uint64_t rows = 0;
  const auto some = [&] { return ++rows < steps; };
  (void)read_columns(*trace, {.statements = loads}, [&](const ColumnPiece&) { return some(); });
  (void)top_values(*trace, loads, std::nullopt, 3);
  (void)fold_addresses(*trace, all_addresses(*trace), std::nullopt,
                       [&](const AddressRun&) { return some(); });
  (void)read_references(*trace, std::nullopt, [&](const Reference&) { return some(); });
  const auto threads = static_cast<uint32_t>(std::min<size_t>(trace->threads().size(), 3));
  for (uint32_t t = 0; t < threads; ++t)
    for (const bool back : {false, true}) {
      WalkOptions options;
      options.thread = t;
      options.level = WalkLevel::statement;
      options.back = back;
      options.count = steps;
      options.values = true;
      auto walk = WalkCursor::open(*trace, options);
      while (walk && walk->next()) {
      }
    }
}

void survive_threads(const std::string& file) {
  auto trace = Trace::open(file);
  if (!trace) return;
  RaceOptions options;
  options.predict = true;
  options.most_accesses = 1 << 16;
  options.most_steps = 1 << 22;
  (void)find_races(*trace, options);
  (void)find_sharing(*trace);
  uint64_t bytes = 0;
  (void)export_std(*trace, {},
                   [&](std::string_view text) { return (bytes += text.size()) < 1 << 24; });
}

}  // namespace vestige::hostile
