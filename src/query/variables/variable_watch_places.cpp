// Where variables lie in memory, and what their bytes are now.
#include <algorithm>

#include "query/variables/variable_watch.h"

namespace vestige {

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
}  // namespace vestige
