// The part of a function's record that is about the source's variables. The byte grammar is in
// docs/format.md, "Variables".
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/bytes.h"
#include "vestige/program.h"

namespace vestige {

// Bindings with more operands cannot be written.
inline constexpr size_t kMostBindingOperands = 7;

// `addresses_in_data`: as of the record version that has them.
void encode_variables(ByteWriter& w, const Function& function, bool addresses_in_data);
// Malformed bytes fail the reader.
void decode_variables(ByteReader& r, Function& function, bool addresses_in_data);
// Everything a reader of variables may rely on without looking; nothing when all is well.
const char* first_variable_problem(const Function& function);

// Makes room for as many as the bytes say will come; hostile ones may say anything.
template <class List>
size_t expect(List& list, size_t count) {
  list.reserve(std::min<size_t>(count, 1 << 12));
  return count;
}

}  // namespace vestige
