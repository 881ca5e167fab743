#include "trace/process_addresses.h"

#include <map>
#include <optional>

#include "trace/state.h"

namespace vestige {

namespace {

constexpr uint32_t kUnknownTable = kNone;

// One module's tables, and who loaded it with which.
class Loads {
 public:
  void add(const AddressChunk& chunk) {
    if (!chunk.table) old_ = true;
    tables_[chunk.table.value_or(0)] = &chunk;
  }
  void loaded(uint32_t process, uint32_t table) {
    if (old_) {  // tables were not told apart: only the first process is known to have this one
      if (!first_) first_ = process;
      table = *first_ == process ? 0 : kUnknownTable;
      if (by_.contains(process)) table = kUnknownTable;
    }
    const auto [at, fresh] = by_.try_emplace(process, table);
    if (!fresh && at->second != table) at->second = kUnknownTable;
  }
  // A forked process has what its parent had.
  void inherit(uint32_t child, uint32_t parent) {
    const auto had = by_.find(parent);
    if (had == by_.end()) return;
    const auto [at, fresh] = by_.try_emplace(child, had->second);
    if (!fresh && at->second != had->second) at->second = kUnknownTable;
  }
  // Null when it is not known.
  const AddressChunk* of(uint32_t process) const {
    const auto loaded = by_.find(process);
    const auto table = tables_.find(loaded != by_.end() ? loaded->second : 0);
    if (table == tables_.end()) return nullptr;
    // A load that is not in the trace any more can have been with any of them.
    return loaded != by_.end() || tables_.size() == 1 ? table->second : nullptr;
  }

 private:
  bool old_ = false;  // from before tables were told apart
  std::optional<uint32_t> first_;
  std::map<uint32_t, const AddressChunk*> tables_;
  std::map<uint32_t, uint32_t> by_;  // process → its table
};

std::vector<Loads> loads_of(const Trace& trace) {
  std::vector<Loads> modules(trace.modules().size());
  for (const AddressChunk& chunk : trace.state().addresses)
    if (chunk.module < modules.size()) modules[chunk.module].add(chunk);
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    const auto events = trace.events(thread);
    if (!events) continue;  // damaged: who walks that thread will say so
    for (const TraceEvent& event : *events) {
      if (event.kind != TraceEvent::Kind::module_load || event.numbers.empty() ||
          event.numbers[0] >= modules.size())
        continue;
      const uint64_t table = event.numbers.size() > 1 ? event.numbers[1] : 0;
      modules[event.numbers[0]].loaded(
          trace.threads()[thread].process,
          table < kUnknownTable ? static_cast<uint32_t>(table) : kUnknownTable);
    }
  }
  // Parents come before their children.
  for (uint32_t process = 0; process < trace.processes().size(); ++process)
    if (const uint32_t parent = trace.processes()[process].forked_from; parent < process)
      for (Loads& module : modules) module.inherit(process, parent);
  return modules;
}

void fill(const AddressChunk& chunk, const ModuleInfo& module,
          std::vector<FunctionAddresses>& list) {
  for (size_t f = 0; f < chunk.functions.size() && f < module.function_count; ++f) {
    const auto& addresses = chunk.functions[f];
    FunctionAddresses& function = list[module.first_function + f];
    function.known = true;
    if (addresses.empty()) continue;
    function.own = addresses[0];
    function.symbols.assign(addresses.begin() + 1, addresses.end());
  }
}

}  // namespace

ProcessAddresses::ProcessAddresses(const Trace& trace) {
  const std::vector<Loads> modules = loads_of(trace);
  std::map<std::vector<const AddressChunk*>, size_t> seen;
  const size_t processes = std::max<size_t>(1, trace.processes().size());
  for (uint32_t process = 0; process < processes; ++process) {
    std::vector<const AddressChunk*> chunks;
    for (const Loads& module : modules) chunks.push_back(module.of(process));
    const auto [at, fresh] = seen.try_emplace(std::move(chunks), lists_.size());
    of_process_.push_back(at->second);
    if (!fresh) continue;
    auto& list = lists_.emplace_back(trace.functions().size(), FunctionAddresses{.known = false});
    for (size_t m = 0; m < modules.size(); ++m)
      if (const AddressChunk* chunk = at->first[m]) fill(*chunk, trace.modules()[m], list);
  }
}

}  // namespace vestige
