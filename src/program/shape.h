// Types as the program table spells them, taken apart.
//
// A *simple* value is an integer of at most 64 bits, a pointer, a float or a double. Every other
// value that is kept is a row of simple *parts*: the elements of vectors, arrays and structures in
// order, the 64-bit pieces of long integers and long floating-point numbers, the least first. So
// everything that is told, derived, passed and shown is a simple value or a row of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace vestige {

struct SimpleType {
  enum class Kind : uint8_t { integer, pointer, float32, float64 };
  Kind kind = Kind::integer;
  uint8_t bits = 0;   // 1 … 64
  uint8_t bytes = 0;  // as stored: 1, 2, 4 or 8
};
// Nothing when it is not simple.
std::optional<SimpleType> simple_type(std::string_view type);

struct Part {
  SimpleType type;
  uint32_t offset = 0;  // in memory, bytes from the value's address
  uint32_t bit = 0;     // the first of it, in a bit cast
};

struct Shape {
  enum class Kind : uint8_t {
    none,  // not kept: void, tokens, what has no parts or too many
    simple,
    integer,  // of more than 64 bits
    half,
    bfloat,
    x86_fp80,
    fp128,  // bits only: nothing is computed with them
    vector,
    array,
    structure,
  };
  static constexpr uint32_t kMostParts = 64;

  Kind kind = Kind::none;
  SimpleType simple = {};
  uint64_t bits = 0;              // of vectors: of all elements; of arrays and structures: 0
  uint64_t bytes = 0, align = 1;  // of its place in memory
  bool in_memory = true;          // each part has bytes of its own there
  uint32_t parts = 0;
  uint32_t count = 0;                // elements
  std::vector<Shape> elements = {};  // structure: all; vector and array: one for all of them

  bool kept() const { return parts != 0; }
  bool wide() const { return kept() && kind != Kind::simple; }
  const Shape& element(uint32_t i) const { return elements[kind == Kind::structure ? i : 0]; }
  // The first part of an element.
  uint32_t first_part(uint32_t element) const;
};

Shape shape_of(std::string_view type);
std::vector<Part> parts_of(const Shape& shape);

}  // namespace vestige
