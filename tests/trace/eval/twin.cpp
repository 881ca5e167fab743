#include "trace/eval/twin.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace vestige::sketch {

struct Twin::Frame {
  uint32_t number;
  const Function& function;
  std::vector<uint64_t> arguments;
  std::map<uint32_t, uint64_t> values;
  std::vector<uint32_t> path;  // segments so far
  uint32_t block = kNone;      // the one before
  uint64_t last_time = 0;      // of its path before
  uint64_t depth = 0;          // its own place on the stack, from 1, once a path is complete
};

namespace {

SimpleType type_of(const Function& function, uint32_t type) {
  return simple_type(function.types[type]).value_or(SimpleType{});
}
uint64_t low(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

}  // namespace

Twin::Twin(const SketchProgram& program, uint64_t seed)
    : program_(program), random_(seed), shadow_(kShadowBytes + kShadowSlack) {
  for (const Function& function : program.program.functions)
    sources_.push_back(sources_of(function));
  byval.resize(sources_.size());
}

void Twin::call_from_outside(uint32_t function, std::vector<uint64_t> arguments) {
  try {
    activate(function, arguments);
  } catch (const Unwound&) {
    Event event;
    event.kind = format::EventKind::resync;
    event.time = run.paths.size();
    event.stack.keep = 0;
    depth_ = 0;
    run.events.push_back(event);
  }
}

uint64_t Twin::random_value(const SimpleType& type) {
  if (type.kind == SimpleType::Kind::float32)
    return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int>(random_() % 2000)) / 8);
  if (type.kind == SimpleType::Kind::float64)
    return std::bit_cast<uint64_t>(static_cast<double>(static_cast<int>(random_() % 2000)) / 16);
  return low(random_() >> (random_() % 64), type.bits);
}

uint64_t Twin::load(uint64_t address, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) {
    const auto [at, fresh] = memory_.try_emplace(address + i);
    if (fresh) at->second = static_cast<uint8_t>((address + i) * 37 >> 3);
    value |= uint64_t{at->second} << (8 * i);
  }
  return value;
}
void Twin::store(uint64_t address, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    memory_[address + i] = static_cast<uint8_t>(value >> (8 * i));
}

uint64_t Twin::own_place(uint32_t function, uint64_t index) const {
  return 8 * (program_.program.first_path[function] + index);
}

uint64_t Twin::tell(uint32_t, uint32_t index, uint64_t address, uint64_t value, unsigned bytes) {
  uint8_t* place = shadow_.data() + address % kShadowBytes;
  uint64_t held = 0;
  for (unsigned i = 0; i < bytes; ++i) held |= uint64_t{place[i]} << (8 * i);
  if (held != value) told_values.push_back({run.paths.size() + 1, index, value});
  for (unsigned i = 0; i < bytes; ++i) place[i] = static_cast<uint8_t>(value >> (8 * i));
  return value;
}

uint64_t Twin::value_of(const Frame& frame, const Operand& operand) const {
  if (operand.kind == Operand::Kind::argument) return frame.arguments[operand.index];
  if (operand.kind == Operand::Kind::statement) {
    const auto at = frame.values.find(operand.index);
    return at == frame.values.end() ? 0 : at->second;
  }
  if (operand.kind != Operand::Kind::constant) return 0;
  const Constant& constant = frame.function.constants[operand.index];
  if (constant.kind == Constant::Kind::symbol)
    return program_.address_of(frame.function.symbols[constant.symbol]) +
           static_cast<uint64_t>(constant.offset);
  uint64_t value = 0;
  for (size_t i = 0; i < constant.bytes.size(); ++i)
    value |= uint64_t{constant.bytes[i]} << (8 * i);
  return constant.kind == Constant::Kind::null
             ? 0
             : low(value, type_of(frame.function, constant.type).bits);
}

void Twin::keep(Frame& frame, uint32_t index, std::optional<uint64_t> value,
                std::optional<uint64_t> address, bool late) {
  if (value) frame.values[index] = *value;
  if (frame.function.statements[index].op == Op::store)
    value = value_of(frame, frame.function.statements[index].operands[0]);
  if (value || address)
    seen.push_back(
        {late ? frame.last_time : run.paths.size() + 1, frame.number, index, value, address});
}

std::optional<uint64_t> Twin::activate(uint32_t number, const std::vector<uint64_t>& arguments) {
  Frame frame{number, program_.program.functions[number], arguments, {}, {}};
  const Function& function = frame.function;
  const uint64_t own = byval[number] ? 0 : program_.addresses[number].own;
  if (own == 0 || callee_ != own) {
    for (uint32_t k = 0; k < function.arguments.size(); ++k)
      if (const auto type = simple_type(function.types[function.arguments[k]])) {
        const auto index = static_cast<uint32_t>(function.statements.size()) + k;
        tell(number, index, own_place(number, index), arguments[k], type->bytes);
      }
  }
  callee_ = 0;
  for (uint32_t segment = 0;;) {
    const Segment& now = function.segments[segment];
    frame.path.push_back(segment);
    if (now.start != SegmentStart::resume) enter_block(frame, now.block);
    for (uint32_t i = 0; i + 1 < now.statement_count; ++i)
      if (function.statements[now.first_statement + i].op != Op::phi)
        statement(frame, now.first_statement + i);
    bool over = false;
    uint32_t next = kNone;
    const auto result = reach_end(frame, segment, next, over);
    if (over) return result;
    segment = next;
  }
}

