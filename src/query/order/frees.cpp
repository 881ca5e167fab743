#include "query/order/frees.h"

namespace vestige::threads {

namespace {

constexpr uint64_t kUnit = 8;  // of an operation's result: docs/format.md

bool frees(std::string_view function) {
  return function == "free" || function == "cfree" || function == "realloc" ||
         function == "reallocarray" || function.starts_with("_ZdlPv") ||
         function.starts_with("_ZdaPv");
}

}  // namespace

std::optional<FreedBlock> FreedBlocks::of(const SyncOperation& operation) {
  // Recordings of earlier versions do not say how long the block was.
  if (operation.kind != SyncKind::freed || operation.result == 0 || operation.time == 0 ||
      trace_->threads()[operation.thread].handler)
    return std::nullopt;
  const auto [at, fresh] = cursors_.try_emplace(operation.thread);
  if (fresh)
    if (auto cursor = trace_->walk(operation.thread)) at->second.emplace(std::move(*cursor));
  if (!at->second || !at->second->seek(operation.time)) return std::nullopt;
  const Path& path = at->second->path();
  if (path.segments.empty()) return std::nullopt;
  if (path.end != SegmentEnd::call && path.end != SegmentEnd::tail_call) return std::nullopt;
  const Function& function = trace_->functions()[path.function];
  const Segment& last = function.segments[path.segments.back()];
  if (last.statement_count == 0) return std::nullopt;
  const uint32_t index = last.first_statement + last.statement_count - 1;
  const Statement& call = function.statements[index];
  if (call.callee == kNone || !frees(function.symbols[call.callee])) return std::nullopt;
  return FreedBlock{uint64_t{function.first_statement} + index, operation.object,
                    operation.result * kUnit};
}

}  // namespace vestige::threads
