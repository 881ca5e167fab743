// Every question that can be put to one thread, put to each; then those about all of them.
#include <unistd.h>

#include <algorithm>

#include "answers.h"
#include "vestige/dependences.h"
#include "vestige/diff.h"
#include "vestige/export.h"
#include "vestige/hot.h"
#include "vestige/machine.h"
#include "vestige/order.h"
#include "vestige/races.h"
#include "vestige/replay.h"
#include "vestige/represent.h"
#include "vestige/sharing.h"
#include "vestige/slice.h"
#include "vestige/spmd.h"
#include "vestige/sync_chart.h"
#include "vestige/tiers.h"
#include "vestige/values.h"
#include "vestige/variables.h"

namespace vestige::hostile {

namespace {

// True `steps` times.
class Steps {
 public:
  explicit Steps(uint64_t most) : left_(most) {}
  bool operator()() { return left_ > 0 && --left_ > 0; }

 private:
  uint64_t left_;
};

void ask_for_paths(const Trace& trace, uint32_t thread, uint64_t steps) {
  (void)trace.events(thread);
  (void)trace.profile(thread);
  (void)fatal_event(trace, thread);
  for (const uint64_t time : {uint64_t{0}, uint64_t{1}, UINT64_MAX})
    (void)trace.stack(thread, time);
  for (const WalkLevel level : {WalkLevel::path, WalkLevel::block, WalkLevel::statement})
    for (const bool back : {false, true}) {
      WalkOptions options;
      options.thread = thread;
      options.level = level;
      options.back = back;
      options.count = steps;
      options.values = true;
      auto walk = WalkCursor::open(trace, options);
      while (walk && walk->next()) {
      }
    }
  HotPathOptions hot;
  hot.thread = thread;
  (void)hot_paths(trace, hot);
}

void ask_for_values(const Trace& trace, uint32_t thread, uint64_t steps) {
  std::vector<StatementRef> all = all_values(trace);
  const std::vector<StatementRef> addresses = all_addresses(trace);
  all.insert(all.end(), addresses.begin(), addresses.end());
  (void)has_values(trace, thread);
  for (const uint64_t from : {uint64_t{1}, uint64_t{5}, UINT64_MAX}) {
    auto rows = HistoryCursor::open(
        trace, {.statements = all, .thread = thread, .from = from, .count = steps});
    while (rows && rows->next()) {
    }
  }
  Steps columns(steps), runs(steps), references(steps), library(steps);
  (void)read_columns(trace, {.statements = all, .thread = thread},
                     [&](const ColumnPiece&) { return columns(); });
  (void)top_values(trace, all_loads(trace), thread, 3);
  (void)fold_addresses(trace, addresses, thread, [&](const AddressRun&) { return runs(); });
  for (const bool with_library : {false, true})
    (void)read_references(
        trace, thread, [&](const Reference&) { return references(); }, with_library);
  (void)read_library_ranges(trace, thread, [&](const LibraryAccess&) { return library(); });
  HotStreamOptions streams;
  streams.thread = thread;
  (void)hot_data_streams(trace, streams);
  const std::vector<SourceVariable> variables = source_variables(trace);
  if (variables.empty()) return;
  VariableQuestion question;
  question.variables.push_back(variables[0]);
  auto history = VariableCursor::open(trace, question, {.thread = thread, .count = steps});
  while (history && history->next()) {
  }
}

void ask_for_synchronization(const Trace& trace, uint32_t thread, uint64_t steps) {
  Steps operations(steps), messages(steps), edges(steps);
  auto cursor = SyncCursor::open(trace, thread);
  while (cursor && cursor->next() && operations()) {
  }
  for (const uint64_t number : {uint64_t{0}, uint64_t{1}, uint64_t{2}, UINT64_MAX}) {
    (void)sync_segment(trace, thread, number);
    (void)sync_held(trace, thread, number);
    (void)time_of_sync(trace, thread, number);
    (void)syncs_before(trace, thread, number);
  }
  auto order = OrderCursor::open(trace, thread);
  while (order && order->next() && edges()) {
  }
  (void)read_communication(trace, thread, [&](const Communication&) { return messages(); });
}

void ask_for_slices(const Trace& trace, Slicer& slicer, uint32_t thread) {
  for (const Function& function : trace.functions())
    for (uint32_t s = 0; s < function.statements.size(); s += 5)
      for (const bool forward : {false, true}) {
        SliceOptions options;
        options.statement = *statement_by_id(trace, uint64_t{function.first_statement} + s);
        options.thread = thread;
        options.forward = forward;
        options.instances = true;
        options.most_instances = 1 << 12;
        (void)slicer.slice(options);
      }
}

void ask_about_all(const Trace& trace, uint64_t steps) {
  Steps references(steps);
  (void)read_references_in_sync_order(trace, 2, [&](const Reference&) { return references(); });
  (void)sync_chart(trace, {});
  (void)measure_tiers(trace);
  RaceOptions races;
  races.predict = true;
  races.most_accesses = 1 << 12;
  races.most_steps = 1 << 16;
  (void)find_races(trace, races);
  (void)find_sharing(trace);
  Steps lines(steps);
  (void)export_std(trace, {}, [&](std::string_view) { return lines(); });
  (void)writes_to(trace, 0x7000, 64, 100);
  (void)diff_runs(trace, trace);
  if (auto labels = MachineLabels::open(trace, {})) {
    for (uint32_t t = 0; t < trace.threads().size(); ++t)
      for (const MachineStatement& row : labels->statements(t))
        (void)labels->misses(t, row.statement, row.kind, [](uint64_t, bool) { return true; });
    ::unlink(labels->file().c_str());
  }
}

void ask_for_descriptors(const Trace& trace, uint64_t steps) {
  for (const bool order : {false, true}) {
    FoldOptions options;
    options.order = order;
    const auto folded = Descriptors::fold(trace, options);
    if (!folded) continue;
    (void)folded->rows();
    (void)folded->contexts();
    for (uint32_t t = 0; t < folded->threads().size(); ++t) {
      Steps batches(steps), messages(steps);
      (void)folded->replay(t, [&](std::span<const Reference>) { return batches(); });
      (void)folded->communication(t, [&](const Communication&) { return messages(); });
    }
    Steps references(steps);
    (void)folded->replay_in_sync_order(2, [&](const Reference&) { return references(); });
  }
}

void ask_for_represented(const Trace& trace, uint64_t steps) {
  const std::string file = trace.file() + ".represented";
  for (const Representation as : {Representation::cor, Representation::dor, Representation::cdr}) {
    if (!represent(trace, as, file)) continue;
    (void)verify(file);
    const auto made = Trace::open(file);
    for (uint32_t t = 0; made && t < made->threads().size(); ++t) {
      Steps accesses(steps);
      auto cursor = SharedAccessCursor::open(*made, t);
      while (cursor && cursor->next() && accesses()) {
      }
      const auto patterns = address_patterns(*made, t);
      if (!patterns) continue;
      for (const AddressPattern& pattern : *patterns)
        (void)read_pattern(*made, t, pattern, [](const PatternRun&) { return true; });
    }
  }
  ::unlink(file.c_str());
}

}  // namespace

void survive_each_thread(const std::string& file, uint64_t steps) {
  (void)verify(file);
  auto trace = Trace::open(file);
  if (!trace) return;
  auto slicer = Slicer::open(*trace);
  const auto threads = static_cast<uint32_t>(std::min<size_t>(trace->threads().size(), 8));
  for (uint32_t thread = 0; thread < threads; ++thread) {
    ask_for_paths(*trace, thread, steps);
    ask_for_values(*trace, thread, steps);
    ask_for_synchronization(*trace, thread, steps);
    if (slicer) ask_for_slices(*trace, *slicer, thread);
  }
  // Some of those take time by the square of the threads; forged tables list thousands.
  if (trace->threads().size() > 100) return;
  ask_about_all(*trace, steps);
  ask_for_descriptors(*trace, steps);
  ask_for_represented(*trace, steps);
}

}  // namespace vestige::hostile
