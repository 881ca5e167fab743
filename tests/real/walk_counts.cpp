// walk_counts TRACE: checks that walks backwards are walks forwards reversed, row for row, at every
// level, and prints how often everything ran, counted from the rows of the walk. Tab-separated:
//
//     function  name  unit  file  line  activations
//     blocks    count …                                        one per block, in order
//     statement block  op  pseudo  file  line  column  count  symbol  offset  one
//
// `blocks` and `statement` lines belong to the function above them; symbol and offset are those of
// the address of a store or atomic operation, when it is a constant, and `one` says whether it adds
// one there. Trace::profile(), which counts path words and walks nothing, must agree. The last line
// on standard error says how much was walked.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/query.h"

using namespace vestige;

namespace {

[[noreturn]] void die(const std::string& why) {
  std::fprintf(stderr, "walk_counts: %s\n", why.c_str());
  std::exit(1);
}

uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 29);
}

// Everything a row says, as one number.
uint64_t digest(const WalkRow& row) {
  uint64_t hash = 1;
  for (const uint64_t part :
       {uint64_t(row.kind), uint64_t(row.thread), row.time, uint64_t(row.depth),
        uint64_t(row.function), uint64_t(row.block), uint64_t(row.statement), row.statement_id,
        uint64_t(row.path ? row.path->id : 0), uint64_t(row.line), uint64_t(row.column)})
    hash = mixed(hash, part);
  hash = mixed(hash, reinterpret_cast<uintptr_t>(row.file.data()));
  if (row.event) {
    hash = mixed(hash, uint64_t(row.event->kind));
    for (const uint64_t number : row.event->numbers) hash = mixed(hash, number);
    hash = mixed(hash, std::hash<std::string>()(row.text));
  }
  return hash;
}

template <class Use>
void walk(const Trace& trace, uint32_t thread, WalkLevel level, bool back, Use use) {
  auto walk = WalkCursor::open(trace, {.thread = thread, .level = level, .back = back});
  if (!walk) die(walk.error().message);
  while (const WalkRow* row = walk->next()) use(*row);
  if (walk->error()) die(walk->error()->message);
}

// Walks forwards, giving each row to `use`, then backwards. Returns the number of rows.
template <class Use>
uint64_t walk_both_ways(const Trace& trace, uint32_t thread, WalkLevel level, Use use) {
  std::vector<uint64_t> rows;
  walk(trace, thread, level, false, [&](const WalkRow& row) {
    rows.push_back(digest(row));
    use(row);
  });
  size_t left = rows.size();
  walk(trace, thread, level, true, [&](const WalkRow& row) {
    if (left == 0 || rows[--left] != digest(row)) {
      die("thread " + std::to_string(thread) + ", time " + std::to_string(row.time) + ", level " +
          std::to_string(int(level)) +
          ": the walk backwards differs from the walk forwards in row " + std::to_string(left) +
          " of " + std::to_string(rows.size()));
    }
  });
  if (left != 0) die("the walk backwards is shorter than the walk forwards");
  return rows.size();
}

const Constant* constant(const Function& function, const Statement& statement, size_t operand) {
  if (operand >= statement.operands.size()) return nullptr;
  const Operand& at = statement.operands[operand];
  return at.kind == Operand::Kind::constant ? &function.constants[at.index] : nullptr;
}

bool is_one(const Constant* value) {
  return value && value->kind == Constant::Kind::integer && !value->bytes.empty() &&
         value->bytes[0] == 1 &&
         std::all_of(value->bytes.begin() + 1, value->bytes.end(),
                     [](uint8_t byte) { return byte == 0; });
}

// The address a store or atomic operation writes to, when it is a symbol.
const Constant* written(const Function& function, const Statement& statement) {
  if (statement.op != Op::store && statement.op != Op::atomic_rmw) return nullptr;
  const Constant* address = constant(function, statement, statement.op == Op::store ? 1 : 0);
  return address && address->kind == Constant::Kind::symbol ? address : nullptr;
}

// store (add x, 1) or atomicrmw add 1
bool adds_one(const Function& function, const Statement& statement) {
  if (statement.op == Op::atomic_rmw) return is_one(constant(function, statement, 1));
  if (statement.op != Op::store || statement.operands[0].kind != Operand::Kind::statement)
    return false;
  const Statement& sum = function.statements[statement.operands[0].index];
  return sum.op == Op::add && is_one(constant(function, sum, 1));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) die("usage: walk_counts TRACE");
  const auto trace = Trace::open(argv[1]);
  if (!trace) die(trace.error().message);
  const auto& functions = trace->functions();
  std::vector<FunctionCounts> counted(functions.size());
  for (size_t f = 0; f < functions.size(); ++f) {
    counted[f].blocks.resize(functions[f].blocks.size());
    counted[f].statements.resize(functions[f].statements.size());
  }
  uint64_t paths = 0, blocks = 0, statements = 0;
  for (uint32_t thread = 0; thread < trace->threads().size(); ++thread) {
    paths += walk_both_ways(*trace, thread, WalkLevel::path, [&](const WalkRow& row) {
      if (row.path && row.path->enters) ++counted[row.function].activations;
    });
    blocks += walk_both_ways(*trace, thread, WalkLevel::block, [&](const WalkRow& row) {
      if (row.kind == WalkRow::Kind::block) ++counted[row.function].blocks[row.block];
    });
    statements += walk_both_ways(*trace, thread, WalkLevel::statement, [&](const WalkRow& row) {
      if (row.kind == WalkRow::Kind::statement) ++counted[row.function].statements[row.statement];
    });
  }

  const auto profile = trace->profile();
  if (!profile) die(profile.error().message);
  for (size_t f = 0; f < functions.size(); ++f) {
    const Function& function = functions[f];
    const FunctionCounts& mine = counted[f];
    const FunctionCounts& theirs = (*profile)[f];
    bool equal = mine.activations == theirs.activations && mine.blocks == theirs.blocks;
    for (size_t s = 0; s < function.statements.size(); ++s)
      equal &= function.statements[s].pseudo || mine.statements[s] == theirs.statements[s];
    if (!equal) die(function.name + ": Trace::profile() and the walk count differently");

    std::printf("function\t%s\t%s\t%s\t%u\t%" PRIu64 "\nblocks", function.name.c_str(),
                function.unit.c_str(),
                function.file < function.files.size() ? function.files[function.file].c_str() : "",
                function.line, mine.activations);
    for (const uint64_t count : mine.blocks) std::printf("\t%" PRIu64, count);
    std::printf("\n");
    for (size_t s = 0; s < function.statements.size(); ++s) {
      const Statement& statement = function.statements[s];
      const Location* at = statement.location < function.locations.size()
                               ? &function.locations[statement.location]
                               : nullptr;
      const char* symbol = "";
      int64_t offset = 0;
      if (const Constant* counter = written(function, statement)) {
        symbol = function.symbols[counter->symbol].c_str();
        offset = counter->offset;
      }
      std::printf("statement\t%u\t%s\t%d\t%s\t%u\t%u\t%" PRIu64 "\t%s\t%" PRId64 "\t%d\n",
                  statement.block, std::string(op_name(statement.op)).c_str(), statement.pseudo,
                  at && at->file < function.files.size() ? function.files[at->file].c_str() : "",
                  at ? at->line : 0, at ? at->column : 0, mine.statements[s], symbol, offset,
                  adds_one(function, statement));
    }
  }
  std::fprintf(stderr, "%" PRIu64 " paths, %" PRIu64 " blocks, %" PRIu64 " statements both ways\n",
               paths, blocks, statements);
}
