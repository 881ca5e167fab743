#include "query/dependences/path_shape.h"

#include <algorithm>

#include "program/derive.h"
#include "query/dependences/call_names.h"
#include "vestige/values.h"

namespace vestige {

namespace {

bool is_terminator(Op op) { return op >= Op::ret && op <= Op::call_br; }

// Its first operand is the value that it gives.
bool passes_on(Op op) {
  return op == Op::store || op == Op::ret || op == Op::freeze ||
         (op >= Op::trunc && op <= Op::addr_space_cast);
}

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

bool decides_on(const Function& function, uint32_t branch, uint32_t block) {
  return std::ranges::count(function.blocks[block].control_parents, branch) > 0;
}

// Adds the statements of a path one by one.
class ShapeMaker {
 public:
  ShapeMaker(const Function& function, PathShape& shape) : function_(function), shape_(shape) {
    shape.function = &function;
  }

  void begin_block(uint32_t block, bool whole) {
    from_ = block_;
    block_ = block;
    begin_ = static_cast<uint32_t>(shape_.items.size());
    if (!whole) {
      decider_ = {Decider::Kind::block, block};
      return;
    }
    if (const auto decided = shape_.decided(block))
      decider_ = *decided;
    else if (function_.blocks[block].control_parents.empty())
      decider_ = {Decider::Kind::entry, 0};
    else
      decider_ = {Decider::Kind::branch, block};
  }

  void add(uint32_t statement, bool stops) {
    const auto number = static_cast<uint32_t>(shape_.items.size());
    const Statement& s = function_.statements[statement];
    const Block& block = function_.blocks[block_];
    ShapeItem item;
    item.statement = statement;
    item.block = block_;
    item.kind = kind_of(function_, s, stops);
    item.begins = statement == block.first_statement;
    item.ends = statement + 1 == block.first_statement + block.statement_count;
    item.chooses = item.ends && std::ranges::any_of(block.successors, [&](uint32_t target) {
                     return target != block.successors[0];
                   });
    if (refers_to_memory(item.kind)) {
      item.bytes = referred_bytes(function_, statement);
      shape_.memory.push_back(number);
    }
    if (reads_memory(item.kind)) {
      item.label = shape_.labels++;
      shape_.label_bytes.push_back(item.kind == StepKind::copy ? 0 : item.bytes);
    }
    item.decider = decider_;
    item.first_use = static_cast<uint32_t>(shape_.uses.size());
    if (item.kind == StepKind::phi)
      add_phi(item, s);
    else
      add_uses(item, s);
    item.uses = static_cast<uint32_t>(shape_.uses.size()) - item.first_use;
    if (item.kind == StepKind::call && stops) shape_.stop = number;
    if (item.ends) shape_.ends.push_back(number);
    shape_.items.push_back(item);
    at_[statement] = number;
  }

  void finish() {
    shape_.statements.assign(at_.begin(), at_.end());
    std::ranges::sort(shape_.statements);
    for (const auto& [statement, item] : shape_.statements) add_bit(shape_.words, statement);
    for (const Use& use : shape_.uses) note(use);
    std::ranges::sort(results_);
    for (const uint32_t statement : results_) add_bit(shape_.used, statement);
    std::ranges::sort(shape_.used_arguments);
    const auto [first, last] = std::ranges::unique(shape_.used_arguments);
    shape_.used_arguments.erase(first, last);
  }

 private:
  // By rising number.
  static void add_bit(std::vector<std::pair<uint32_t, uint64_t>>& words, uint32_t number) {
    if (words.empty() || words.back().first != number / 64) words.emplace_back(number / 64, 0);
    words.back().second |= uint64_t{1} << (number % 64);
  }
  void note(const Use& use) {
    if (use.kind == Use::Kind::result) results_.push_back(use.index);
    if (use.kind == Use::Kind::argument) shape_.used_arguments.push_back(use.index);
  }

  void add_uses(ShapeItem& item, const Statement& s) {
    item.passes_on =
        passes_on(s.op) && !s.operands.empty() && use_of(s.operands[0]).kind != Use::Kind::none;
    for (const Operand& operand : s.operands) {
      const Use use = use_of(operand);
      if (use.kind != Use::Kind::none || item.kind == StepKind::call) shape_.uses.push_back(use);
    }
  }

