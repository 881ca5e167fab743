#include "spmd/shape.h"

namespace vestige::spmd {

namespace {

constexpr int kDeepest = 24;  // loops in loops of stretches
constexpr size_t kMostSlopes = 1 << 12;

void take(const std::vector<StretchSection>& sections, ByteWriter& shape,
          std::vector<uint64_t>& numbers) {
  for (const StretchSection& section : sections) {
    if (!section.is_event()) {
      shape.varint(section.body.size());
      numbers.push_back(section.count);
      take(section.body, shape, numbers);
      continue;
    }
    const Stretch& event = section.event;
    shape.varint(0);
    shape.u8(event.count == 0 && event.strides.empty() ? 1 : 0);
    if (event.count != 0 || !event.strides.empty()) numbers.push_back(event.count);
    numbers.push_back(event.constant);
    shape.varint(event.slopes.size());
    uint8_t bits = 0;
    for (size_t l = 0; l < event.slopes.size(); ++l) {
      if (event.slopes[l] != 0) {
        bits |= static_cast<uint8_t>(1 << l % 8);
        numbers.push_back(event.slopes[l]);
      }
      if (l % 8 == 7 || l + 1 == event.slopes.size()) {
        shape.u8(bits);
        bits = 0;
      }
    }
    shape.varint(event.strides.size());
    for (const auto& stride : event.strides)
      numbers.insert(numbers.end(), stride.begin(), stride.end());
  }
}

// Reads a shape and tells `visit` of what it finds; false when the bytes are none.
struct ShapeReading {
  ByteReader in;
  std::vector<Role> roles;
  const std::vector<uint64_t>* numbers = nullptr;
  size_t at = 0;

  uint64_t number(Role role) {
    roles.push_back(role);
    return numbers && at < numbers->size() ? (*numbers)[at++] : 0;
  }
  bool sections(size_t count, int depth, std::vector<StretchSection>& out) {
    if (depth > kDeepest) return false;
    for (size_t i = 0; i < count; ++i) {
      StretchSection section;
      const size_t body = in.count();
      if (in.failed()) return false;
      if (body != 0) {
        section.count = number(Role::count);
        if (!sections(body, depth + 1, section.body)) return false;
      } else if (!event(section.event, depth)) {
        return false;
      }
      out.push_back(std::move(section));
    }
    return !in.failed();
  }
  bool event(Stretch& out, int depth) {
    const bool open = in.u8() & 1;
    if (!open) out.count = number(Role::count);
    out.constant = number(Role::constant);
    const uint64_t slopes = in.varint();
    if (in.failed() || slopes > kMostSlopes) return false;
    uint8_t bits = 0;
    for (size_t l = 0; l < slopes; ++l) {
      if (l % 8 == 0) bits = in.u8();
      out.slopes.push_back(bits >> l % 8 & 1 ? number(Role::slope) : 0);
    }
    const uint64_t strides = in.varint();
    // An event has a stride for each loop around it.
    if (in.failed() || strides != static_cast<uint64_t>(depth)) return false;
    for (uint64_t l = 0; l < strides; ++l) {
      const uint64_t count = number(Role::stride);
      out.strides.push_back({count, number(Role::stride)});
    }
    return true;
  }
};

}  // namespace

Shape take_apart(const std::vector<StretchSection>& sections) {
  Shape out;
  ByteWriter shape;
  shape.varint(sections.size());
  take(sections, shape, out.numbers);
  out.bytes = shape.take();
  return out;
}

std::optional<std::vector<Role>> roles_of(ByteView shape) {
  ShapeReading reading{ByteReader(shape), {}};
  std::vector<StretchSection> ignored;
  const size_t count = reading.in.count();
  if (!reading.sections(count, 0, ignored) || reading.in.remaining() != 0) return std::nullopt;
  return std::move(reading.roles);
}

std::vector<StretchSection> put_together(ByteView shape, const std::vector<uint64_t>& numbers) {
  ShapeReading reading{ByteReader(shape), {}, &numbers};
  std::vector<StretchSection> out;
  const size_t count = reading.in.count();
  reading.sections(count, 0, out);
  return out;
}

}  // namespace vestige::spmd
