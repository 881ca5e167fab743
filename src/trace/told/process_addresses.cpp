#include "trace/told/process_addresses.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/sort_stably.h"
#include "trace/state.h"
#include "trace/told/told.h"

namespace vestige {

namespace {

constexpr uint32_t kUnknownTable = kNone;
const FunctionAddresses kUnknownAddresses{.known = false, .own = 0, .symbols = {}};

// A module was loaded with a table of addresses, or unloaded.
struct Load {
  uint32_t thread = 0;
  uint64_t time = 0;
  std::optional<uint32_t> table;  // nothing: unloaded
};

// From behind the path of this time on.
struct Placed {
  uint64_t time = 0;
  uint32_t table = kUnknownTable;
};

// One module in one process.
struct Stay {
  std::vector<Load> loads;        // thread by thread, each by rising time
  std::optional<uint32_t> first;  // the table that the process began with, when it was forked
  std::optional<uint32_t> only;   // the table of all its time; nothing: it moves, or was not loaded
  uint32_t mover = kNone;         // the thread that loads it, when it moves and no other one does
  std::vector<Placed> places;     // of that thread

  uint32_t place_at(uint32_t thread, uint64_t time) const {
    if (only) return *only;
    uint32_t table = kUnknownTable;
    if (thread == mover)
      for (const Placed& placed : places)
        if (placed.time <= time) table = placed.table;
    return table;
  }
};

// Behind which paths of a thread something is missing.
std::vector<uint64_t> holes_in(const Trace::State& state, uint32_t thread) {
  std::vector<uint64_t> holes;
  uint64_t end = 1;
  for (const ChunkPlace& chunk : state.chunks[thread]) {
    if (chunk.first_time != end) holes.push_back(chunk.first_time - 1);
    end = chunk.end_time();
  }
  return holes;
}

// Where the thread that moves a module has it. Loaded twice at the same time it can be in either
// place, and behind a hole in any.
std::vector<Placed> places_of(const Stay& stay, uint64_t begin,
                              const std::vector<uint64_t>& holes) {
  std::vector<Placed> places;
  uint32_t now = stay.first.value_or(kUnknownTable);
  uint64_t loaded = stay.first ? 1 : 0;
  const auto place = [&](uint64_t time, uint32_t table) {
    if (table != now || places.empty()) places.push_back({time, table});
    now = table;
  };
  place(begin, now);
  size_t hole = 0;
  const auto pass_holes = [&](uint64_t time) {
    for (; hole < holes.size() && holes[hole] <= time; ++hole) {
      place(holes[hole], kUnknownTable);
      loaded = 0;
    }
  };
  for (const Load& load : stay.loads) {
    pass_holes(load.time);
    if (!load.table)
      loaded -= loaded > 0;
    else
      place(load.time, loaded++ == 0 || *load.table == now ? *load.table : kUnknownTable);
  }
  pass_holes(UINT64_MAX);
  return places;
}

class Modules {
 public:
  explicit Modules(const Trace& trace)
      : trace_(trace),
        tables_(trace.modules().size()),
        stays_(std::max<size_t>(1, trace.processes().size()),
               std::vector<Stay>(trace.modules().size())) {
    for (const AddressChunk& chunk : trace.state().addresses) {
      if (chunk.module >= tables_.size()) continue;
      told_apart_ &= chunk.table.has_value();
      tables_[chunk.module][chunk.table.value_or(0)] = &chunk;
    }
    for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) read_loads(thread);
    if (!told_apart_) distrust_tables();
    // Parents come before their children.
    for (uint32_t process = 0; process < stays_.size(); ++process) {
      inherit(process);
      for (Stay& stay : stays_[process]) settle(stay);
    }
  }

  const Stay& stay(uint32_t process, size_t module) const { return stays_[process][module]; }
  // Null when it is not known.
  const AddressChunk* table(size_t module, uint32_t number) const {
    const auto at = tables_[module].find(number);
    return at == tables_[module].end() ? nullptr : at->second;
  }
  // Of all the process's time.
  const AddressChunk* table_of(uint32_t process, size_t module) const {
    const Stay& stay = stays_[process][module];
    if (stay.only) return table(module, *stay.only);
    // A load that is not in the trace any more can have been with any of them.
    const bool loaded = !stay.loads.empty() || stay.first;
    return !loaded && tables_[module].size() == 1 ? tables_[module].begin()->second : nullptr;
  }

