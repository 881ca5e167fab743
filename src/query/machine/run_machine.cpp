#include "query/machine/run_machine.h"

#include "query/machine/branches.h"
#include "query/machine/cache.h"
#include "query/machine/predictor.h"
#include "query/rows/row_source.h"
#include "vestige/values.h"

namespace vestige {

Result<std::vector<LabelRow>> label_branches(const Trace& trace, uint32_t thread,
                                             PredictorKind predictor, CacheWriter& writer,
                                             const MachineStep& step) {
  constexpr size_t kBatch = 1 << 14;
  auto cursor = trace.walk(thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  BranchStream stream(trace, std::move(*cursor));
  LabelBuilder labels(writer);
  const auto directions = make_direction_predictor(predictor);
  TargetPredictor targets;
  std::vector<uint32_t> rows;  // by #ID
  std::vector<BranchOutcome> batch;
  for (bool more = true; more;) {
    batch.clear();
    uint64_t paths = 0;
    while (batch.size() < kBatch && more) {
      const auto next = stream.next(batch);
      if (!next) return std::unexpected(next.error());
      more = *next;
      paths += more;
    }
    for (const BranchOutcome& branch : batch) {
      if (branch.id >= rows.size()) rows.resize(branch.id + 1, kNone);
      uint32_t& row = rows[branch.id];
      if (row == kNone) row = labels.add_row(branch.id, MachineKind::branch);
      if (branch.taken == kNone) {
        labels.add_unknown(row);
        continue;
      }
      const uint32_t hash = branch_hash(branch.id);
      bool wrong;
      if (branch.two_way) {
        wrong = directions->branch(hash, branch.taken == 0);
      } else {
        wrong = targets.branch(hash, branch.taken);
        directions->note((branch.taken & 1) != 0);
      }
      labels.add(row, wrong, false);
    }
    if (auto settled = labels.settle(); !settled) return std::unexpected(settled.error());
    step(paths);
  }
  return labels.finish();
}

Result<std::vector<LabelRow>> label_references(const Trace& trace, const Windows& windows,
                                               uint32_t thread, const MachineModel& model,
                                               CacheWriter& writer, const MachineStep& step) {
  struct Shape {
    uint32_t load = kNone, store = kNone;  // rows
    uint32_t bytes = 0;
    bool measured = false;  // each execution says how many bytes
    bool moves = false;     // loads from elsewhere
  };
  const std::vector<StatementRef> statements = all_addresses(trace);
  const StatementSet set(trace, statements);
  std::vector<Shape> shapes(set.bits().size());
  LabelBuilder labels(writer);
  for (const StatementRef& ref : statements) {
    const Function& function = trace.functions()[ref.function];
    const Statement& statement = function.statements[ref.statement];
    const uint64_t id = statement_id(trace, ref);
    Shape& shape = shapes[id];
    shape.bytes = access_bytes(function, ref.statement);
    shape.measured = statement.op == Op::call;
    shape.moves = shape.measured && !function.symbols[statement.callee].starts_with("llvm.memset");
    if (statement.op != Op::store && (!shape.measured || shape.moves))
      shape.load = labels.add_row(id, MachineKind::load);
    if (statement.op != Op::load) shape.store = labels.add_row(id, MachineKind::store);
  }

  CachePair caches(model.l1, model.l2);
  const auto refer = [&](uint32_t row, bool known, uint64_t address, uint64_t bytes) {
    if (!known) return labels.add_unknown(row);
    const CachePair::Outcome outcome = caches.use(address, bytes);
    labels.add(row, outcome.missed, outcome.missed_l2);
  };
  auto source = open_rows(trace, windows, set, {.thread = thread});
  if (!source) return std::unexpected(std::move(source.error()));
  std::vector<Observation> rows;
  uint64_t time = trace.threads()[thread].first_time;
  while (true) {
    rows.clear();
    const auto read = (*source)->read(rows);
    if (!read) return std::unexpected(read.error());
    if (!*read) break;
    for (const Observation& row : rows) {
      const uint64_t id = uint64_t{trace.functions()[row.function].first_statement} + row.statement;
      const Shape& shape = shapes[id];
      const uint64_t bytes = shape.measured ? row.length : shape.bytes;
      if (shape.measured && row.has_length && bytes == 0) {  // touches nothing
        if (shape.load != kNone) labels.add(shape.load, false, false);
        if (shape.store != kNone) labels.add(shape.store, false, false);
        continue;
      }
      if (shape.load != kNone)
        refer(shape.load, shape.moves ? row.has_source : row.has_address,
              shape.moves ? row.source : row.address, bytes);
      if (shape.store != kNone) refer(shape.store, row.has_address, row.address, bytes);
    }
    if (auto settled = labels.settle(); !settled) return std::unexpected(settled.error());
    step(rows.back().time - time);
    time = rows.back().time;
  }
  return labels.finish();
}

}  // namespace vestige
