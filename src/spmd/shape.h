// A stream's sections taken apart: their shape, which threads have in common, and the numbers in
// it, which differ.
//
//     sections := varint count, section*
//     section  := varint 0, event | varint n > 0, sections' n parts     (a loop; its count is a
//     number) event    := flags, varint slopes, a bit for each slope that is not 0, varint strides
//     flags    := 1: the count is 0 and no number
// Numbers, in the order of the shape: of a loop its count; of an event its count, its constant, the
// slopes that are not 0, and for each stride two.
#pragma once

#include <optional>
#include <vector>

#include "base/bytes.h"
#include "spmd/stretch.h"

namespace vestige::spmd {

struct Shape {
  Bytes bytes;
  std::vector<uint64_t> numbers;
};

Shape take_apart(const std::vector<StretchSection>& sections);

// What numbers are. Those of one role are alike from stream to stream.
enum class Role : uint8_t { count = 0, constant = 1, slope = 2, stride = 3 };
inline constexpr size_t kRoles = 4;
// The roles of a shape's numbers, in order; nothing when the bytes are no shape.
std::optional<std::vector<Role>> roles_of(ByteView shape);
// The opposite of take_apart; the shape must have roles, and as many numbers.
std::vector<StretchSection> put_together(ByteView shape, const std::vector<uint64_t>& numbers);

}  // namespace vestige::spmd
