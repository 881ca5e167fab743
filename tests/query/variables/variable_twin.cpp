#include "variable_twin.h"

#include <tuple>
#include <utility>

namespace vestige {

void VariableTwin::enter(uint32_t, uint64_t depth, uint64_t time) {
  cut(depth);
  entered_[depth] = time;
}

void VariableTwin::cut(uint64_t depth) {
  std::erase_if(entered_, [&](const auto& entry) { return entry.first >= depth; });
  std::erase_if(instances_, [&](const auto& entry) { return entry.first.first >= depth; });
}

void VariableTwin::put(Instance& instance, size_t first, size_t bytes,
                       std::optional<uint64_t> address) {
  ++places_;
  for (size_t i = first; i < first + bytes; ++i) {
    instance.bytes[i].address = address ? std::optional(*address + (i - first)) : std::nullopt;
    instance.bytes[i].place = places_;
  }
}

void VariableTwin::row(const std::pair<uint64_t, uint32_t>& key, const Instance& instance,
                       uint64_t time, const char* how, size_t first, size_t bytes) {
  std::string line = function_.variables[key.second].name + " depth " + std::to_string(key.first) +
                     " since " + std::to_string(instance.entered) + " at " + std::to_string(time) +
                     " " + how + " " + std::to_string(first * 8) + "+" + std::to_string(bytes * 8) +
                     ":";
  for (const Byte& byte : instance.bytes)
    line += byte.value ? " " + std::to_string(*byte.value) : " ?";
  rows_.push_back(std::move(line));
}

void VariableTwin::pass(const Passage& passage) {
  const Binding& binding = function_.bindings[passage.binding];
  const std::pair key{passage.depth, binding.variable};
  Instance& instance = instances_[key];
  const uint64_t size = function_.source_types[function_.variables[binding.variable].type].bytes;
  if (instance.bytes.empty()) {
    instance.bytes.resize(size);
    instance.entered = entered_.contains(passage.depth) ? entered_[passage.depth] : 0;
  }
  const size_t first = binding.bits ? binding.first_bit / 8 : 0;
  const size_t bytes = binding.bits ? binding.bits / 8 : size;
  bool was_known = false, news = false;
  switch (binding.kind) {
    case Binding::Kind::memory:
      return put(instance, first, bytes,
                 passage.has_value ? std::optional(passage.value) : std::nullopt);
    case Binding::Kind::ended:
      put(instance, 0, size, std::nullopt);
      for (Byte& byte : instance.bytes) byte.value.reset();
      return;
    case Binding::Kind::value:
      put(instance, first, bytes, std::nullopt);
      [[fallthrough]];
    case Binding::Kind::content:
      if (passage.has_value && bytes <= 8) {
        for (size_t i = 0; i < bytes; ++i) {
          const auto value = static_cast<uint8_t>(passage.value >> 8 * i);
          news = news || instance.bytes[first + i].value != value;
          instance.bytes[first + i].value = value;
        }
        if (news) row(key, instance, passage.time, "assigned", first, bytes);
        return;
      }
      if (binding.kind == Binding::Kind::content) return;
      break;
    default:
      put(instance, first, bytes, std::nullopt);
  }
  for (size_t i = first; i < first + bytes; ++i) {
    was_known = was_known || instance.bytes[i].value;
    instance.bytes[i].value.reset();
  }
  if (was_known)
    row(key, instance, passage.time, binding.kind == Binding::Kind::lost ? "lost" : "unknown",
        first, bytes);
}

void VariableTwin::see(const Observation& seen) {
  if (!seen.has_address) return;
  const Statement& statement = function_.statements[seen.statement];
  const uint64_t size = statement.attributes[0];
  const bool stores = statement.op == Op::store;
  for (auto& [key, instance] : instances_) {
    std::vector<std::tuple<const char*, size_t, size_t>> changes;
    // Stretches of one place that the access meets.
    for (size_t first = 0; first < instance.bytes.size();) {
      const auto met = [&](const Byte& byte) {
        return byte.address && *byte.address - seen.address < size;
      };
      size_t end = first;
      while (end < instance.bytes.size() && met(instance.bytes[end]) &&
             instance.bytes[end].place == instance.bytes[first].place &&
             *instance.bytes[end].address == *instance.bytes[first].address + (end - first))
        ++end;
      if (end == first) {
        ++first;
        continue;
      }
      bool news = false;
      for (size_t i = first; i < end; ++i) {
        Byte& byte = instance.bytes[i];
        const uint64_t at = *byte.address - seen.address;
        const auto value = static_cast<uint8_t>(at < 8 ? seen.value >> 8 * at : 0);
        if (seen.has_value) {
          news = news || byte.value != value;
          byte.value = value;
        } else if (stores) {
          byte.value.reset();
        }
      }
      if (stores || news)
        changes.emplace_back(!stores          ? "seen"
                             : seen.has_value ? "assigned"
                                              : "unknown",
                             first, end - first);
      first = end;
    }
    for (const auto& [how, first, bytes] : changes)
      row(key, instance, seen.time, how, first, bytes);
  }
}

}  // namespace vestige
