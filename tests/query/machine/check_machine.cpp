// check_machine TRACE: the labels of a recorded program against the plain machine, which takes
// references and blocks from other queries. 1 when they differ.
#include <cstdio>
#include <map>
#include <tuple>

#include "plain_machine.h"
#include "vestige/machine.h"
#include "vestige/query.h"
#include "vestige/slice.h"
#include "vestige/values.h"

namespace vestige {
namespace {

struct Sums {
  uint64_t executions = 0, misses = 0, l2_misses = 0;
  bool operator==(const Sums&) const = default;
};
using Key = std::pair<uint64_t, MachineKind>;  // #ID
using All = std::map<Key, Sums>;

int failed(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 3;
}

// Branches from the blocks of a walk: a block went to the next one of its activation.
template <class Directions>
Result<void> branches(const Trace& trace, uint32_t thread, All& all) {
  WalkOptions options;
  options.thread = thread;
  auto walk = WalkCursor::open(trace, options);
  if (!walk) return std::unexpected(walk.error());
  Directions directions;
  plain::Targets targets;
  std::vector<std::pair<uint32_t, uint32_t>> stack;  // per activation: function, last block
  while (const WalkRow* row = walk->next()) {
    if (row->kind != WalkRow::Kind::block) continue;
    stack.resize(row->depth + 1, {kNone, kNone});
    auto& [function, block] = stack.back();
    const bool begins = row->path->enters && row->block == 0 && row->path->blocks.front() == 0;
    if (block != kNone && !begins && function == row->function) {
      const Function& f = trace.functions()[function];
      const Block& b = f.blocks[block];
      const uint32_t last = b.first_statement + b.statement_count - 1;
      const Op op = f.statements[last].op;
      bool differ = false;
      size_t taken = b.successors.size();
      for (size_t i = b.successors.size(); i-- > 0;) {
        if (b.successors[i] == row->block) taken = i;
        differ |= b.successors[i] != b.successors[0];
      }
      if (differ && taken < b.successors.size() &&
          (op == Op::br || op == Op::switch_ || op == Op::indirect_br)) {
        const uint64_t id = uint64_t{f.first_statement} + last;
        const uint32_t hash = plain::hash_of(id);
        Sums& sums = all[{id, MachineKind::branch}];
        ++sums.executions;
        if (op == Op::br) {
          sums.misses += directions.wrong(hash, taken == 0);
        } else {
          sums.misses += targets.wrong(hash, static_cast<uint32_t>(taken));
          directions.note(taken % 2 == 1);
        }
      }
    }
    function = row->function;
    block = row->block;
  }
  if (walk->error()) return std::unexpected(*walk->error());
  return {};
}

Result<void> references(const Trace& trace, uint32_t thread, const MachineModel& model, All& all) {
  plain::Hierarchy caches{{model.l1.bytes, model.l1.ways, model.l1.line},
                          {model.l2.bytes, model.l2.ways, model.l2.line}};
  const auto unknown = read_references(trace, thread, [&](const Reference& reference) {
    const auto count = [&](MachineKind kind) {
      const auto [one, two] = caches.refer(reference.address, reference.bytes);
      Sums& sums = all[{reference.statement_id, kind}];
      ++sums.executions;
      sums.misses += one;
      sums.l2_misses += two;
    };
    if (reference.kind != Reference::Kind::write) count(MachineKind::load);
    if (reference.kind != Reference::Kind::read) count(MachineKind::store);
    return true;
  });
  if (!unknown) return std::unexpected(unknown.error());
  return {};
}

int check(const Trace& trace, const MachineModel& model) {
  const auto labels = MachineLabels::open(trace, {.model = model, .progress = {}});
  if (!labels) return failed(labels.error());
  uint64_t rows = 0, wrong = 0;
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    All twin;
    const auto walked = model.predictor == PredictorKind::tage
                            ? branches<plain::Tage>(trace, t, twin)
                            : branches<plain::Gshare>(trace, t, twin);
    if (!walked) return failed(walked.error());
    if (has_values(trace, t).value_or(false))
      if (auto read = references(trace, t, model, twin); !read) return failed(read.error());
    for (const MachineStatement& s : labels->statements(t)) {
      ++rows;
      Sums listed;
      const auto read = labels->misses(t, s.statement, s.kind, [&](uint64_t, bool l2) {
        ++listed.misses;
        listed.l2_misses += l2;
        return true;
      });
      if (!read) return failed(read.error());
      // Executions without an outcome, and copies of nothing, are not in the twin's streams.
      const Key key(statement_id(trace, s.statement), s.kind);
      const Sums expected = twin[key];
      const Function& function = trace.functions()[s.statement.function];
      const bool copies = function.statements[s.statement.statement].op == Op::call;
      const bool executed = s.executions - s.unknown == expected.executions || copies;
      if (!executed || s.misses != expected.misses || s.l2_misses != expected.l2_misses ||
          listed.misses != s.misses || listed.l2_misses != s.l2_misses) {
        ++wrong;
        std::printf("#%lu %s: %lu %lu %lu, plainly %lu %lu %lu\n", key.first,
                    kind_name(key.second).data(), s.executions - s.unknown, s.misses, s.l2_misses,
                    expected.executions, expected.misses, expected.l2_misses);
      }
      twin.erase(key);
    }
    for (const auto& [key, sums] : twin)
      if (sums.executions > 0) std::printf("#%lu has no labels\n", key.first), ++wrong;
  }
  std::printf("%lu rows, %lu differ\n", rows, wrong);
  return wrong > 0 || rows == 0 ? 1 : 0;
}

// The slice of what missed is the union of the slices of each.
int check_slices(const Trace& trace, const MachineLabels& labels) {
  constexpr uint64_t kMost = 12;
  uint64_t compared = 0;
  for (const MachineStatement& s : labels.statements(0)) {
    if (s.misses < 2 || compared == 6) continue;
    ++compared;
    SliceOptions options;
    options.statement = s.statement;
    options.thread = 0;
    options.instances = true;
    const auto joined = slice_misses(trace, labels, options, kMost);
    if (!joined) return failed(joined.error());
    std::map<std::pair<uint64_t, uint64_t>, uint32_t> twin;  // by time and #ID: the least depth
    std::vector<uint64_t> instances;
    const auto read = labels.misses(0, s.statement, s.kind, [&](uint64_t instance, bool) {
      instances.push_back(instance);
      return instances.size() < kMost;
    });
    if (!read) return failed(read.error());
    for (const uint64_t instance : instances) {
      options.instance = instance;
      const auto one = slice(trace, options);
      if (!one) return failed(one.error());
      for (const SliceInstance& member : one->instances) {
        const std::pair key(member.time, statement_id(trace, member.statement));
        const auto [at, added] = twin.try_emplace(key, member.depth);
        if (!added) at->second = std::min(at->second, member.depth);
      }
    }
    bool same = joined->slice.instances.size() == twin.size() && joined->misses == s.misses;
    uint64_t time = 0;
    for (const SliceInstance& member : joined->slice.instances) {
      const auto at = twin.find({member.time, statement_id(trace, member.statement)});
      same &= at != twin.end() && at->second == member.depth && member.time >= time;
      time = member.time;
      // A call may be nearer in one slice and give another one what it needs, so no more than this.
      same &= member.reason == SliceReason::criterion
                  ? member.depth == 0
                  : joined->slice.instances[member.of].depth < member.depth;
    }
    if (!same)
      return std::printf("the slice of #%lu differs\n", statement_id(trace, s.statement)), 1;
  }
  std::printf("%lu slices of misses\n", compared);
  return 0;
}

}  // namespace
}  // namespace vestige

int main(int argc, char** argv) {
  using namespace vestige;
  if (argc != 2) return 2;
  const auto trace = Trace::open(argv[1]);
  if (!trace) return failed(trace.error());
  MachineModel small;
  small.predictor = PredictorKind::gshare;
  small.l1 = {1024, 2, 32};
  small.l2 = {6144, 3, 64};
  for (const MachineModel& model : {MachineModel{}, small, MachineModel{}})
    if (const int code = check(*trace, model)) return code;
  const auto labels = MachineLabels::open(*trace, {.model = small, .progress = {}});
  return labels ? check_slices(*trace, *labels) : failed(labels.error());
}
