#include "query/row_source.h"
#include "vestige/values.h"

namespace vestige {

namespace {

// What a statement's references have in common.
struct Shape {
  Reference::Kind kind = Reference::Kind::read;
  uint64_t bytes = 0;
  bool moves = false;  // memcpy, memmove: reads the source first
  bool measured = false;  // the row's value is the number of bytes
};

Shape shape_of(const Function& function, uint32_t index) {
  const Statement& statement = function.statements[index];
  Shape shape;
  shape.bytes = access_bytes(function, index);
  if (statement.op == Op::store) shape.kind = Reference::Kind::write;
  if (statement.op == Op::cmpxchg || statement.op == Op::atomic_rmw)
    shape.kind = Reference::Kind::modify;
  if (statement.op == Op::call) {
    shape.kind = Reference::Kind::write;
    shape.measured = true;
    shape.moves = !function.symbols[statement.callee].starts_with("llvm.memset");
  }
  return shape;
}

}  // namespace

Result<uint64_t> read_references(const Trace& trace, std::optional<uint32_t> thread,
                                 const std::function<bool(const Reference&)>& take) {
  const auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(windows.error());
  if (thread && windows->of(*thread).empty())
    return fail(ErrorKind::unsupported, trace.file() + ": no values of thread " +
                                            thread_name(trace, *thread) + " were recorded");
  const std::vector<StatementRef> statements = all_addresses(trace);
  const StatementSet set(trace, statements);
  std::vector<Shape> shapes(set.bits().size());  // by #ID
  for (const StatementRef& ref : statements)
    shapes[statement_id(trace, ref)] = shape_of(trace.functions()[ref.function], ref.statement);

  uint64_t unknown = 0;
  std::vector<Observation> rows;
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    if (windows->of(t).empty() || (thread && *thread != t)) continue;
    auto source = open_rows(trace, *windows, set, {.thread = t});
    if (!source) return std::unexpected(std::move(source.error()));
    while (true) {
      rows.clear();
      const auto read = (*source)->read(rows);
      if (!read) return std::unexpected(read.error());
      if (!*read) break;
      for (const Observation& row : rows) {
        const uint64_t id = uint64_t{trace.functions()[row.function].first_statement} + row.statement;
        const Shape& shape = shapes[id];
        const uint64_t bytes = shape.measured ? row.length : shape.bytes;
        if (shape.measured && row.has_length && bytes == 0) continue;  // touches nothing
        if (shape.moves) {
          unknown += !row.has_source;
          if (row.has_source && !take({Reference::Kind::read, t, id, row.source, bytes}))
            return unknown;
        }
        unknown += !row.has_address;
        if (row.has_address && !take({shape.kind, t, id, row.address, bytes})) return unknown;
      }
    }
  }
  return unknown;
}

}  // namespace vestige
