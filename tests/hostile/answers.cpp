#include "answers.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "vestige/query.h"
#include "vestige/sync.h"
#include "vestige/variables.h"

namespace vestige::hostile {

namespace {

uint64_t hash_of(const WalkRow& row) {
  uint64_t hash = 0;
  for (const uint64_t part :
       {uint64_t(row.kind), row.time, uint64_t{row.depth}, uint64_t{row.function},
        uint64_t{row.block}, uint64_t{row.statement}, uint64_t{row.line}, uint64_t{row.column},
        uint64_t{std::hash<std::string_view>{}(row.file)},
        uint64_t{std::hash<std::string>{}(row.text)}})
    hash = (hash ^ part) * 0x9e3779b97f4a7c15 + (hash >> 29);
  return hash;
}

// The rows; false when damage ended the walk.
bool walk_rows(const Trace& trace, uint32_t thread, bool back, std::vector<uint64_t>& rows) {
  auto walk = WalkCursor::open(trace, {.thread = thread, .level = WalkLevel::block, .back = back});
  if (!walk) return false;
  while (const WalkRow* row = walk->next()) rows.push_back(hash_of(*row));
  return walk->error() == nullptr;
}

// False when damage ended it.
bool all_syncs(const Trace& trace, uint64_t most, std::vector<uint64_t>& hashes) {
  auto order = SyncOrderCursor::open(trace);
  if (!order) return false;
  while (hashes.size() < most && order->next()) {
    const SyncOperation& op = order->operation();
    uint64_t hash = 0;
    for (const uint64_t part : {uint64_t{op.thread}, op.number, op.time, uint64_t(op.kind),
                                uint64_t{op.result}, op.object, op.other, op.stamp})
      hash = (hash ^ part) * 0x9e3779b97f4a7c15 + (hash >> 29);
    hashes.push_back(hash);
  }
  return order->error() == nullptr;
}

bool same(const TraceCounts& a, const TraceCounts& b) {
  return a.paths == b.paths && a.blocks == b.blocks && a.statements == b.statements &&
         a.loads == b.loads && a.stores == b.stores && a.sync_ops == b.sync_ops;
}

std::string check_paths(const Trace& trace, uint32_t thread, const Answers::Thread& original) {
  auto cursor = trace.walk(thread);
  if (!cursor) return "";
  cursor->skip_damage();
  uint64_t forwards = 0, backwards = 0;
  const auto right = [&] {
    const auto at = std::ranges::lower_bound(original.times, cursor->time());
    return at != original.times.end() && *at == cursor->time() &&
           original.paths[static_cast<size_t>(at - original.times.begin())] == cursor->path().id;
  };
  for (; cursor->next(); ++forwards)
    if (!right()) return "thread " + std::to_string(thread) + " has another path";
  for (; cursor->prev(); ++backwards)
    if (!right()) return "thread " + std::to_string(thread) + " has another path backwards";
  return forwards == backwards ? "" : "backwards has another length than forwards";
}

// Every tenth variable's history: each function's bindings are met.
void survive_variables(const Trace& trace, uint64_t steps) {
  const std::vector<SourceVariable> all = source_variables(trace);
  for (size_t v = 0; v < all.size(); v += 10) {
    VariableQuestion question;
    question.variables.push_back(all[v]);
    auto history = VariableCursor::open(trace, question, {.count = steps});
    if (!history) return;
    while (const VariableRow* row = history->next()) (void)value_text(row->value);
  }
}

}  // namespace

Answers ask_everything(const Trace& trace) {
  Answers answers;
  answers.counts = trace.counts().value();
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    Answers::Thread thread;
    auto cursor = trace.walk(t);
    while (cursor->next()) {
      thread.times.push_back(cursor->time());
      thread.paths.push_back(cursor->path().id);
    }
    walk_rows(trace, t, false, thread.rows);
    answers.threads.push_back(std::move(thread));
  }
  all_syncs(trace, SIZE_MAX, answers.syncs);
  return answers;
}

std::string check_answers(const std::string& file, const Answers& original, bool recovered) {
  const auto report = verify(file);
  const bool faultless = !recovered && report && report->ok;
  auto trace = Trace::open(file);
  if (!trace) return trace.error().message.empty() ? "an error without a message" : "";
  const auto counts = trace->counts();
  const size_t threads = std::min(trace->threads().size(), original.threads.size());
  if (faultless &&
      (!counts || !same(*counts, original.counts) || threads != original.threads.size()))
    return "verify finds nothing wrong, but the counts differ";
  for (uint32_t t = 0; t < threads; ++t) {
    const Answers::Thread& expected = original.threads[t];
    if (std::string problem = check_paths(*trace, t, expected); !problem.empty()) return problem;
    std::vector<uint64_t> forwards, backwards;
    if (!walk_rows(*trace, t, false, forwards) || !walk_rows(*trace, t, true, backwards)) continue;
    std::ranges::reverse(backwards);
    if (forwards != backwards) return "the walk backwards is not the reverse of the one forwards";
    if (faultless && forwards != expected.rows)
      return "verify finds nothing wrong, but the walk differs";
    (void)trace->events(t);
    (void)trace->stack(t, expected.paths.size() / 2);
    (void)trace->profile(t);
  }
  std::vector<uint64_t> syncs;
  if (all_syncs(*trace, SIZE_MAX, syncs) && faultless && syncs != original.syncs)
    return "verify finds nothing wrong, but the synchronization operations differ";
  return "";
}

void survive(const std::string& file, uint64_t steps) {
  (void)verify(file);
  auto trace = Trace::open(file);
  if (!trace) return;
  (void)trace->counts();
  const auto threads = static_cast<uint32_t>(std::min<size_t>(trace->threads().size(), 6));
  for (uint32_t t = 0; t < threads; ++t) {
    (void)trace->events(t);
    (void)trace->profile(t);
    for (const uint64_t time : {uint64_t{0}, uint64_t{1}, uint64_t{40}, UINT64_MAX})
      (void)trace->stack(t, time);
    auto cursor = trace->walk(t);
    if (!cursor) continue;
    cursor->skip_damage();
    for (uint64_t i = 0; i < steps && cursor->next();) ++i;
    for (uint64_t i = 0; i < steps && cursor->prev();) ++i;
    (void)cursor->seek(UINT64_MAX);
    (void)cursor->seek(20);
    for (const WalkLevel level : {WalkLevel::path, WalkLevel::block, WalkLevel::statement})
      for (const bool back : {false, true}) {
        auto walk =
            WalkCursor::open(*trace, {.thread = t, .level = level, .back = back, .count = steps});
        if (!walk) continue;
        while (const WalkRow* row = walk->next())
          if (row->location != kNone) (void)hash_of(*row);
      }
  }
  survive_variables(*trace, steps);
  std::vector<uint64_t> syncs;
  (void)all_syncs(*trace, steps, syncs);
  if (!trace->functions().empty()) {
    (void)find_statements(*trace, trace->functions()[0].name);
    (void)statement_by_id(*trace, 0);
  }
}

}  // namespace vestige::hostile
