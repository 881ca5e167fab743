#include "query/rows/reference_source.h"

#include <algorithm>

#include "base/sort_stably.h"
#include "query/names/ranks.h"

namespace vestige {

ReferenceShapes::Shape ReferenceShapes::shape_of(const Function& function, uint32_t index) {
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

ReferenceShapes::ReferenceShapes(const Trace& trace)
    : ReferenceShapes(trace, all_addresses(trace)) {}

ReferenceShapes::ReferenceShapes(const Trace& trace, const std::vector<StatementRef>& statements)
    : set_(trace, statements), shapes_(set_.bits().size()) {
  for (const Function& function : trace.functions()) first_ids_.push_back(function.first_statement);
  for (const StatementRef& ref : statements)
    shapes_[statement_id(trace, ref)] = shape_of(trace.functions()[ref.function], ref.statement);
}

ReferenceSource::ReferenceSource(const Trace& trace, Windows windows)
    : trace_(&trace),
      windows_(std::make_unique<const Windows>(std::move(windows))),
      shapes_(std::make_unique<const ReferenceShapes>(trace)) {}

Result<ReferenceSource> ReferenceSource::open(const Trace& trace) {
  auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(std::move(windows.error()));
  return ReferenceSource(trace, std::move(*windows));
}

std::vector<uint32_t> ReferenceSource::threads() const {
  std::vector<uint32_t> out;
  for (uint32_t t = 0; t < trace_->threads().size(); ++t)
    if (!windows_->of(t).empty()) out.push_back(t);
  const Ranks ranks(*trace_);
  sort_stably(out, {}, [&](uint32_t thread) { return ranks.of(thread); });
  return out;
}

Result<void> ReferenceSource::seek(uint32_t thread, uint64_t time) {
  const auto windows = windows_->of(thread);
  const auto at = std::ranges::lower_bound(windows, time, {}, &Window::last_time);
  auto rows = open_rows(*trace_, *windows_, shapes_->statements(),
                        {.thread = thread,
                         .first_window = static_cast<size_t>(at - windows.begin()),
                         .first_time = time});
  if (!rows) return std::unexpected(std::move(rows.error()));
  thread_ = thread;
  rows_ = std::move(*rows);
  return {};
}

Result<void> ReferenceSource::read(std::vector<TimedReference>& out) {
  out.clear();
  while (out.empty()) {
    piece_.clear();
    const auto read = rows_->read(piece_);
    if (!read) return std::unexpected(read.error());
    if (!*read) break;
    for (const Observation& row : piece_)
      unknown_ += shapes_->each(row, thread_,
                                [&](const Reference& made) { out.push_back({row.time, made}); });
  }
  return {};
}

}  // namespace vestige
