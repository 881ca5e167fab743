#include "trace/index/recording.h"

#include <algorithm>

#include "base/sort_stably.h"
#include "trace/eval/random_program.h"
#include "trace/eval/twin.h"

namespace vestige::windows_test {

namespace {

using sketch::SketchProgram;
using sketch::Twin;

// Something that makes the thread forget, here and there. The told values stay as they are, so what
// is behind it makes little sense; it is evaluated all the same.
void add_events(synthetic::Run& run, std::vector<ToldValue>& told, std::mt19937_64& random) {
  for (size_t i = 0; i < 1 + run.paths.size() / 150; ++i) {
    Event event;
    event.time = random() % run.paths.size();
    switch (random() % 4) {
      case 0:
        event.kind = format::EventKind::unregistered;
        event.numbers = {3};
        break;
      case 1:
        event.kind = format::EventKind::resync;
        event.reason = format::ResyncReason::gap;
        event.stack.keep = random() % 3;
        break;
      case 2:
        event.kind = format::EventKind::resync;
        event.stack.keep = random() % 3;
        event.stack.frames = {{run.paths[random() % run.paths.size()], event.time}};
        break;
      default: {
        event.kind = format::EventKind::abandoned;
        const auto at = std::ranges::lower_bound(told, event.time + 1, {}, &ToldValue::time);
        if (random() % 2) told.insert(at, {event.time + 1, kPathAbandoned, 0});
      }
    }
    run.events.push_back(event);
  }
  sort_stably(run.events, {}, &Event::time);
}

void add_lies(std::vector<ToldValue>& told, std::mt19937_64& random) {
  std::vector<ToldValue> lies;
  for (const ToldValue& told_value : told) {
    const uint64_t chance = random() % 20;
    if (chance == 0) continue;
    lies.push_back(told_value);
    if (chance == 1) lies.back().value = 0;
    if (chance == 2) lies.back().value ^= uint64_t{1} << random() % 64;
    if (chance == 3) lies.push_back({told_value.time, static_cast<uint32_t>(random() % 30), 7});
  }
  told = std::move(lies);
}

// Operations of every kind, some of them messages between ranks.
std::vector<SyncRow> random_syncs(uint32_t thread, uint64_t paths, std::mt19937_64& random) {
  static constexpr SyncKind kKinds[] = {
      SyncKind::mutex_lock,    SyncKind::mutex_unlock, SyncKind::cond_signal, SyncKind::sem_post,
      SyncKind::sem_wait,      SyncKind::omp_give,     SyncKind::omp_take,    SyncKind::mpi_send,
      SyncKind::mpi_receive,   SyncKind::mpi_arrive,   SyncKind::mpi_leave,   SyncKind::thread_join,
      SyncKind::barrier_arrive};
  std::vector<SyncRow> rows(1 + random() % 20);
  for (SyncRow& row : rows) {
    row.kind = kKinds[random() % std::size(kKinds)];
    row.time = paths ? random() % (paths + 1) : 0;
    row.object = 0x7000 + 64 * (random() % 4);
  }
  std::ranges::sort(rows, {}, &SyncRow::time);
  for (size_t i = 0; i < rows.size(); ++i) rows[i].stamp = 1 + 1000 * i + thread;
  return rows;
}

// Takes away from the thread written last.
void take_away(Lack lack, synthetic::TraceFile& file) {
  if (lack == Lack::paths || lack == Lack::paths_and_values || lack == Lack::all)
    file.chunks.back().clear();
  if (lack == Lack::values || lack == Lack::paths_and_values || lack == Lack::all) {
    file.told.back().clear();
    file.untold.push_back(static_cast<uint32_t>(file.told.size() - 1));
  }
  if (lack == Lack::all) file.syncs.back().clear();
}

}  // namespace

Recording record_random(const RecordingOptions& options) {
  std::mt19937_64 random(options.seed);
  const SketchProgram program = sketch::random_program(2 + options.seed % 5, random);
  synthetic::TraceFile file;
  file.program = program.program;
  file.path = synthetic::temporary_name();
  std::vector<Lack> lacks;
  for (const FunctionAddresses& function : program.addresses) {
    auto& list = file.addresses.emplace_back(1, function.own);
    list.insert(list.end(), function.symbols.begin(), function.symbols.end());
  }
  for (uint32_t thread = 0; thread < options.threads; ++thread) {
    Twin twin(program, options.seed * 10 + thread);
    twin.throws = options.throws;
    twin.paths_left = options.paths;
    for (int i = 0; i < 40 && twin.run.paths.size() < options.paths; ++i) {
      const auto f = static_cast<uint32_t>(random() % program.addresses.size());
      twin.call_from_outside(f, sketch::random_arguments(program.program.functions[f], random));
    }
    if (options.forgets) add_events(twin.run, twin.told_values, random);
    if (options.lies) add_lies(twin.told_values, random);
    std::mt19937 cuts(static_cast<uint32_t>(options.seed));
    auto chunks = synthetic::make_chunks(program.program, thread, twin.run,
                                         synthetic::random_cuts(twin.run.paths.size(), 9, cuts));
    if (options.holes)
      for (size_t i = chunks.size(); i-- > 0;)
        if (i % 3 == options.seed % 3) chunks.erase(chunks.begin() + static_cast<ptrdiff_t>(i));
    auto& told = file.told.emplace_back();
    for (const ToldValue& told_value : twin.told_values)
      told.push_back({told_value.time, told_value.index, told_value.value});
    const uint64_t paths = twin.run.paths.size();
    file.runs.push_back(std::move(twin.run));
    file.chunks.push_back(std::move(chunks));
    if (options.empty == 0) continue;
    Lack lack = Lack::nothing;
    if (static_cast<double>(random() % 1000) < 1000 * options.empty)
      lack = static_cast<Lack>(1 + random() % (kLacks - 1));
    const bool pathless = lack != Lack::nothing && lack != Lack::values;
    file.syncs.push_back(random_syncs(thread, pathless ? 0 : paths, random));
    take_away(lack, file);
    if (thread > 0 && random() % 4 == 0) file.handlers.push_back(thread);
    lacks.push_back(lack);
  }
  synthetic::write_trace(file);
  return {file.path, std::move(lacks)};
}

}  // namespace vestige::windows_test
