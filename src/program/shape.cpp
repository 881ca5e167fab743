#include "program/shape.h"

#include <algorithm>
#include <bit>
#include <charconv>

namespace vestige {

std::optional<SimpleType> simple_type(std::string_view type) {
  using Kind = SimpleType::Kind;
  if (type == "ptr") return SimpleType{Kind::pointer, 64, 8};
  if (type == "float") return SimpleType{Kind::float32, 32, 4};
  if (type == "double") return SimpleType{Kind::float64, 64, 8};
  if (type.size() < 2 || type[0] != 'i') return std::nullopt;
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(type.data() + 1, type.data() + type.size(), bits);
  if (error != std::errc() || end != type.data() + type.size() || bits < 1 || bits > 64)
    return std::nullopt;
  const unsigned bytes = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
  return SimpleType{Kind::integer, static_cast<uint8_t>(bits), static_cast<uint8_t>(bytes)};
}

namespace {

constexpr unsigned kMostDepth = 8;

uint64_t round_up(uint64_t bytes, uint64_t align) { return (bytes + align - 1) / align * align; }

SimpleType integer_of(uint64_t bits) {
  const unsigned bytes = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
  return {SimpleType::Kind::integer, static_cast<uint8_t>(bits), static_cast<uint8_t>(bytes)};
}

// "{ i64, <2 x float> }", "[2 x i32]", "<{ i8, i32 }>", … A type it does not know has no parts, and
// neither has what contains it.
class TypeParser {
 public:
  explicit TypeParser(std::string_view text) : rest_(text) {}

  Shape parse() {
    // "%struct.pair = type { i32, i32 }"
    if (rest_.starts_with('%'))
      if (const size_t body = rest_.find(" = type "); body != rest_.npos)
        rest_.remove_prefix(body + 8);
    Shape shape = type(0);
    return rest_.empty() ? shape : Shape{};
  }

 private:
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  // Nothing further is understood.
  Shape give_up() {
    rest_ = "?";
    return {};
  }

  Shape type(unsigned depth) {
    if (depth > kMostDepth) return give_up();
    if (take("<{ ")) return structure(" }>", true, depth);
    if (take("{ ")) return structure(" }", false, depth);
    if (take("[")) return sequence(Shape::Kind::array, "]", depth);
    if (take("<")) return sequence(Shape::Kind::vector, ">", depth);
    return word();
  }

  Shape structure(std::string_view end, bool packed, unsigned depth) {
    Shape all{.kind = Shape::Kind::structure};
    do {
      Shape element = type(depth + 1);
      if (!element.kept()) return give_up();
      if (!packed) all.align = std::max(all.align, element.align);
      all.bytes = round_up(all.bytes, packed ? 1 : element.align) + element.bytes;
      all.in_memory &= element.in_memory;
      all.parts += element.parts;
      ++all.count;
      if (all.parts > Shape::kMostParts) return give_up();
      all.elements.push_back(std::move(element));
    } while (take(", "));
    if (!take(end)) return give_up();
    all.bytes = round_up(all.bytes, all.align);
    return all;
  }

  Shape sequence(Shape::Kind kind, std::string_view end, unsigned depth) {
    uint32_t count = 0;
    const auto [behind, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), count);
    if (error != std::errc() || count == 0 || count > Shape::kMostParts) return give_up();
    rest_.remove_prefix(static_cast<size_t>(behind - rest_.data()));
    if (!take(" x ")) return give_up();
    Shape element = type(depth + 1);
    if (!take(end) || !element.kept() || count * element.parts > Shape::kMostParts)
      return give_up();
    Shape all{.kind = kind};
    all.count = count;
    all.parts = count * element.parts;
    if (kind == Shape::Kind::vector) {
      all.bits = count * element.bits;
      all.align = all.bytes = std::bit_ceil((all.bits + 7) / 8);
      all.in_memory = element.bits == 8 * element.bytes;
    } else {
      all.bytes = count * element.bytes;
      all.align = element.align;
      all.in_memory = element.in_memory;
    }
    all.elements.push_back(std::move(element));
    return all;
  }

  Shape word() {
    const std::string_view name = rest_.substr(0, rest_.find_first_of(",]> }"));
    rest_.remove_prefix(name.size());
    Shape shape;
    if (const auto simple = simple_type(name)) {
      shape.kind = Shape::Kind::simple;
      shape.simple = *simple;
      shape.bits = simple->bits;
      shape.bytes = shape.align = simple->bytes;
      shape.parts = 1;
      return shape;
    }
    if (name == "half" || name == "bfloat") {
      shape.kind = name == "half" ? Shape::Kind::half : Shape::Kind::bfloat;
      shape.bits = 16;
      shape.bytes = shape.align = 2;
    } else if (name == "x86_fp80" || name == "fp128") {
      shape.kind = name == "fp128" ? Shape::Kind::fp128 : Shape::Kind::x86_fp80;
      shape.bits = name == "fp128" ? 128 : 80;
      shape.bytes = shape.align = 16;
    } else {
      if (!name.starts_with('i')) return give_up();
      const auto [end, error] =
          std::from_chars(name.data() + 1, name.data() + name.size(), shape.bits);
      if (error != std::errc() || end != name.data() + name.size() || shape.bits <= 64 ||
          shape.bits > 64 * Shape::kMostParts)
        return give_up();
      shape.kind = Shape::Kind::integer;
      shape.align = 16;
      shape.bytes = round_up((shape.bits + 7) / 8, 16);
    }
    shape.parts = static_cast<uint32_t>((shape.bits + 63) / 64);
    return shape;
  }

  std::string_view rest_;
};

void add_parts(const Shape& shape, uint32_t offset, uint32_t bit, std::vector<Part>& parts) {
  switch (shape.kind) {
    case Shape::Kind::none:
      return;
    case Shape::Kind::simple:
      parts.push_back({shape.simple, offset, bit});
      return;
    case Shape::Kind::integer:
    case Shape::Kind::half:
    case Shape::Kind::bfloat:
    case Shape::Kind::x86_fp80:
    case Shape::Kind::fp128:
      for (uint32_t at = 0; at < shape.bits; at += 64)
        parts.push_back(
            {integer_of(std::min<uint64_t>(64, shape.bits - at)), offset + at / 8, bit + at});
      return;
    case Shape::Kind::vector:
    case Shape::Kind::array:
      for (uint32_t i = 0; i < shape.count; ++i) {
        const auto bits = static_cast<uint32_t>(shape.element(i).bits);
        const auto step = static_cast<uint32_t>(
            shape.kind == Shape::Kind::vector ? bits / 8 : shape.element(i).bytes);
        add_parts(shape.element(i), offset + i * step, bit + i * bits, parts);
      }
      return;
    case Shape::Kind::structure: {
      // A packed one is aligned to 1, whatever is in it.
      uint64_t at = 0;
      for (const Shape& element : shape.elements) {
        at = round_up(at, std::min(shape.align, element.align));
        add_parts(element, offset + static_cast<uint32_t>(at), bit, parts);
        at += element.bytes;
      }
      return;
    }
  }
}

}  // namespace

uint32_t Shape::first_part(uint32_t element) const {
  if (kind != Kind::structure) return element * elements[0].parts;
  uint32_t first = 0;
  for (uint32_t i = 0; i < element; ++i) first += elements[i].parts;
  return first;
}

Shape shape_of(std::string_view type) { return TypeParser(type).parse(); }

std::vector<Part> parts_of(const Shape& shape) {
  std::vector<Part> parts;
  add_parts(shape, 0, 0, parts);
  return parts;
}

}  // namespace vestige
