#include "query/variables/memory_image.h"

#include <algorithm>

namespace vestige {

const MemoryImage::Page* MemoryImage::find_slowly(uint64_t address) const {
  const uint64_t number = address / kPageBytes;
  const auto at = pages_.find(number);
  if (at == pages_.end()) return nullptr;
  slots_[number % kSlots] = {number, at->second.get()};
  return at->second.get();
}

MemoryImage::Page& MemoryImage::make_page(uint64_t address) {
  const uint64_t number = address / kPageBytes;
  auto& at = pages_[number];
  if (!at) at = std::make_unique<Page>();
  slots_[number % kSlots] = {number, at.get()};
  return *at;
}

MemoryImage::Byte MemoryImage::get(uint64_t address) const {
  const Page* page = find(address);
  const uint64_t at = address % kPageBytes;
  if (!page || page->states[at] == kUntouchedByte) {
    const Token token = kUntouched | (epochs_.size() - 1) << kAddressBits |
                        (address & ((Token{1} << kAddressBits) - 1));
    if (const auto value = value_of(token)) return {true, *value, token};
    return {false, 0, token};
  }
  if (page->states[at] == kKnown) return {true, page->values[at], 0};
  const Token token = (*page->tokens)[at];
  if (const auto value = value_of(token)) return {true, *value, token};
  return {false, 0, token};
}

void MemoryImage::set_slowly(uint64_t address, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) set(address + i, value >> 8 * i & 255);
}

void MemoryImage::note_values(uint64_t address, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) {
    const Byte before = get(address + i);
    const bool many =
        before.token & kUntouched && (before.token >> kAddressBits & kLastEpoch) == kLastEpoch;
    if (!before.known && !many && noted_.contains(before.token))
      values_.emplace(before.token, static_cast<uint8_t>(value >> 8 * i));
  }
}

void MemoryImage::put(uint64_t address, const Byte& byte) {
  if (byte.known) return set(address, byte.value);
  Page& to = page(address);
  const uint64_t at = address % kPageBytes;
  if (!to.tokens) to.tokens = std::make_unique<std::array<Token, kPageBytes>>();
  (*to.tokens)[at] = byte.token;
  to.states[at] = kLost;
}

void MemoryImage::lose(uint64_t address, uint64_t bytes, Origin origin) {
  if (bytes > kMostBytes) return lose_all(origin);
  if (given_.empty() || given_.back().origin != origin) given_.push_back({next_, origin});
  for (uint64_t i = 0; i < bytes; ++i) put(address + i, {false, 0, next_++});
}

void MemoryImage::lose_all(Origin origin) {
  pages_.clear();
  slots_.fill({});
  if (epochs_.size() <= kLastEpoch) epochs_.push_back(origin);
}

void MemoryImage::copy(uint64_t to, uint64_t from, uint64_t bytes) {
  if (bytes > kMostBytes) return lose_all(kFirst);
  moved_.resize(bytes);
  for (uint64_t i = 0; i < bytes; ++i) {
    moved_[i] = get(from + i);
    if (!moved_[i].known) note(moved_[i].token);
  }
  for (uint64_t i = 0; i < bytes; ++i) put(to + i, moved_[i]);
}

MemoryImage::Origin MemoryImage::origin_of(Token token) const {
  if (token & kUntouched) return epochs_[token >> kAddressBits & kLastEpoch];
  const auto behind = std::ranges::upper_bound(given_, token, {}, &Given::first);
  return behind == given_.begin() ? kFirst : std::prev(behind)->origin;
}

std::optional<uint8_t> MemoryImage::value_of(Token token) const {
  if (values_.empty()) return std::nullopt;
  const auto at = values_.find(token);
  if (at == values_.end()) return std::nullopt;
  return at->second;
}

}  // namespace vestige
