#include "trace/path_table.h"

#include <string_view>

namespace vestige {

namespace {

void count_statement(const Function& function, const Statement& statement, Path& path) {
  if (statement.pseudo) return;
  ++path.statements;
  switch (statement.op) {
    case Op::load:
      ++path.loads;
      break;
    case Op::store:
      ++path.stores;
      break;
    case Op::cmpxchg:
    case Op::atomic_rmw:
      ++path.loads;
      ++path.stores;
      break;
    case Op::call: {
      if (statement.callee >= function.symbols.size()) break;
      const std::string_view callee = function.symbols[statement.callee];
      if (callee.starts_with("llvm.memcpy") || callee.starts_with("llvm.memmove")) {
        ++path.loads;
        ++path.stores;
      } else if (callee.starts_with("llvm.memset")) {
        ++path.stores;
      }
      break;
    }
    default:
      break;
  }
}

}  // namespace

Path make_path(const Function& function, uint32_t function_index, const Numbering& numbering,
               uint64_t number) {
  Path path;
  path.id = static_cast<uint32_t>(function.first_path + number);
  path.function = function_index;
  path.segments = decode_path(function.segments, numbering, number).segments;
  path.segments.shrink_to_fit();
  for (const uint32_t s : path.segments) {
    const Segment& segment = function.segments[s];
    if (segment.start != SegmentStart::resume) path.blocks.push_back(segment.block);
    if (segment.end == SegmentEnd::sync) ++path.syncs;
    for (uint32_t i = 0; i < segment.statement_count; ++i)
      count_statement(function, function.statements[segment.first_statement + i], path);
  }
  path.blocks.shrink_to_fit();
  const Segment& first = function.segments[path.segments.front()];
  path.enters = first.start == SegmentStart::entry;
  path.resumes = first.start == SegmentStart::resume;
  path.end = function.segments[path.segments.back()].end;
  path.leaves = path.end == SegmentEnd::ret || path.end == SegmentEnd::tail_call ||
                path.end == SegmentEnd::unwind;
  return path;
}

PathTable::PathTable(const ProgramTable& program)
    : program_(program),
      page_count_(static_cast<uint32_t>((program.path_end() + kPageSize - 1) >> kPageBits)),
      pages_(std::make_unique<std::atomic<Slot*>[]>(page_count_)),
      numberings_(program.functions().size()) {}

const Path* PathTable::fill(uint32_t id) const {
  const uint32_t index = program_.function_of(id);
  if (index == kNone) return nullptr;
  const Function& function = program_.functions()[index];

  const std::lock_guard lock(mutex_);
  Slot* slots = pages_[id >> kPageBits].load(std::memory_order_relaxed);
  if (slots) {
    if (const Path* path = slots[id & (kPageSize - 1)].load(std::memory_order_relaxed)) return path;
  }
  if (bytes_ > kMaxBytes) return nullptr;
  if (!numberings_[index]) {
    auto numbering = number_paths(function.segments);
    if (!numbering || numbering->path_count != function.path_count) return nullptr;
    numberings_[index] = std::make_unique<Numbering>(std::move(*numbering));
    bytes_ += sizeof(Numbering) + function.segments.size() * 64;
  }
  if (!slots) {
    slots = page_storage_.emplace_back().data();
    bytes_ += kPageSize * sizeof(Slot);
    pages_[id >> kPageBits].store(slots, std::memory_order_release);
  }
  const Path& path = paths_.emplace_back(
      make_path(function, index, *numberings_[index], id - function.first_path));
  bytes_ += sizeof(Path) + (path.segments.size() + path.blocks.size()) * sizeof(uint32_t) + 32;
  slots[id & (kPageSize - 1)].store(&path, std::memory_order_release);
  return &path;
}

}  // namespace vestige