 private:
  void read_loads(uint32_t thread) {
    const auto events = trace_.events(thread);
    if (!events) return;  // damaged: who walks that thread will say so
    const uint32_t process = trace_.threads()[thread].process;
    for (const TraceEvent& event : *events) {
      const bool load = event.kind == TraceEvent::Kind::module_load;
      if ((!load && event.kind != TraceEvent::Kind::module_unload) || event.numbers.empty() ||
          event.numbers[0] >= tables_.size() || process >= stays_.size())
        continue;
      Load& to = stays_[process][event.numbers[0]].loads.emplace_back();
      to.thread = thread;
      to.time = event.time;
      const uint64_t table = event.numbers.size() > 1 ? event.numbers[1] : 0;
      if (load) to.table = static_cast<uint32_t>(std::min<uint64_t>(table, kUnknownTable));
    }
  }
  // Tables were not told apart: only the first load of the first process is known to have had it.
  void distrust_tables() {
    for (size_t module = 0; module < tables_.size(); ++module) {
      bool first = true;
      for (auto& process : stays_)
        for (Load& load : process[module].loads)
          if (load.table && !std::exchange(first, false)) load.table = kUnknownTable;
    }
  }
  // A forked process has what its parent had.
  void inherit(uint32_t process) {
    if (process >= trace_.processes().size()) return;
    const uint32_t parent = trace_.processes()[process].forked_from;
    if (parent >= process) return;
    uint32_t forker = kNone;
    uint64_t time = 0;
    for (uint32_t thread = 0; thread < trace_.threads().size() && forker == kNone; ++thread) {
      if (trace_.threads()[thread].process != process) continue;
      forker = forked_from(trace_, thread).value_or(kNone);
      time = trace_.threads()[thread].parent_time;
    }
    for (size_t module = 0; module < tables_.size(); ++module) {
      const Stay& before = stays_[parent][module];
      if (!before.loads.empty() || before.first)
        stays_[process][module].first = before.place_at(forker, time);
    }
  }
  void settle(Stay& stay) const {
    std::optional<uint32_t> table = stay.first;
    bool moves = false, one_thread = true;
    for (const Load& load : stay.loads) {
      one_thread &= load.thread == stay.loads[0].thread;
      if (!load.table) continue;
      moves |= table && *table != *load.table;
      table = load.table;
    }
    if (!moves) {
      stay.only = table;
    } else if (one_thread) {
      stay.mover = stay.loads[0].thread;
      const std::vector<uint64_t> holes = holes_in(trace_.state(), stay.mover);
      const uint64_t begin = trace_.threads()[stay.mover].first_time - 1;
      stay.places = places_of(stay, begin, holes);
    }
  }

  const Trace& trace_;
  bool told_apart_ = true;
  std::vector<std::map<uint32_t, const AddressChunk*>> tables_;  // by module, by number
  std::vector<std::vector<Stay>> stays_;                         // by process, by module
};

void fill(const AddressChunk& chunk, const ModuleInfo& module, FunctionAddresses* to) {
  for (size_t f = 0; f < chunk.functions.size() && f < module.function_count; ++f) {
    const auto& addresses = chunk.functions[f];
    to[f].known = true;
    if (addresses.empty()) continue;
    to[f].own = addresses[0];
    to[f].symbols.assign(addresses.begin() + 1, addresses.end());
  }
}

}  // namespace

ProcessAddresses::ProcessAddresses(const Trace& trace)
    : trace_(&trace), moves_(trace.threads().size()) {
  const Modules modules(trace);
  const size_t module_count = trace.modules().size();
  const size_t processes = std::max<size_t>(1, trace.processes().size());
  std::map<std::vector<const AddressChunk*>, size_t> seen;
  std::map<const AddressChunk*, size_t> moved;  // in moved_
  for (uint32_t process = 0; process < processes; ++process) {
    std::vector<const AddressChunk*> chunks;
    for (size_t m = 0; m < module_count; ++m) chunks.push_back(modules.table_of(process, m));
    const auto [at, fresh] = seen.try_emplace(std::move(chunks), lists_.size());
    of_process_.push_back(at->second);
    if (!fresh) continue;
    auto& list = lists_.emplace_back(trace.functions().size(), kUnknownAddresses);
    for (size_t m = 0; m < module_count; ++m)
      if (const AddressChunk* chunk = at->first[m])
        fill(*chunk, trace.modules()[m], list.data() + trace.modules()[m].first_function);
  }
  for (uint32_t process = 0; process < processes; ++process)
    for (size_t m = 0; m < module_count; ++m) {
      const ModuleInfo& module = trace.modules()[m];
      const Stay& stay = modules.stay(process, m);
      for (const Placed& placed : stay.places) {
        ModuleMove& move = moves_[stay.mover].list.emplace_back();
        move.time = placed.time;
        move.first_function = module.first_function;
        move.function_count = module.function_count;
        const AddressChunk* chunk = modules.table(m, placed.table);
        if (!chunk) continue;
        const auto [at, fresh] = moved.try_emplace(chunk, moved_.size());
        if (fresh)
          fill(*chunk, module,
               moved_.emplace_back(module.function_count, kUnknownAddresses).data());
        move.addresses = moved_[at->second].data();
      }
    }
  for (uint32_t thread = 0; thread < moves_.size(); ++thread) {
    sort_stably(moves_[thread].list, {}, &ModuleMove::time);
    if (const auto parent = forked_from(trace, thread)) moves_[thread].parent = &moves_[*parent];
  }
}

}  // namespace vestige
