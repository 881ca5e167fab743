// The slices of the executions that missed, joined into one.
//
// Each is made alone, so the cost is that of as many slices.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "vestige/machine.h"
#include "vestige/slice.h"
#include "vestige/values.h"

namespace vestige {

namespace {

MachineKind kind_of(const Function& function, uint32_t statement) {
  const Op op = function.statements[statement].op;
  if (op == Op::store) return MachineKind::store;
  if (op != Op::call)
    return has_address(function, statement) ? MachineKind::load : MachineKind::branch;
  return function.symbols[function.statements[statement].callee].starts_with("llvm.memset")
             ? MachineKind::store
             : MachineKind::load;
}

class SliceUnion {
 public:
  SliceUnion(const Trace& trace, const SliceOptions& options) : trace_(trace), options_(options) {}

  Result<void> add(const Slice& slice) {
    if (numbers_.empty()) {
      out_.thread = slice.thread;
      out_.criterion = slice.criterion;
    }
    std::vector<uint32_t> numbers;  // in the union, of each of the slice
    for (const SliceInstance& member : slice.instances) {
      const auto next = static_cast<uint32_t>(out_.instances.size());
      const std::tuple key(member.thread, member.time, statement_id(trace_, member.statement));
      numbers.push_back(numbers_.try_emplace(key, next).first->second);
      if (numbers.back() != next) continue;
      if (next >= options_.most_instances)
        return fail(ErrorKind::unsupported, "the slices together have more than " +
                                                std::to_string(options_.most_instances) +
                                                " executions");
      out_.instances.push_back(member);
      out_.instances.back().depth = kNone;
    }
    for (size_t i = 0; i < slice.instances.size(); ++i) {
      const SliceInstance& member = slice.instances[i];
      SliceInstance& mine = out_.instances[numbers[i]];
      if (member.depth >= mine.depth) continue;
      mine = member;
      if (member.of != kNone) mine.of = numbers[member.of];
    }
    for (size_t i = 0; i < kSliceEnds; ++i)
      out_.unresolved[i] = std::max(out_.unresolved[i], slice.unresolved[i]);
    return {};
  }

  Result<Slice> finish() {
    if (auto sorted = sort(); !sorted) return std::unexpected(std::move(sorted.error()));
    std::map<uint64_t, SliceStatement> statements;
    for (const SliceInstance& member : out_.instances) {
      SliceStatement& s = statements[statement_id(trace_, member.statement)];
      s.statement = member.statement;
      ++s.instances;
    }
    for (const auto& [id, s] : statements) out_.statements.push_back(s);
    out_.count = out_.instances.size();
    if (!options_.instances) out_.instances = {};
    return std::move(out_);
  }

 private:
  // Thread by thread in the order executed: by time, and within a path as it goes.
  Result<void> sort() {
    std::optional<PathCursor> cursor;
    std::vector<uint32_t> order;
    uint32_t thread = kNone;
    uint64_t at = 0;
    std::map<uint32_t, uint32_t> places;  // of the path's statements
    std::vector<uint32_t> place(out_.instances.size());
    for (const auto& [key, number] : numbers_) {  // by thread and time
      if (std::get<0>(key) != thread) {
        thread = std::get<0>(key);
        auto opened = trace_.walk(thread);
        if (!opened) return std::unexpected(std::move(opened.error()));
        cursor.emplace(std::move(*opened));
        at = 0;
      }
      if (std::get<1>(key) != at) {
        at = std::get<1>(key);
        places.clear();
        if (cursor->seek(at)) {
          const Function& function = trace_.functions()[cursor->function()];
          for (const uint32_t s : cursor->path().segments)
            for (uint32_t k = 0; k < function.segments[s].statement_count; ++k)
              places.try_emplace(function.segments[s].first_statement + k,
                                 static_cast<uint32_t>(places.size()));
        }
      }
      place[number] = places[out_.instances[number].statement.statement];
      order.push_back(number);
    }
    std::ranges::sort(order, {}, [&](uint32_t i) {
      return std::tuple(out_.instances[i].thread, out_.instances[i].time, place[i]);
    });
    std::vector<uint32_t> now(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) now[order[i]] = i;
    std::vector<SliceInstance> sorted;
    for (const uint32_t i : order) {
      sorted.push_back(out_.instances[i]);
      if (sorted.back().of != kNone) sorted.back().of = now[sorted.back().of];
    }
    out_.instances = std::move(sorted);
    return {};
  }

  const Trace& trace_;
  const SliceOptions& options_;
  Slice out_;
  std::map<std::tuple<uint32_t, uint64_t, uint64_t>, uint32_t> numbers_;  // by thread, time and #ID
};

}  // namespace

Result<MissSlice> slice_misses(const Trace& trace, const MachineLabels& labels,
                               const SliceOptions& options, uint64_t most) {
  const Function& function = trace.functions()[options.statement.function];
  const MachineKind kind = kind_of(function, options.statement.statement);
  uint32_t thread = options.thread.value_or(kNone);
  std::vector<uint64_t> instances;
  MissSlice out;
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    if (thread != kNone && t != thread) continue;
    const auto read = labels.misses(t, options.statement, kind, [&](uint64_t instance, bool) {
      ++out.misses;
      if (instances.size() < most) instances.push_back(instance);
      return true;
    });
    if (!read) return std::unexpected(read.error());
    if (!instances.empty()) {
      thread = t;
      break;
    }
  }
  if (instances.empty())
    return fail(ErrorKind::missing, trace.file() + ": no execution of " +
                                        statement_name(trace, options.statement) +
                                        " missed, or it is no branch, load or store");
  auto slicer = Slicer::open(trace);
  if (!slicer) return std::unexpected(std::move(slicer.error()));
  SliceUnion all(trace, options);
  for (const uint64_t instance : instances) {
    SliceOptions one = options;
    one.thread = thread;
    one.instance = instance;
    one.instances = true;
    const auto made = slicer->slice(one);
    if (!made) return std::unexpected(made.error());
    if (auto added = all.add(*made); !added) return std::unexpected(std::move(added.error()));
  }
  out.sliced = instances.size();
  auto made = all.finish();
  if (!made) return std::unexpected(std::move(made.error()));
  out.slice = std::move(*made);
  return out;
}

}  // namespace vestige
