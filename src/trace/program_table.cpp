#include "trace/program_table.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "program/control_dependence.h"
#include "program/record.h"
#include "trace/parallel.h"

namespace vestige {

namespace {

// Far more than any process maps; keeps a hostile index from sizing an allocation.
constexpr uint32_t kMaxModules = 1 << 20;
// Below this many bytes of records, starting threads costs more than it saves.
constexpr size_t kParallelBytes = 256 * 1024;

struct DecodeTask {
  const ModuleChunk* module;
  const ModuleChunk::Entry* entry;
};

// What the record says holds where every block reaches an end. Older compilers were wrong
// elsewhere, and rounds are in no record.
void mend_control_dependences(Function& function) {
  if (!may_be_endless(function.blocks)) return;
  // More would be out of all proportion to the record.
  constexpr uint64_t kMostParents = 256;
  std::vector<Block> blocks = function.blocks;
  if (find_control_dependences(blocks, kMostParents * blocks.size()))
    function.blocks = std::move(blocks);
}

Result<void> decode_one(const DecodeTask& task, Function& function) {
  auto decoded = decode_function(task.entry->record);
  if (!decoded) {
    return fail(decoded.error().kind,
                "the program table of " + task.module->name + ", function " +
                    std::to_string(task.entry - task.module->functions.data()) + ": " +
                    decoded.error().message);
  }
  if (decoded->path_count > UINT32_MAX - task.entry->first_path) {
    return fail(ErrorKind::corrupt, "the program table of " + task.module->name + ": function " +
                                        decoded->name + " has path ids past 32 bits");
  }
  function = std::move(*decoded);
  function.module = task.module->index;
  function.first_path = task.entry->first_path;
  mend_control_dependences(function);
  return {};
}

}  // namespace

Result<ProgramTable> ProgramTable::build(const std::vector<ModuleChunk>& modules) {
  ProgramTable table;
  std::vector<const ModuleChunk*> ordered;
  for (const ModuleChunk& module : modules) {
    if (module.index >= kMaxModules)
      return fail(ErrorKind::corrupt,
                  "module index " + std::to_string(module.index) + " is too large");
    if (module.index >= ordered.size()) ordered.resize(module.index + 1, nullptr);
    if (ordered[module.index])
      return fail(ErrorKind::corrupt, "module " + std::to_string(module.index) + " is there twice");
    ordered[module.index] = &module;
  }

  std::vector<DecodeTask> tasks;
  size_t bytes = 0;
  for (const ModuleChunk* module : ordered) {
    ModuleInfo info;
    info.first_function = static_cast<uint32_t>(tasks.size());
    if (module) {
      info.name = module->name;
      info.load_address = module->load_address;
      info.function_count = static_cast<uint32_t>(module->functions.size());
      for (const ModuleChunk::Entry& entry : module->functions) {
        tasks.push_back({module, &entry});
        bytes += entry.record.size();
      }
    }
    table.modules_.push_back(std::move(info));
  }

  table.functions_.resize(tasks.size());
  std::mutex mutex;
  Result<void> problem;
  auto decode = [&](size_t, size_t task) {
    auto done = decode_one(tasks[task], table.functions_[task]);
    if (done) return true;
    const std::lock_guard lock(mutex);
    problem = std::move(done);
    return false;
  };
  if (bytes < kParallelBytes) {
    for (size_t task = 0; task < tasks.size() && decode(0, task); ++task) {
    }
  } else {
    run_parallel(tasks.size(), decode);
  }
  if (!problem) return std::unexpected(std::move(problem.error()));

  uint64_t statement = 0;
  for (uint32_t f = 0; f < table.functions_.size(); ++f) {
    Function& function = table.functions_[f];
    if (statement > UINT32_MAX)
      return fail(ErrorKind::unsupported, "the program has more than 2^32 statements");
    function.first_statement = static_cast<uint32_t>(statement);
    statement += function.statements.size();
    if (function.path_count == 0) continue;
    const auto last = static_cast<uint32_t>(function.first_path + function.path_count - 1);
    table.ranges_.push_back({function.first_path, last, f});
  }
  std::ranges::sort(table.ranges_, {}, &Range::first);
  for (size_t i = 1; i < table.ranges_.size(); ++i) {
    if (table.ranges_[i].first <= table.ranges_[i - 1].last) {
      return fail(ErrorKind::corrupt,
                  "functions " + table.functions_[table.ranges_[i - 1].function].name + " and " +
                      table.functions_[table.ranges_[i].function].name + " share path ids");
    }
  }
  if (!table.ranges_.empty()) table.path_end_ = uint64_t{table.ranges_.back().last} + 1;
  return table;
}

uint32_t ProgramTable::function_of(uint32_t id) const {
  const auto above = std::ranges::upper_bound(ranges_, id, {}, &Range::first);
  if (above == ranges_.begin()) return kNone;
  const Range& range = *(above - 1);
  return id <= range.last ? range.function : kNone;
}

}  // namespace vestige