  void add_phi(ShapeItem& item, const Statement& s) {
    item.edge = {Decider::Kind::edge, 0};
    if (from_ == kNone) {
      for (size_t i = 0; i + 1 < s.operands.size(); i += 2) {
        const Operand& operand = s.operands[i];
        if (operand.kind == Operand::Kind::statement) note({Use::Kind::result, operand.index});
        if (operand.kind == Operand::Kind::argument) note({Use::Kind::argument, operand.index});
      }
      return;
    }
    item.from = from_;
    if (!shape_.ends.empty()) {
      const ShapeItem& terminator = shape_.items[shape_.ends.back()];
      item.edge = terminator.chooses ? Decider{Decider::Kind::item, shape_.ends.back()}
                                     : terminator.decider;
    }
    for (size_t i = 0; i + 1 < s.operands.size(); i += 2) {
      if (s.operands[i + 1] != Operand{Operand::Kind::block, from_}) continue;
      Use use = use_of(s.operands[i]);
      // The phis of a block take their values at once: another one's is that of the time before.
      if (use.kind == Use::Kind::item && use.index >= begin_)
        use = {Use::Kind::result, s.operands[i].index};
      if (use.kind != Use::Kind::none) shape_.uses.push_back(use);
      break;
    }
  }

  Use use_of(const Operand& operand) const {
    if (operand.kind == Operand::Kind::argument) return {Use::Kind::argument, operand.index};
    if (operand.kind != Operand::Kind::statement) return {};
    const auto found = at_.find(operand.index);
    if (found == at_.end()) return {Use::Kind::result, operand.index};
    return {Use::Kind::item, found->second};
  }

  const Function& function_;
  PathShape& shape_;
  uint32_t block_ = kNone, from_ = kNone;
  uint32_t begin_ = 0;  // the block's first item
  Decider decider_;
  std::vector<uint32_t> results_;  // that are used, of earlier paths
  std::unordered_map<uint32_t, uint32_t> at_;
};

}  // namespace

bool refers_to_memory(StepKind kind) {
  return kind == StepKind::load || kind == StepKind::store || kind == StepKind::exchange ||
         kind == StepKind::copy || kind == StepKind::fill;
}

bool reads_memory(StepKind kind) {
  return kind == StepKind::load || kind == StepKind::exchange || kind == StepKind::copy;
}

bool writes_memory(StepKind kind) { return refers_to_memory(kind) && kind != StepKind::load; }

uint32_t referred_bytes(const Function& function, uint32_t statement) {
  const Statement& s = function.statements[statement];
  const bool access =
      s.op == Op::load || s.op == Op::store || s.op == Op::cmpxchg || s.op == Op::atomic_rmw;
  return access && !s.attributes.empty() ? s.attributes[0] : access_bytes(function, statement);
}

uint32_t PathShape::item_of(uint32_t statement) const {
  const auto found = std::ranges::lower_bound(statements, statement, {},
                                              [](const auto& pair) { return pair.first; });
  return found == statements.end() || found->first != statement ? kNone : found->second;
}

std::optional<Decider> PathShape::decided(uint32_t block) const {
  const uint32_t round = function->blocks[block].round;
  for (size_t i = ends.size(); i-- > 0;) {
    const ShapeItem& end = items[ends[i]];
    if (decides_on(*function, end.block, block)) return Decider{Decider::Kind::item, ends[i]};
    if (end.block == round) return end.decider;
  }
  return std::nullopt;
}

const Decider* PathShape::decider_of(uint32_t block) const {
  const uint32_t item = item_of(function->blocks[block].first_statement);
  return item == kNone ? nullptr : &items[item].decider;
}

PathShape PathShapes::make(const Path& path) const {
  const Function& function = trace_.functions()[path.function];
  PathShape shape;
  ShapeMaker maker(function, shape);
  const uint32_t stop = stopped_at(function, path);
  for (const uint32_t index : path.segments) {
    const Segment& segment = function.segments[index];
    maker.begin_block(segment.block,
                      segment.first_statement == function.blocks[segment.block].first_statement);
    for (uint32_t i = 0; i < segment.statement_count; ++i)
      maker.add(segment.first_statement + i, segment.first_statement + i == stop);
  }
  maker.finish();
  return shape;
}

const PathShape& PathShapes::of(const Path& path) {
  const auto [at, fresh] = shapes_.try_emplace(path.id);
  if (!fresh) return at->second;
  at->second = make(path);
  kept_ += 16 + 16 * at->second.items.size();
  return at->second;
}

void PathShapes::trim() {
  if (kept_ <= kMostKept) return;
  shapes_.clear();
  kept_ = 0;
}

}  // namespace vestige
