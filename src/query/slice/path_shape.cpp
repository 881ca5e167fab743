#include "query/slice/path_shape.h"

#include <algorithm>

#include "program/derive.h"
#include "query/slice/path_steps.h"
#include "vestige/values.h"

namespace vestige {

namespace {

bool is_terminator(Op op) { return op >= Op::ret && op <= Op::call_br; }

StepKind kind_of(const Function& function, const Statement& s, bool stops) {
  switch (s.op) {
    case Op::phi:
      return StepKind::phi;
    case Op::load:
      return StepKind::load;
    case Op::store:
      return StepKind::store;
    case Op::cmpxchg:
    case Op::atomic_rmw:
      return StepKind::exchange;
    case Op::ret:
      return StepKind::ret;
    case Op::invoke:
      return StepKind::call;
    case Op::call: {
      const MemoryWork work =
          s.callee == kNone ? MemoryWork::none : memory_work_of(function.symbols[s.callee]);
      if (work == MemoryWork::copy) return StepKind::copy;
      if (work == MemoryWork::fill) return StepKind::fill;
      return stops ? StepKind::call : StepKind::plain;
    }
    default:
      return is_terminator(s.op) ? StepKind::branch : StepKind::plain;
  }
}

}  // namespace

bool refers_to_memory(StepKind kind) {
  return kind == StepKind::load || kind == StepKind::store || kind == StepKind::exchange ||
         kind == StepKind::copy || kind == StepKind::fill;
}

uint32_t referred_bytes(const Function& function, uint32_t statement) {
  const Statement& s = function.statements[statement];
  const bool access =
      s.op == Op::load || s.op == Op::store || s.op == Op::cmpxchg || s.op == Op::atomic_rmw;
  return access && !s.attributes.empty() ? s.attributes[0] : access_bytes(function, statement);
}

const PathShape& PathShapes::of(const Path& path) {
  const auto found = shapes_.find(path.id);
  if (found != shapes_.end()) return found->second;
  if (kept_ > kMostKept) {
    shapes_.clear();
    kept_ = 0;
  }
  const Function& function = trace_.functions()[path.function];
  PathShape& shape = shapes_[path.id];
  const uint32_t stop = stopped_at(function, path);
  uint32_t before = kNone;  // the last block
  for (const uint32_t index : path.segments) {
    const Segment& segment = function.segments[index];
    const Block& block = function.blocks[segment.block];
    const uint32_t last = block.first_statement + block.statement_count - 1;
    const bool several = std::ranges::any_of(
        block.successors, [&](uint32_t target) { return target != block.successors[0]; });
    for (uint32_t i = 0; i < segment.statement_count; ++i) {
      ShapeItem item;
      item.statement = segment.first_statement + i;
      const Statement& s = function.statements[item.statement];
      item.kind = kind_of(function, s, item.statement == stop);
      item.block = segment.block;
      item.begins = item.statement == block.first_statement;
      item.ends = item.statement == last;
      item.chooses = item.ends && several;
      if (item.kind == StepKind::phi) item.from = before;
      if (refers_to_memory(item.kind)) {
        shape.has_memory = true;
        item.bytes = referred_bytes(function, item.statement);
      }
      shape.items.push_back(item);
    }
    before = segment.block;
  }
  kept_ += 16 + 8 * shape.items.size();
  return shape;
}

}  // namespace vestige
