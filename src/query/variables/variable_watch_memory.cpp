// What recorded statements do to memory, and to the variables that lie there.
#include <algorithm>

#include "program/derive.h"
#include "program/shape.h"
#include "query/variables/variable_watch.h"
#include "query/variables/watched_statements.h"

namespace vestige {

namespace {

// Of a va_list.
constexpr uint64_t kListBytes = 24;

}  // namespace

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

}  // namespace vestige
