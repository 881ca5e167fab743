#include "query/variable_watch.h"

#include <algorithm>

#include "program/derive.h"
#include "program/shape.h"
#include "query/variable_value.h"

namespace vestige {

namespace {

MemoryWork memory_work(const Function& function, const Statement& statement) {
  return statement.op == Op::call && statement.callee != kNone
             ? memory_work_of(function.symbols[statement.callee])
             : MemoryWork::none;
}

bool is_access(const Function& function, const Statement& statement) {
  switch (statement.op) {
    case Op::load:
    case Op::store:
    case Op::cmpxchg:
    case Op::atomic_rmw:
      return true;
    default:
      return memory_work(function, statement) != MemoryWork::none;
  }
}

// Whether a statement stores or computes a floating-point number.
bool is_floating(const Function& function, uint32_t index) {
  if (index >= function.statements.size()) return false;
  const Statement& statement = function.statements[index];
  const bool stores = statement.op == Op::store && !statement.operands.empty();
  const uint32_t type = stores ? type_of(function, statement.operands[0]) : statement.type;
  const auto simple =
      type < function.types.size() ? simple_type(function.types[type]) : std::nullopt;
  return simple &&
         (simple->kind == SimpleType::Kind::single || simple->kind == SimpleType::Kind::twofold);
}

// An integer that the compiler knew.
std::optional<uint64_t> constant_of(const Function& function, const Operand& operand) {
  if (operand.kind != Operand::Kind::constant) return std::nullopt;
  const Constant& constant = function.constants[operand.index];
  if (constant.kind == Constant::Kind::null) return 0;
  if (constant.kind != Constant::Kind::integer || constant.bytes.size() > 8) return std::nullopt;
  uint64_t value = 0;
  for (size_t i = 0; i < constant.bytes.size(); ++i) value |= uint64_t{constant.bytes[i]} << 8 * i;
  return value;
}

// What a copy finds at its source, when that is a constant.
std::span<const uint8_t> copied_bytes(const Function& function, const Operand& source) {
  if (source.kind != Operand::Kind::constant) return {};
  const Constant& constant = function.constants[source.index];
  if (constant.kind != Constant::Kind::symbol || constant.offset < 0) return {};
  for (const ConstantData& data : function.data) {
    const auto skip = static_cast<uint64_t>(constant.offset);
    if (data.symbol == constant.symbol && skip <= data.bytes.size())
      return std::span(data.bytes).subspan(skip);
  }
  return {};
}

// What an atomic operation makes of a value, when the other one is a constant. The numbers of the
// operations are LLVM's.
std::optional<uint64_t> updated(const Function& function, const Statement& statement,
                                std::optional<uint64_t> old) {
  if (statement.op != Op::atomic_rmw || statement.attributes.size() < 5 ||
      statement.operands.size() < 2 || !old)
    return std::nullopt;
  const auto by = constant_of(function, statement.operands[1]);
  if (!by) return std::nullopt;
  switch (statement.attributes[4]) {
    case 0:
      return *by;
    case 1:
      return *old + *by;
    case 2:
      return *old - *by;
    case 3:
      return *old & *by;
    case 5:
      return *old | *by;
    case 6:
      return *old ^ *by;
    default:
      return std::nullopt;
  }
}

uint32_t bound_type(const Function& function, const BindingOperand& operand) {
  if (operand.kind == BindingOperand::Kind::statement)
    return function.statements[operand.index].type;
  if (operand.kind == BindingOperand::Kind::argument) return function.arguments[operand.index];
  return kNone;
}

unsigned width(const Function& function, const BindingOperand& operand) {
  const uint32_t type = bound_type(function, operand);
  if (type == kNone) return 64;
  const auto simple = simple_type(function.types[type]);
  return simple ? simple->bits : 64;
}

}  // namespace

VariableWatch::VariableWatch(const std::vector<Function>& functions, std::vector<Copy> copies,
                             std::vector<std::vector<uint64_t>> symbols, VariableRows& rows)
    : functions_(functions), copies_(std::move(copies)), symbols_(std::move(symbols)), rows_(rows) {
  std::set<std::pair<uint32_t, uint64_t>> placed;
  for (uint32_t c = 0; c < copies_.size(); ++c) {
    const VariableRef ref = copies_[c].ref;
    copy_of_[{ref.function, ref.variable}] = c;
    const Function& function = functions[ref.function];
    const Variable& variable = function.variables[ref.variable];
    for (const Binding& binding : function.bindings)
      needs_memory_ = needs_memory_ ||
                      (binding.variable == ref.variable && (binding.kind == Binding::Kind::memory ||
                                                            binding.kind == Binding::Kind::behind));
    if (variable.symbol == kNone) continue;
    needs_memory_ = true;
    Instance& instance = globals_[c];
    instance.copy = c;
    instance.local = false;
    if (ref.function >= symbols_.size() || variable.symbol >= symbols_[ref.function].size())
      continue;
    const uint64_t address = symbols_[ref.function][variable.symbol];
    // Every function that names a global knows where it is; one of them is enough.
    if (address != 0 && placed.insert({copies_[c].variable, address}).second)
      place(instance, 0, whole(function, variable.type).bits, address);
  }
}

std::vector<std::vector<bool>> VariableWatch::bindings() const {
  std::vector<std::vector<bool>> bits(functions_.size());
  for (const Copy& copy : copies_) {
    const Function& function = functions_[copy.ref.function];
    auto& list = bits[copy.ref.function];
    list.resize(function.bindings.size() + 1);  // never empty: its activations are wanted
    for (uint32_t b = 0; b < function.bindings.size(); ++b)
      if (function.bindings[b].variable == copy.ref.variable) list[b] = true;
  }
  return bits;
}

std::vector<bool> VariableWatch::memory_statements() const {
  std::vector<bool> bits;
  for (const Function& function : functions_) {
    bits.resize(std::max<size_t>(bits.size(),
                                 uint64_t{function.first_statement} + function.statements.size()));
    for (size_t s = 0; s < function.statements.size(); ++s)
      bits[function.first_statement + s] = is_access(function, function.statements[s]);
  }
  return bits;
}

// ---- activations and bindings -------------------------------------------------------------------

void VariableWatch::enter(uint32_t, uint64_t depth, uint64_t time) {
  cut(depth);
  entered_[depth] = time;
}

void VariableWatch::cut(uint64_t depth) {
  entered_.erase(entered_.lower_bound(depth), entered_.end());
  const auto first = locals_.lower_bound({depth, 0});
  for (auto at = first; at != locals_.end(); ++at) end(at->second);
  locals_.erase(first, locals_.end());
}

void VariableWatch::pass(const Passage& passage) {
  const Function& function = functions_[passage.function];
  const Binding& binding = function.bindings[passage.binding];
  operands_.resize(binding.operands.size());
  if (passage.operand < operands_.size()) {
    auto& operand = operands_[passage.operand];
    operand.reset();
    if (passage.operand == 0) bound_.clear();
    if (passage.operand == 0 && passage.wide)
      bound_ = wide_image(function, bound_type(function, binding.operands[0]), *passage.wide);
    if (passage.has_value)
      operand = BindingWord{passage.value, width(function, binding.operands[passage.operand])};
  }
  if (!passage.last) return;
  for (size_t o = 0; o < operands_.size(); ++o) {
    const BindingOperand& operand = binding.operands[o];
    if (operand.kind == BindingOperand::Kind::number)
      operands_[o] = BindingWord{operand.number, 64};
    if (operand.kind != BindingOperand::Kind::symbol) continue;
    operands_[o].reset();
    if (passage.function < symbols_.size() && operand.index < symbols_[passage.function].size() &&
        symbols_[passage.function][operand.index] != 0)
      operands_[o] = BindingWord{symbols_[passage.function][operand.index] + operand.number, 64};
  }
  const auto copy = copy_of_.find({passage.function, binding.variable});
  if (copy == copy_of_.end()) return;
  if (function.variables[binding.variable].symbol != kNone) {
    bind(globals_[copy->second], passage, binding);
  } else {
    const auto [at, fresh] = locals_.try_emplace({passage.depth, copy->second});
    Instance& instance = at->second;
    if (fresh) {
      instance.copy = copy->second;
      instance.depth = passage.depth;
      const auto entered = entered_.find(passage.depth);
      instance.entered = entered == entered_.end() ? 0 : entered->second;
    }
    bind(instance, passage, binding);
  }
  operands_.clear();
  bound_.clear();
}

// First bit and number of bits that a binding is about.
std::pair<uint64_t, uint64_t> VariableWatch::bits_of(const Instance& instance,
                                                     const Binding& binding) const {
  if (binding.bits) return {binding.first_bit, binding.bits};
  const VariableRef ref = copies_[instance.copy].ref;
  const Function& function = functions_[ref.function];
  return {0, whole(function, function.variables[ref.variable].type).bits};
}

void VariableWatch::bind(Instance& instance, const Passage& passage, const Binding& binding) {
  const Function& function = functions_[passage.function];
  const Happening at{passage.time, passage.function, binding.position,
                     binding_location(function, binding), true};
  const auto [first_bit, bits] = bits_of(instance, binding);
  switch (binding.kind) {
    case Binding::Kind::value:
      unplace(instance, first_bit, bits);
      return take_value(instance, binding, at);
    case Binding::Kind::content:
      return take_value(instance, binding, at);
    case Binding::Kind::memory:
    case Binding::Kind::behind: {
      const auto address = binding_value(binding, operands_);
      if (!address) {
        unplace(instance, first_bit, bits);
        return;
      }
      if (binding.kind == Binding::Kind::memory) return place(instance, first_bit, bits, *address);
      unplace(instance, first_bit, bits);
      Span& cell = add_span(*address, 8, instance.cells.emplace_back());
      cell = {*address + 8, &instance, first_bit, bits, true};
      return;
    }
    case Binding::Kind::lost:
      return lose(instance, binding, at, VariableRow::How::lost);
    case Binding::Kind::unknown:
      return lose(instance, binding, at, VariableRow::How::unknown);
    case Binding::Kind::ended:
      return end(instance);
  }
}

void VariableWatch::take_value(Instance& instance, const Binding& binding, const Happening& at) {
  const auto [first_bit, bits] = bits_of(instance, binding);
  if (!bound_.empty() && binding.steps.empty() && first_bit % 8 == 0) {
    bool news = false;
    for (uint64_t i = 0; i * 8 < bits; ++i) {
      const uint64_t byte = first_bit / 8 + i;
      if (i < bound_.size() && bound_[i])
        news = instance.image.set(byte, *bound_[i]) || news;
      else
        news = instance.image.forget(byte) || news;
    }
    if (news) row(instance, first_bit, bits, VariableRow::How::assigned, at);
    return;
  }
  const auto value = binding_value(binding, operands_);
  if (!value || first_bit % 8 != 0 || bits > 64) {
    if (binding.kind == Binding::Kind::value)
      lose(instance, binding, at, VariableRow::How::unknown);
    return;
  }
  bool news = false;
  for (uint64_t i = 0; i * 8 < bits; ++i)
    news = instance.image.set(first_bit / 8 + i, static_cast<uint8_t>(*value >> 8 * i)) || news;
  if (news) row(instance, first_bit, bits, VariableRow::How::assigned, at);
}

void VariableWatch::lose(Instance& instance, const Binding& binding, const Happening& at,
                         VariableRow::How how) {
  const auto [first_bit, bits] = bits_of(instance, binding);
  unplace(instance, first_bit, bits);
  if (instance.image.forget(first_bit / 8, (first_bit + bits + 7) / 8))
    row(instance, first_bit, bits, how, at);
}

// ---- places -------------------------------------------------------------------------------------

VariableWatch::Span& VariableWatch::add_span(uint64_t address, uint64_t bytes, SpanKey& key) {
  key = {address, next_number_++};
  longest_ = std::max(longest_, bytes);
  return spans_[key];
}

void VariableWatch::place(Instance& instance, uint64_t first_bit, uint64_t bits, uint64_t address) {
  unplace(instance, first_bit, bits);
  const uint64_t bytes = (bits + 7) / 8;
  if (first_bit % 8 != 0 || bytes == 0 || address + bytes < address) return;
  Place& place = instance.places.emplace_back(Place{first_bit, bits, {}});
  add_span(address, bytes, place.key) = {address + bytes, &instance, first_bit, bits, false};
}

// Bits that were in memory are no longer; what is left of a place stays.
void VariableWatch::unplace(Instance& instance, uint64_t first_bit, uint64_t bits) {
  for (size_t i = 0; i < instance.places.size();) {
    const Place old = instance.places[i];
    if (old.first_bit >= first_bit + bits || first_bit >= old.first_bit + old.bits) {
      ++i;
      continue;
    }
    spans_.erase(old.key);
    instance.places.erase(instance.places.begin() + static_cast<std::ptrdiff_t>(i));
    const auto keep = [&](uint64_t from, uint64_t to) {
      if (from >= to) return;
      const uint64_t address = old.key.first + (from - old.first_bit) / 8;
      Place& place = instance.places.emplace_back(Place{from, to - from, {}});
      add_span(address, (to - from + 7) / 8, place.key) = {address + (to - from + 7) / 8, &instance,
                                                           from, to - from, false};
    };
    keep(old.first_bit, std::min(first_bit, old.first_bit + old.bits));
    keep(std::max(old.first_bit, first_bit + bits), old.first_bit + old.bits);
  }
}

void VariableWatch::end(Instance& instance) {
  for (const Place& place : instance.places) spans_.erase(place.key);
  for (const SpanKey& cell : instance.cells) spans_.erase(cell);
  instance.places.clear();
  instance.cells.clear();
  instance.image.clear();
}

// ---- memory -------------------------------------------------------------------------------------

void VariableWatch::see(const Observation& seen) {
  if (!seen.has_address || spans_.empty()) return;
  const Function& function = functions_[seen.function];
  const Statement& statement = function.statements[seen.statement];
  Access access;
  access.address = seen.address;
  if (!statement.attributes.empty()) access.bytes = statement.attributes[0];
  if (seen.has_value) access.value = seen.value;
  if (seen.wide && statement.op != Op::cmpxchg)
    access.wide = wide_image(
        function,
        statement.op == Op::store ? type_of(function, statement.operands[0]) : statement.type,
        *seen.wide);
  const Happening at{seen.time, seen.function, seen.statement, statement.location, false};
  switch (statement.op) {
    case Op::load:
      break;
    case Op::store:
      access.stores = true;
      break;
    case Op::cmpxchg:
    case Op::atomic_rmw:
      // What it found, and what it leaves there; where that is not known the next load shows it.
      this->access(access, at);
      access.stores = true;
      access.value = updated(function, statement, access.value);
      break;
    default: {
      if (statement.operands.size() < 3) return;
      access.stores = true;
      access.value.reset();
      access.bytes = seen.has_length ? seen.length : UINT64_MAX - seen.address;
      if (seen.has_length && memory_work(function, statement) == MemoryWork::fill) {
        access.fills = true;
        access.value = constant_of(function, statement.operands[1]);
      }
      if (seen.has_length && memory_work(function, statement) == MemoryWork::copy)
        access.copied = copied_bytes(function, statement.operands[1]);
    }
  }
  this->access(access, at);
}

void VariableWatch::access(const Access& access, const Happening& at) {
  if (access.bytes == 0 || access.address + access.bytes < access.address) return;
  const uint64_t lowest = access.address - std::min(access.address, longest_);
  // Touching may move spans, so the list is made first; and rows show what all of it leaves.
  touched_.clear();
  changes_.clear();
  for (auto span = spans_.lower_bound({lowest, 0});
       span != spans_.end() && span->first.first < access.address + access.bytes; ++span)
    if (span->second.end > access.address) touched_.push_back(span->first);
  for (const SpanKey& key : touched_)
    if (const auto span = spans_.find(key); span != spans_.end())
      touch(Span(span->second), key.first, access);
  for (const Change& change : changes_)
    row(*change.instance, change.first_bit, change.bits, change.how, at);
}

void VariableWatch::touch(const Span& span, uint64_t start, const Access& access) {
  Instance& instance = *span.instance;
  if (span.cell) {
    if (access.address == start && access.bytes == 8 && access.value)
      place(instance, span.first_bit, span.bits, *access.value);
    else if (access.stores)
      unplace(instance, span.first_bit, span.bits);
    return;
  }
  const uint64_t first = std::max(start, access.address);
  const uint64_t end = std::min(span.end, access.address + access.bytes);
  const uint64_t offset = span.first_bit / 8 + (first - start);
  const bool copied = access.bytes <= access.copied.size();
  const auto byte = [&](uint64_t address) {
    const uint64_t at = address - access.address;
    return at < access.wide.size() ? access.wide[at] : std::nullopt;
  };
  bool known = copied || (access.value && (access.fills || access.bytes <= 8));
  bool news = false;
  if (!access.wide.empty()) {
    for (uint64_t i = first; i < end; ++i) {
      const std::optional<uint8_t> is = byte(i);
      known = known || is;
      if (is)
        news = instance.image.set(offset + (i - first), *is) || news;
      else if (access.stores)
        instance.image.forget(offset + (i - first));
    }
  } else if (copied) {
    for (uint64_t i = first; i < end; ++i)
      news = instance.image.set(offset + (i - first), access.copied[i - access.address]) || news;
  } else if (known) {
    for (uint64_t i = first; i < end; ++i) {
      const unsigned shift = access.fills ? 0 : static_cast<unsigned>(i - access.address) * 8;
      news =
          instance.image.set(offset + (i - first), static_cast<uint8_t>(*access.value >> shift)) ||
          news;
    }
  } else if (access.stores) {
    instance.image.forget(offset, offset + (end - first));
  }
  const auto change = [&](VariableRow::How how) {
    changes_.push_back({&instance, offset * 8, (end - first) * 8, how});
  };
  if (access.stores)
    change(known ? VariableRow::How::assigned : VariableRow::How::unknown);
  else if (news)
    change(VariableRow::How::seen);
}

// ---- rows ---------------------------------------------------------------------------------------

void VariableWatch::row(Instance& instance, uint64_t first_bit, uint64_t bits, VariableRow::How how,
                        const Happening& at) {
  const Copy& copy = copies_[instance.copy];
  if (!copy.asked.covers(first_bit, first_bit + bits)) return;
  if (!rows_.wanted()) return rows_.add({});
  const Function& declared = functions_[copy.ref.function];
  VariableRow row;
  row.time = at.time;
  row.variable = copy.variable;
  row.copy = copy.ref;
  row.depth = instance.depth;
  row.entered = instance.entered;
  row.function = at.function;
  row.statement = at.statement;
  row.before = at.before;
  row.how = how;
  row.location = at.location;
  const Function& function = functions_[at.function];
  if (row.location != kNone && function.locations[row.location].line == 0) row.location = kNone;
  if (row.location == kNone && at.function == copy.ref.function)
    row.location = declared.variables[copy.ref.variable].location;
  if (row.location != kNone) row.line = function.locations[row.location].line;
  const uint64_t first = std::max(first_bit, copy.asked.first_bit);
  const uint64_t end = std::min(first_bit + bits, copy.asked.first_bit + copy.asked.bits);
  const VariablePart part = smallest_part(declared, copy.asked, first, end - first,
                                          is_floating(function, at.statement), row.part);
  row.value = read_value(declared, part, instance.image);
  rows_.add(std::move(row));
}

// The line of an assignment that the optimizer took apart: that of the statement that computes the
// value, when it was written where the variable was; otherwise of a neighbour.
uint32_t VariableWatch::binding_location(const Function& function, const Binding& binding) const {
  const uint32_t declared = function.variables[binding.variable].location;
  if (declared == kNone) return kNone;
  const Location& home = function.locations[declared];
  const auto fits = [&](uint32_t statement) {
    const uint32_t location = function.statements[statement].location;
    if (location == kNone || function.statements[statement].op == Op::phi) return false;
    const Location& there = function.locations[location];
    return there.line != 0 && there.scope == home.scope && there.inlined_at == home.inlined_at;
  };
  if (!binding.operands.empty()) {
    const BindingOperand& operand = binding.operands[0];
    if (operand.kind == BindingOperand::Kind::argument) return declared;
    if (operand.kind == BindingOperand::Kind::statement && fits(operand.index))
      return function.statements[operand.index].location;
  }
  const Block& block = function.blocks[function.statements[binding.position].block];
  for (uint32_t s = binding.position; s-- > block.first_statement;)
    if (fits(s)) {
      const uint32_t location = function.statements[s].location;
      return function.locations[location].line < home.line ? declared : location;
    }
  for (uint32_t s = binding.position; s < block.first_statement + block.statement_count; ++s)
    if (fits(s)) {
      // The first thing in the block: an initialization stands at its declaration.
      const uint32_t location = function.statements[s].location;
      return binding.operands.empty() || binding.operands[0].kind == BindingOperand::Kind::number
                 ? declared
                 : location;
    }
  return declared;
}

}  // namespace vestige
