#include "query/variables/variable_watch.h"

#include <algorithm>

#include "program/argument_list.h"
#include "program/derive.h"
#include "program/library.h"
#include "program/record.h"
#include "program/shape.h"
#include "query/variables/library_memory.h"
#include "query/variables/printed_text.h"

namespace vestige {

namespace {

MemoryWork memory_work(const Function& function, const Statement& statement) {
  return statement.op == Op::call && statement.callee != kNone
             ? memory_work_of(function.symbols[statement.callee])
             : MemoryWork::none;
}

bool works_on_list(const Function& function, const Statement& statement) {
  return statement.op == Op::call && statement.callee != kNone &&
         is_list_work(function.symbols[statement.callee]);
}

bool is_access(const Function& function, const Statement& statement) {
  switch (statement.op) {
    case Op::load:
    case Op::store:
    case Op::cmpxchg:
    case Op::atomic_rmw:
      return true;
    default:
      return memory_work(function, statement) != MemoryWork::none ||
             works_on_list(function, statement);
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
         (simple->kind == SimpleType::Kind::float32 || simple->kind == SimpleType::Kind::float64);
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

// Bytes of a global that are known when the program starts.
constexpr uint64_t kMostTaken = 1 << 20;
// Numbers below it are no addresses.
constexpr uint64_t kLowestAddress = 4096;
// Of a va_list.
constexpr uint64_t kListBytes = 24;

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

// ---- places -------------------------------------------------------------------------------------

VariableWatch::Span& VariableWatch::add_span(uint64_t address, uint64_t bytes, SpanKey& key) {
  key = {address, next_number_++};
  longest_ = std::max(longest_, bytes);
  lowest_ = std::min(lowest_, address);
  highest_ = std::max(highest_, address + bytes);
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

// A local's memory holds nothing of it before it is assigned: whatever is there is of others.
void VariableWatch::begin_life(const Instance& instance, const Passage& passage,
                               const Binding& binding) {
  const auto address = binding_value(binding, operands_);
  if (!instance.local || binding.bits != 0 || !instance.places.empty()) return;
  const auto [first_bit, bits] = bits_of(instance, binding);
  // Where it is declared, or its lifetime begins; other bindings stand behind assignments.
  if (binding.operands[0].kind != BindingOperand::Kind::statement || binding.position == 0) return;
  const uint32_t before = binding.position - 1;
  const Function& function = functions_[passage.function];
  const Statement& statement = function.statements[before];
  const bool lifetime = statement.op == Op::call && statement.callee != kNone &&
                        function.symbols[statement.callee].starts_with("llvm.lifetime.start");
  if (lifetime || (before == binding.operands[0].index && statement.op == Op::alloca_)) {
    written(*address, (bits + 7) / 8);
    memory_.lose(*address, (bits + 7) / 8, origins_.number(UnknownOrigins::Kind::unassigned));
  }
}

void VariableWatch::see(const Observation& seen) {
  if (!needs_memory_) return;
  const Function& function = functions_[seen.function];
  const Statement& statement = function.statements[seen.statement];
  if (!is_access(function, statement)) return;
  const Happening at{seen.time, seen.function, seen.statement, statement.location, false};
  if (works_on_list(function, statement)) return list(seen, at);
  if (!seen.has_address) {
    if (statement.op != Op::load) lose_all(origins_.number(UnknownOrigins::Kind::elsewhere));
    return;
  }
  switch (statement.op) {
    case Op::load:
      return load(seen, at);
    case Op::store:
      return store(seen, at);
    case Op::cmpxchg:
    case Op::atomic_rmw: {
      // What it found, and what it leaves there; where that is not known the next load shows it.
      load(seen, at);
      Observation left = seen;
      const auto value =
          updated(function, statement, seen.has_value ? std::optional(seen.value) : std::nullopt);
      left.has_value = value.has_value();
      left.value = value.value_or(0);
      left.wide = {};
      return store(left, at);
    }
    default:
      return work(seen, at);
  }
}

void VariableWatch::reveal(uint64_t address, uint64_t value, unsigned bytes) {
  memory_.reveal(address, value, bytes);
  if (awaited_.empty()) return;
  for (unsigned i = 0; i < bytes; ++i)
    awaited_.read(address + i, static_cast<uint8_t>(value >> 8 * i));
}

// Variables keep what they are thought to hold until a load shows something else.
void VariableWatch::lose_all(MemoryImage::Origin origin) {
  memory_.lose_all(origin);
  awaited_.clear();
}

void VariableWatch::load(const Observation& seen, const Happening& at) {
  const Function& function = functions_[seen.function];
  const Statement& statement = function.statements[seen.statement];
  if (statement.attributes.empty()) return;
  const uint64_t bytes = statement.attributes[0];
  if (seen.address + bytes < seen.address) return;
  if (seen.wide && statement.op != Op::cmpxchg) {
    const WideImage wide = wide_image(function, statement.type, *seen.wide);
    for (uint64_t i = 0; i < std::min<uint64_t>(bytes, wide.size()); ++i)
      if (wide[i]) reveal(seen.address + i, *wide[i], 1);
  } else if (seen.has_value && bytes <= 8) {
    reveal(seen.address, seen.value, static_cast<unsigned>(bytes));
    if (bytes == 8 && !lists_.empty() && is_in_list(seen.address)) from_list_.insert(seen.value);
  } else {
    return;
  }
  Access access{.address = seen.address, .bytes = bytes};
  if (bytes == 8 && seen.has_value) access.value = seen.value;
  this->access(access, at);
}

void VariableWatch::store(const Observation& seen, const Happening& at) {
  const Function& function = functions_[seen.function];
  const Statement& statement = function.statements[seen.statement];
  if (statement.attributes.empty()) return;
  const uint64_t bytes = statement.attributes[0];
  WideImage wide;
  if (seen.wide && statement.op == Op::store)
    wide = wide_image(function, type_of(function, statement.operands[0]), *seen.wide);
  std::optional<uint64_t> value;
  if (seen.has_value) value = seen.value;
  if (seen.address + bytes >= seen.address) {
    written(seen.address, bytes);
    if (wide.empty() && value && bytes <= 8)
      memory_.set(seen.address, *value, static_cast<unsigned>(bytes));
    else
      put_wide(seen, bytes, wide);
  }
  Access access{.address = seen.address, .bytes = bytes, .stores = true};
  if (bytes == 8) access.value = value;
  this->access(access, at);
}

void VariableWatch::put_wide(const Observation& seen, uint64_t bytes, const WideImage& wide) {
  const auto otherwise =
      origins_.number(UnknownOrigins::Kind::stored, seen.function, seen.statement);
  for (uint64_t i = 0; i < bytes; ++i)
    if (i < wide.size() && wide[i])
      memory_.set(seen.address + i, *wide[i]);
    else
      memory_.lose(seen.address + i, 1, otherwise);
}

// Where the list lies, its fields change unseen; what it lists was put there by the caller, unseen,
// too.
void VariableWatch::list(const Observation& seen, const Happening& at) {
  const Function& function = functions_[seen.function];
  const Statement& statement = function.statements[seen.statement];
  if (!seen.has_address) return;
  if (function.symbols[statement.callee].starts_with("llvm.va_end")) {
    lists_.erase(seen.address);
    if (lists_.empty()) from_list_.clear();
  } else {
    lists_.insert(seen.address);
    lose({seen.address, kListBytes},
         origins_.number(UnknownOrigins::Kind::written, seen.function, seen.statement), at);
  }
}

bool VariableWatch::is_in_list(uint64_t address) const {
  const auto behind = lists_.upper_bound(address);
  return behind != lists_.begin() && address - *std::prev(behind) < kListBytes;
}

// Behind the registers that va_start keeps, or at an argument that lies on the stack.
bool VariableWatch::is_listed(uint64_t address) const {
  constexpr uint64_t kRegisters = 176;
  const auto behind = from_list_.upper_bound(address);
  return behind != from_list_.begin() && address - *std::prev(behind) < kRegisters;
}

// memcpy, memmove and memset.
void VariableWatch::work(const Observation& seen, const Happening& at) {
  const Function& function = functions_[seen.function];
  const Statement& statement = function.statements[seen.statement];
  if (!seen.has_length || seen.address + seen.length < seen.address) {
    lose_all(origins_.number(UnknownOrigins::Kind::stored, seen.function, seen.statement));
  } else {
    const bool copies = memory_work(function, statement) == MemoryWork::copy;
    if (copies && seen.has_source && is_listed(seen.source))
      memory_.lose(seen.source, seen.length, MemoryImage::kFirst);
    written(seen.address, seen.length);
    if (copies && seen.has_source && seen.source + seen.length >= seen.source)
      memory_.copy(seen.address, seen.source, seen.length);
    else if (!copies && seen.has_fill)
      for (uint64_t i = 0; i < std::min(seen.length, MemoryImage::kMostBytes); ++i)
        memory_.set(seen.address + i, seen.fill);
    else
      memory_.lose(seen.address, seen.length,
                   origins_.number(UnknownOrigins::Kind::stored, seen.function, seen.statement));
  }
  const uint64_t length = seen.has_length ? seen.length : UINT64_MAX - seen.address;
  access({.address = seen.address, .bytes = length, .stores = true}, at);
}

void VariableWatch::access(const Access& access, const Happening& at) {
  const uint64_t end = access.address + access.bytes;
  if (access.bytes == 0 || end <= lowest_ || access.address >= highest_ || end < access.address)
    return;
  const uint64_t lowest = access.address - std::min(access.address, longest_);
  // Touching may move spans, so the list is made first; and rows show what all of it leaves.
  touched_.clear();
  changes_.clear();
  for (auto span = spans_.lower_bound({lowest, 0}); span != spans_.end() && span->first.first < end;
       ++span)
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
  bool known = false, news = false, was_known = false;
  for (uint64_t i = first; i < end; ++i) {
    const MemoryImage::Byte byte = memory_.get(i);
    known = known || byte.known;
    if (byte.known)
      news = instance.image.set(offset + (i - first), byte.value) || news;
    else if (access.stores)
      was_known = instance.image.forget(offset + (i - first)) || was_known;
  }
  const auto change = [&](VariableRow::How how) {
    changes_.push_back({&instance, offset * 8, (end - first) * 8, how});
  };
  if (access.loses) {
    if (was_known) change(VariableRow::How::unknown);
  } else if (access.stores) {
    change(known ? VariableRow::How::assigned : VariableRow::How::unknown);
  } else if (news) {
    change(VariableRow::How::seen);
  }
}

// ---- unrecorded code ----------------------------------------------------------------------------

// The object that an address belongs to, from there to its end: a variable, a block of the heap, or
// as much as may be one.
VariableWatch::Extent VariableWatch::object_at(uint64_t address) const {
  constexpr uint64_t kUnknownObject = 4096;
  uint64_t end = 0, next = UINT64_MAX;
  const uint64_t lowest = address - std::min(address, longest_);
  uint64_t start = address;
  for (auto span = spans_.lower_bound({lowest, 0}); span != spans_.end(); ++span) {
    if (span->second.cell) continue;
    if (span->first.first > address) {
      next = span->first.first;
      break;
    }
    if (span->second.end > address) {
      const Span& found = span->second;
      const VariableRef ref = copies_[found.instance->copy].ref;
      const Function& function = functions_[ref.function];
      const VariablePart part =
          largest_part_at(function, whole(function, function.variables[ref.variable].type),
                          found.first_bit + (address - span->first.first) * 8);
      const uint64_t skipped = part.first_bit - std::min(part.first_bit, found.first_bit);
      const uint64_t begin = span->first.first + skipped / 8;
      start = std::min(start, begin);
      end = std::max(end, std::min(found.end, begin + (part.bits + 7) / 8));
    }
  }
  if (end != 0) return {start, end - start};
  if (auto block = blocks_.upper_bound(address); block != blocks_.begin())
    if (--block; address - block->first < block->second) return {block->first, block->second};
  // Nobody writes to a literal.
  const auto literal = literals_.upper_bound(address);
  if (literal != literals_.begin() &&
      address - std::prev(literal)->first < std::prev(literal)->second)
    return {address, 0};
  if (literal != literals_.end()) next = std::min(next, literal->first);
  return {address, std::min(kUnknownObject, std::min(next, UINT64_MAX - kUnknownObject) - address)};
}

void VariableWatch::lose(const Extent& extent, MemoryImage::Origin origin, const Happening& at) {
  if (extent.bytes == 0 || extent.address + extent.bytes < extent.address) return;
  written(extent.address, extent.bytes);
  memory_.lose(extent.address, extent.bytes, origin);
  access({.address = extent.address, .bytes = extent.bytes, .stores = true, .loses = true}, at);
}

// Bytes of a parameter that is passed by value in memory; 0: it is not one, as far as can be told.
uint64_t VariableWatch::bytes_by_value(uint32_t function, uint32_t argument) const {
  const Function& callee = functions_[function];
  uint64_t bytes = 0;
  for (const Binding& binding : callee.bindings) {
    const bool is_it = binding.kind == Binding::Kind::memory && binding.steps.empty() &&
                       binding.operands.size() == 1 &&
                       binding.operands[0].kind == BindingOperand::Kind::argument &&
                       binding.operands[0].index == argument;
    if (is_it)
      bytes =
          std::max(bytes, (whole(callee, callee.variables[binding.variable].type).bits + 7) / 8);
  }
  return bytes;
}

void VariableWatch::copied_argument(uint32_t function, uint32_t argument, uint64_t to,
                                    std::optional<uint64_t> from) {
  uint64_t bytes = bytes_by_value(function, argument);
  const bool is_known = bytes != 0 && from;
  if (bytes == 0) {
    bytes = object_at(to).bytes;
    if (from && *from > to) bytes = std::min(bytes, *from - to);
  }
  if (to + bytes < to) return;
  written(to, bytes);
  if (is_known && *from + bytes >= *from)
    memory_.copy(to, *from, bytes);
  else
    memory_.lose(to, bytes, MemoryImage::kFirst);
}

void VariableWatch::entered_from_outside(uint32_t function,
                                         std::span<const std::optional<uint64_t>> pointers) {
  // It may be called for each element of something large, of which it is shown one.
  constexpr uint64_t kShown = 256;
  for (uint32_t k = 0; k < pointers.size(); ++k) {
    const auto& pointer = pointers[k];
    if (!pointer || *pointer < kLowestAddress) continue;
    const Extent object = object_at(*pointer);
    const uint64_t shown = std::min(object.address + object.bytes - *pointer, kShown);
    const uint64_t bytes = std::max(shown, bytes_by_value(function, k));
    if (*pointer + bytes < *pointer) continue;
    written(*pointer, bytes);
    memory_.lose(*pointer, bytes, MemoryImage::kFirst);
  }
}

void VariableWatch::outside_call(const OutsideCall& call) {
  const Function& function = functions_[call.function];
  const Statement& statement = function.statements[call.statement];
  arguments_.assign(call.arguments.begin(), call.arguments.end());
  const Happening at{call.call_time, call.function, call.statement, statement.location, false};
  std::string_view callee;
  if (statement.callee != kNone) callee = function.symbols[statement.callee];
  if (callee.starts_with('\1')) callee.remove_prefix(1);
  note_block(call, callee, at);
  if (has_library_effects(statement) || leaves_memory_alone(callee)) return;
  const auto origin = origins_.number(UnknownOrigins::Kind::maybe, call.function, call.statement);
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const uint32_t type = type_of(function, statement.operands[i]);
    const auto simple = type == kNone ? std::nullopt : simple_type(function.types[type]);
    if (!simple || simple->kind != SimpleType::Kind::pointer || !call.arguments[i] ||
        *call.arguments[i] < kLowestAddress || leaves_argument_alone(callee, i))
      continue;
    lose(object_at(*call.arguments[i]), origin, at);
  }
}

// What was allocated holds nothing of what was there before.
void VariableWatch::note_block(const OutsideCall& call, std::string_view callee,
                               const Happening& at) {
  const auto freed = freed_argument(callee);
  if (freed && *freed < call.arguments.size() && call.arguments[*freed])
    blocks_.erase(*call.arguments[*freed]);
  const auto size = allocated_bytes(callee, call.arguments);
  if (!size || !call.result || *call.result == 0) return;
  blocks_[*call.result] = *size;
  // What realloc keeps is copied by its transfer, unless it stays where it is.
  if (freed && *freed < call.arguments.size() && call.arguments[*freed] == call.result) return;
  if (*size <= MemoryImage::kMostBytes)
    lose({*call.result, *size},
         origins_.number(UnknownOrigins::Kind::allocated, call.function, call.statement), at);
}

void VariableWatch::transfer(const Transfer& transfer) {
  if (!needs_memory_ || transfer.kind == LibraryRange::Kind::read) return;
  const Function& function = functions_[transfer.function];
  const Statement& statement = function.statements[transfer.statement];
  const auto origin =
      origins_.number(UnknownOrigins::Kind::written, transfer.function, transfer.statement);
  if (!transfer.has_to) {
    lose_all(origin);
    return;
  }
  const uint64_t length = transfer.has_length ? transfer.length : object_at(transfer.to).bytes;
  if (transfer.to + length < transfer.to) return;
  written(transfer.to, length);
  std::string_view callee;
  if (statement.callee != kNone) callee = function.symbols[statement.callee];
  const auto filled = filled_with(callee, transfer.kind, length, arguments_);
  if (!transfer.has_length)
    memory_.lose(transfer.to, length, origin);
  else if (transfer.kind == LibraryRange::Kind::copy && transfer.has_from &&
           transfer.from + length >= transfer.from)
    memory_.copy(transfer.to, transfer.from, length);
  else if (filled && length <= MemoryImage::kMostBytes)
    for (uint64_t i = 0; i < length; ++i) memory_.set(transfer.to + i, *filled);
  else
    memory_.lose(transfer.to, length, origin);
  if (transfer.kind == LibraryRange::Kind::computed && transfer.has_length)
    put_printed(callee, transfer.to, length);
  if (ends_with_zero(callee, transfer.kind) && transfer.has_length && length != 0)
    memory_.set(transfer.to + length - 1, 0);
  access({.address = transfer.to, .bytes = length, .stores = true},
         {transfer.call_time, transfer.function, transfer.statement, statement.location, false});
}

// The text up to its zero.
std::optional<std::string> VariableWatch::text_at(uint64_t address) const {
  constexpr size_t kMostText = 1 << 16;
  std::string text;
  for (; text.size() < kMostText; ++address) {
    const MemoryImage::Byte byte = memory_.get(address);
    if (!byte.known) return std::nullopt;
    if (byte.value == 0) return text;
    text += static_cast<char>(byte.value);
  }
  return std::nullopt;
}

// What sprintf wrote, as far as it can be said. The length is measured: another text is none.
void VariableWatch::put_printed(std::string_view callee, uint64_t to, uint64_t length) {
  const auto format = format_of_text(callee);
  if (!format || *format >= arguments_.size() || !arguments_[*format] || length == 0) return;
  const auto literal = text_at(*arguments_[*format]);
  if (!literal) return;
  const auto read = [this](uint64_t address) { return text_at(address); };
  const auto text = printed_text(*literal, std::span(arguments_).subspan(*format + 1), read);
  if (!text || text->size() < length - 1) return;
  const bool is_cut = text->size() >= length;
  // Only snprintf cuts, at the size that it was given.
  if (is_cut && (arguments_.size() < 2 || arguments_[1] != length)) return;
  for (uint64_t i = 0; i + 1 < length; ++i) memory_.set(to + i, static_cast<uint8_t>((*text)[i]));
}

// ---- bytes of variables -------------------------------------------------------------------------

std::optional<uint64_t> VariableWatch::address_of(const Instance& instance, uint64_t at) {
  for (const Place& place : instance.places)
    if (at * 8 >= place.first_bit && at * 8 < place.first_bit + place.bits)
      return place.key.first + (at - place.first_bit / 8);
  return std::nullopt;
}

std::string VariableWatch::why(const Instance& instance, uint64_t at) const {
  const auto address = address_of(instance, at);
  if (!address) {
    if (!instance.local) return "its address is not known";
    return instance.lost.empty() ? "it has no value here" : instance.lost;
  }
  const MemoryImage::Byte byte = memory_.get(*address);
  return byte.known ? std::string("not known") : origins_.text(memory_.origin_of(byte.token));
}

const VariableWatch::Instance* VariableWatch::instance_of(uint32_t copy) const {
  if (const auto global = globals_.find(home(copy)); global != globals_.end())
    return &global->second;
  if (entered_.empty()) return nullptr;
  const auto local = locals_.find({entered_.rbegin()->first, copy});
  return local == locals_.end() ? nullptr : &local->second;
}

VariableWatch::ByteNow VariableWatch::byte(uint32_t copy, uint64_t at) const {
  const Instance* instance = instance_of(copy);
  ByteNow now;
  if (!instance) {
    now.because = "it has no value here";
    return now;
  }
  now.address = address_of(*instance, at);
  if (now.address) {
    const MemoryImage::Byte byte = memory_.get(*now.address);
    now.known = byte.known;
    now.value = byte.value;
    now.token = byte.token;
  } else {
    now.known = instance->image.get(at, now.value);
    if (!now.known) now.because = why(*instance, at);
  }
  return now;
}

bool VariableWatch::is_there(uint32_t copy) const {
  const Instance* instance = instance_of(copy);
  return instance && (instance->local || !instance->places.empty());
}

VariableWatch::Innermost VariableWatch::innermost() const {
  if (entered_.empty()) return {};
  return {entered_.rbegin()->first, entered_.rbegin()->second};
}

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
