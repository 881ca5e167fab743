// What unrecorded code may have done to memory: calls of it, and calls that it makes.
#include <algorithm>

#include "program/derive.h"
#include "program/library.h"
#include "program/shape.h"
#include "query/variables/library_memory.h"
#include "query/variables/printed_text.h"
#include "query/variables/variable_watch.h"

namespace vestige {

namespace {

// Numbers below it are no addresses.
constexpr uint64_t kLowestAddress = 4096;

}  // namespace

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

}  // namespace vestige
