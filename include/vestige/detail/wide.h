// Values that are not simple (values.h): vectors, structures and arrays in registers, integers of
// more than 64 bits, long double and the other floating-point types.
//
// Such a value is a row of simple parts: the elements in order, the 64-bit pieces of long numbers
// with the least first.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "vestige/api.h"
#include "vestige/program.h"

VESTIGE_API_BEGIN
namespace vestige {

struct WideValue {
  std::vector<std::optional<uint64_t>> parts;  // zero-extended bits; none: unknown
  bool operator==(const WideValue&) const = default;
};
using WideRef = std::shared_ptr<const WideValue>;

// Values are kept of these types; bits 0: of none of them.
struct ValueType {
  enum class Kind : uint8_t { integer, pointer, float32, float64 };
  Kind kind = Kind::integer;
  uint8_t bits = 0;  // 1 … 64
  bool operator==(const ValueType&) const = default;
};

// How a wide type is built, in the order of its parts: what opens and closes, and the numbers
// between.
struct WideItem {
  enum class Kind : uint8_t {
    // These open …
    vector,
    array,
    structure,
    end,      // … and this closes what was opened last
    simple,   // `type`
    integer,  // of `bits` bits
    half,
    bfloat,
    x86_fp80,
    fp128,
  };
  Kind kind = Kind::end;
  ValueType type;
  uint32_t bits = 0;
  uint32_t parts = 0;  // how many of the value's belong to this number; 0: it is none
};
// Of the statement's result; of a store, of what it stores. Empty: it is simple, or not kept.
std::vector<WideItem> wide_items(const Function& function, uint32_t statement);

}  // namespace vestige
VESTIGE_API_END
