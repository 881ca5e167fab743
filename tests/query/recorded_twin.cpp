#include "query/recorded_twin.h"

#include <set>
#include <stdexcept>

#include "vestige/index.h"

namespace vestige::sketch {

RecordedTwin record_random(uint64_t seed, uint32_t threads, uint64_t window_statements) {
  RecordedTwin made;
  std::mt19937_64 random(seed);
  made.program = random_program(1 + seed % 6, random);
  synthetic::TraceFile file;
  file.program = made.program.program;
  file.path = synthetic::temporary_name();
  for (const FunctionAddresses& function : made.program.addresses) {
    file.addresses.push_back({function.own});
    file.addresses.back().insert(file.addresses.back().end(), function.symbols.begin(),
                                 function.symbols.end());
  }
  for (uint32_t t = 0; t < threads; ++t) {
    auto twin = std::make_unique<Twin>(made.program, seed + 1000 * t);
    twin->throws = seed % 3 == 0 ? 0.1 : 0;
    for (int i = 0; i < 6 && twin->run.paths.size() < 1500; ++i) {
      const auto f = static_cast<uint32_t>(random() % made.program.addresses.size());
      twin->call_from_outside(f, random_arguments(made.program.program.functions[f], random));
    }
    std::vector<ToldValue> told;
    for (const ToldValue& s : twin->told_values) told.push_back({s.time, s.index, s.value});
    file.told.push_back(std::move(told));
    std::mt19937 cuts(static_cast<uint32_t>(seed));
    file.chunks.push_back(
        synthetic::make_chunks(made.program.program, t, twin->run,
                               synthetic::random_cuts(twin->run.paths.size(), 5, cuts)));
    file.runs.push_back(twin->run);
    made.threads.push_back(std::move(twin));
  }
  synthetic::write_trace(file);
  auto trace = Trace::open(file.path);
  if (!trace) throw std::runtime_error(trace.error().message);
  made.trace = std::make_unique<Trace>(std::move(*trace));
  if (window_statements > 0) {
    const auto built = build_index(*made.trace, {{}, window_statements});
    if (!built) throw std::runtime_error(built.error().message);
  }
  return made;
}

std::vector<HistoryRow> RecordedTwin::rows(const std::vector<StatementRef>& statements) const {
  std::vector<HistoryRow> rows;
  std::set<std::pair<uint32_t, uint32_t>> wanted;
  for (const StatementRef& ref : statements) wanted.insert({ref.function, ref.statement});
  for (uint32_t t = 0; t < threads.size(); ++t) {
    std::map<std::tuple<uint64_t, uint32_t, uint32_t>, const Seen*> seen;
    for (const Seen& s : threads[t]->seen) seen[{s.time, s.function, s.statement}] = &s;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> instances;
    for (uint64_t time = 1; time <= threads[t]->run.paths.size(); ++time) {
      const uint32_t id = threads[t]->run.paths[time - 1];
      const uint32_t f = program.program.function_of(id);
      const Function& function = program.program.functions[f];
      for (const uint32_t index : program.program.path(id).segments) {
        const Segment& segment = function.segments[index];
        for (uint32_t i = 0; i < segment.statement_count; ++i) {
          const uint32_t s = segment.first_statement + i;
          if (!wanted.contains({f, s})) continue;
          HistoryRow row;
          row.thread = t;
          row.statement = {f, s};
          row.time = time;
          row.instance = ++instances[{f, s}];
          if (const auto found = seen.find({time, f, s}); found != seen.end()) {
            row.value = found->second->value;
            row.address = found->second->address;
          }
          rows.push_back(row);
        }
      }
    }
  }
  return rows;
}

}  // namespace vestige::sketch