void Twin::enter_block(Frame& frame, uint32_t block) {
  const Block& into = frame.function.blocks[block];
  std::map<uint32_t, uint64_t> values;
  for (uint32_t i = 0; i < into.statement_count; ++i) {
    const uint32_t index = into.first_statement + i;
    const Statement& phi = frame.function.statements[index];
    if (phi.op != Op::phi) break;
    for (size_t o = 0; o + 1 < phi.operands.size(); o += 2)
      if (phi.operands[o + 1].index == frame.block)
        values[index] = value_of(frame, phi.operands[o]);
  }
  for (const auto& [index, value] : values) keep(frame, index, value, std::nullopt, false);
}

void Twin::statement(Frame& frame, uint32_t index) {
  const Function& function = frame.function;
  const Statement& statement = function.statements[index];
  const SimpleType type = type_of(function, statement.type);
  const bool late = function.segments[frame.path.back()].first_statement > index;
  if (statement.op == Op::load) {
    const uint64_t address = value_of(frame, statement.operands[0]);
    const uint64_t value = low(load(address, type.bytes), type.bits);
    return keep(frame, index, tell(frame.number, index, address, value, type.bytes), address, late);
  }
  if (statement.op == Op::store) {
    const uint64_t address = value_of(frame, statement.operands[1]);
    const uint64_t value = value_of(frame, statement.operands[0]);
    const Operand& from = statement.operands[0];
    const uint32_t from_type =
        from.kind == Operand::Kind::statement  ? function.statements[from.index].type
        : from.kind == Operand::Kind::argument ? function.arguments[from.index]
                                               : function.constants[from.index].type;
    const unsigned bytes = type_of(function, from_type).bytes;
    store(address, value, bytes);
    for (unsigned i = 0; i < bytes; ++i)
      shadow_[address % kShadowBytes + i] = static_cast<uint8_t>(value >> (8 * i));
    return keep(frame, index, std::nullopt, address, late);
  }
  if (statement.op == Op::call &&
      memory_work_of(function.symbols[statement.callee]) != MemoryWork::none)
    return work_on_memory(frame, index, late);
  if (sources_[frame.number][index] == Source::beside) {
    const uint64_t distance =
        tell(frame.number, index, own_place(frame.number, index), random_() % 4 * 16, 8);
    const Operand first{Operand::Kind::statement, first_slot_of(function)};
    return keep(frame, index, value_of(frame, first) + distance, std::nullopt, late);
  }
  if (sources_[frame.number][index] == Source::told) {
    const uint64_t value = random_value(type);
    std::optional<uint64_t> address;
    if (statement.op == Op::atomic_rmw) address = value_of(frame, statement.operands[0]);
    return keep(frame, index,
                tell(frame.number, index, own_place(frame.number, index), value, type.bytes),
                address, late);
  }
  std::vector<uint64_t> operands;
  for (const Operand& operand : statement.operands) operands.push_back(value_of(frame, operand));
  keep(frame, index, compute(function, statement, operands), std::nullopt, late);
}

// All bytes are read before any is written, which pieces in the right order come to.
void Twin::work_on_memory(Frame& frame, uint32_t index, bool late) {
  const Statement& statement = frame.function.statements[index];
  const uint64_t to = value_of(frame, statement.operands[0]);
  const uint64_t from = value_of(frame, statement.operands[1]);
  const uint64_t bytes = value_of(frame, statement.operands[2]);
  const bool copies = memory_work_of(frame.function.symbols[statement.callee]) == MemoryWork::copy;
  std::vector<uint8_t> moved, seen;
  for (uint64_t i = 0; i < bytes; ++i) {
    moved.push_back(copies ? static_cast<uint8_t>(load(from + i, 1)) : static_cast<uint8_t>(from));
    seen.push_back(copies ? shadow_[(from + i / 64 * 64) % kShadowBytes + i % 64]
                          : static_cast<uint8_t>(from));
  }
  for (uint64_t i = 0; i < bytes; ++i) {
    store(to + i, moved[i], 1);
    shadow_[(to + i / 64 * 64) % kShadowBytes + i % 64] = seen[i];
  }
  keep(frame, index, std::nullopt, to, late);
}

