#include "query/variables/variable_watch.h"

#include <algorithm>

#include "program/record.h"
#include "query/variables/watched_statements.h"

namespace vestige {

namespace {

// Bytes of a global that are known when the program starts.
constexpr uint64_t kMostTaken = 1 << 20;

}  // namespace

VariableWatch::VariableWatch(const std::vector<Function>& functions, std::vector<Copy> copies,
                             std::vector<std::vector<uint64_t>> symbols, VariableRows& rows)
    : functions_(functions),
      copies_(std::move(copies)),
      symbols_(std::move(symbols)),
      rows_(rows),
      origins_(functions) {
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> placed;  // by variable and address: the copy
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
    if (address == 0) continue;
    const auto [first, fresh] = placed.try_emplace({copies_[c].variable, address}, c);
    homes_[c] = first->second;
    if (fresh) place(instance, 0, whole(function, variable.type).bits, address);
  }
}

std::vector<std::vector<bool>> VariableWatch::bindings() const {
  std::vector<std::vector<bool>> bits(functions_.size());
  for (const uint32_t function : watched_functions_)
    bits[function].resize(functions_[function].bindings.size() + 1);
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

// What lies at globals when the program starts.
void VariableWatch::begin_with(const std::vector<std::vector<uint64_t>>& symbols) {
  for (size_t f = 0; f < symbols.size() && f < functions_.size(); ++f) {
    const Function& function = functions_[f];
    const auto address_of_symbol = [&](uint32_t symbol) {
      return symbol < symbols[f].size() ? symbols[f][symbol] : 0;
    };
    for (const ConstantData& data : function.data) {
      const uint64_t address = address_of_symbol(data.symbol);
      if (address == 0) continue;
      uint64_t bytes = data.bytes.size();
      bool named = false;
      for (const Variable& variable : function.variables)
        if (variable.symbol == data.symbol) {
          named = true;
          if (function.record_version >= kAddressesInDataSince)
            bytes = std::max(bytes, function.source_types[variable.type].bytes);
        }
      bytes = std::min(bytes, MemoryImage::kMostBytes);
      if (address + bytes < address) continue;
      if (!named) literals_[address] = std::max(literals_[address], bytes);
      for (uint64_t i = 0; i < bytes; ++i)
        memory_.set(address + i, i < data.bytes.size() ? data.bytes[i] : 0);
      for (const ConstantData::Address& one : data.addresses) {
        if (one.offset > bytes || bytes - one.offset < 8) continue;
        const uint64_t base = one.symbol == kNone ? 0 : address_of_symbol(one.symbol);
        if (base == 0) memory_.lose(address + one.offset, 8, MemoryImage::kFirst);
        for (uint64_t i = 0; i < 8 && base != 0; ++i)
          memory_.set(address + one.offset + i,
                      static_cast<uint8_t>((base + static_cast<uint64_t>(one.plus)) >> 8 * i));
      }
    }
  }
  for (auto& [copy, instance] : globals_)
    for (const Place& place : instance.places)
      for (uint64_t i = 0; i < std::min((place.bits + 7) / 8, kMostTaken); ++i)
        if (const MemoryImage::Byte byte = memory_.get(place.key.first + i); byte.known)
          instance.image.set(place.first_bit / 8 + i, byte.value);
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
      if (binding.kind == Binding::Kind::memory) {
        begin_life(instance, passage, binding);
        return place(instance, first_bit, bits, *address);
      }
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
  instance.lost = how == VariableRow::How::lost ? "optimized out"
                                                : "the debug information cannot be followed here";
  if (instance.image.forget(first_bit / 8, (first_bit + bits + 7) / 8))
    row(instance, first_bit, bits, how, at);
}

// ---- rows ---------------------------------------------------------------------------------------

class VariableWatch::BytesNow final : public VariableBytes {
 public:
  BytesNow(const VariableWatch& watch, const Instance& instance)
      : watch_(watch), instance_(instance) {}
  bool get(uint64_t at, uint8_t& value) const override { return instance_.image.get(at, value); }
  std::string why(uint64_t at) const override { return watch_.why(instance_, at); }

 private:
  const VariableWatch& watch_;
  const Instance& instance_;
};

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
  row.value = read_value(declared, part, BytesNow(*this, instance));
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