void Twin::finish_path(Frame& frame, uint32_t cut_target) {
  const auto& paths = program_.program.paths[frame.number];
  for (uint32_t n = 0; n < paths.size(); ++n) {
    if (paths[n].segments != frame.path || paths[n].cut_target != cut_target) continue;
    const uint32_t id = program_.program.first_path[frame.number] + n;
    run.paths.push_back(id);
    frame.last_time = run.paths.size();
    if (program_.program.enters(id)) frame.depth = ++depth_;
    if (program_.program.leaves(id)) --depth_;
    frame.block = frame.function.segments[frame.path.back()].block;
    frame.path.clear();
    return;
  }
  throw std::runtime_error("no such path");
}

void Twin::come_back(Frame& frame, uint32_t index, uint64_t called, std::optional<uint64_t> value) {
  const Function& function = frame.function;
  const SimpleType type = type_of(function, function.statements[index].type);
  if (type.bits != 0) {
    if (!value) value = random_value(type);
    if (ack_ != called)
      tell(frame.number, index, own_place(frame.number, index), *value, type.bytes);
    keep(frame, index, value, std::nullopt, true);
  }
  ack_ = 0;
}

std::optional<uint64_t> Twin::reach_end(Frame& frame, uint32_t segment, uint32_t& next,
                                        bool& over) {
  const Function& function = frame.function;
  const Segment& now = function.segments[segment];
  const uint32_t index = now.first_statement + now.statement_count - 1;
  const Statement& last = function.statements[index];
  const auto first_segment_of = [&](uint32_t block) {
    for (uint32_t s = 0;; ++s)
      if (function.segments[s].block == block) return s;
  };
  std::vector<uint64_t> operands;
  for (const Operand& operand : last.operands) operands.push_back(value_of(frame, operand));

  if (now.end == SegmentEnd::branch) {
    uint32_t block = last.operands[0].index;
    if (last.op == Op::br && last.operands.size() == 3)
      block = last.operands[operands[0] ? 2 : 1].index;
    if (last.op == Op::switch_) {
      block = last.operands[1].index;
      for (size_t o = 2; o + 1 < last.operands.size(); o += 2)
        if (operands[o] == operands[0]) block = last.operands[o + 1].index;
    }
    next = first_segment_of(block);
    const auto edge = std::ranges::find(now.edges, next, &SegmentEdge::target);
    if (edge->cut)
      finish_path(frame, next);
    else
      frame.block = now.block;
    return std::nullopt;
  }
  finish_path(frame, kNone);
  if (now.end == SegmentEnd::sync) {
    next = segment + 1;
    frame.path = {next};  // so that it counts as late
    statement(frame, index);
    frame.path.clear();
    return std::nullopt;
  }
  if (now.end == SegmentEnd::ret) {
    over = true;
    if (!byval[frame.number]) ack_ = program_.addresses[frame.number].own;
    if (operands.empty()) return std::nullopt;
    return operands[0];
  }
  if (now.end == SegmentEnd::unwind) throw Unwound{};
  // A call.
  const bool invoke = last.op == Op::invoke;
  const uint64_t called = operands.back();
  std::vector<uint64_t> arguments(operands.begin(), operands.end() - (invoke ? 3 : 1));
  callee_ = called;
  ack_ = 0;
  if (now.end == SegmentEnd::tail_call) {
    over = true;
    return perform(called, arguments);
  }
  const auto block_of = [&](size_t from_end) {
    return last.operands[last.operands.size() - from_end].index;
  };
  next = invoke ? first_segment_of(block_of(3)) : segment + 1;
  std::optional<uint64_t> value;
  try {
    value = perform(called, arguments);
  } catch (const Unwound&) {
    if (!invoke) throw;
    ++made_exceptions;
    Event event;
    event.kind = format::EventKind::resync;
    event.time = run.paths.size();
    event.stack.keep = depth_ = frame.depth;
    run.events.push_back(event);
    next = first_segment_of(block_of(2));
    return std::nullopt;
  }
  come_back(frame, index, called, value);
  return std::nullopt;
}

std::optional<uint64_t> Twin::perform(uint64_t address, const std::vector<uint64_t>& arguments) {
  for (uint32_t f = 0; f < program_.addresses.size(); ++f)
    if (program_.addresses[f].own == address) return activate(f, arguments);
  return outside();
}

std::optional<uint64_t> Twin::outside() {
  const uint64_t arena = program_.address_of("arena");
  for (int i = 0; i < 8; ++i) {
    const auto at = memory_.lower_bound(chance(0.8) ? arena + random_() % 80 : random_());
    if (at != memory_.end()) at->second = static_cast<uint8_t>(random_());
  }
  if (nested_ < 6 && run.paths.size() < paths_left && chance(calls_back)) {
    ++nested_;
    const auto function = static_cast<uint32_t>(random_() % program_.addresses.size());
    std::vector<uint64_t> arguments;
    const Function& called = program_.program.functions[function];
    for (const uint32_t type : called.arguments)
      arguments.push_back(random_value(type_of(called, type)));
    try {
      activate(function, arguments);
    } catch (const Unwound&) {
      --nested_;
      throw;
    }
    --nested_;
  }
  if (chance(throws)) throw Unwound{};
  return std::nullopt;
}

}  // namespace vestige::sketch
