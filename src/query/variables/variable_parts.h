// Parts of variables: members and elements, as bits of the whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vestige/program.h"
#include "vestige/result.h"
#include "vestige/variables.h"

namespace vestige {

struct VariablePart {
  uint64_t first_bit = 0;
  uint64_t bits = 0;
  uint32_t type = 0;  // Function::source_types
  bool covers(uint64_t first, uint64_t end) const {
    return first_bit < end && first < first_bit + bits;
  }
};

// NAME[PART][@WHERE], as users write it.
struct VariableName {
  std::string_view name, part, where;
};
VariableName split_variable_name(std::string_view text);
// No recorded function has a variable of that name.
Error unknown_variable(const Trace& trace, std::string_view text);

// All of a value of this type.
VariablePart whole(const Function& function, uint32_t type);
// How many members the variable's type is described with, those of its parts counted.
size_t described_members(const Function& function, uint32_t variable);
// Large types are described in full where a variable is at home, and in brief elsewhere.
std::vector<VariableRef> best_copies_first(const std::vector<Function>& functions,
                                           const SourceVariable& variable);
// "point.x[3]" of that, without the variable's name.
Result<VariablePart> find_part(const Function& function, uint32_t type, std::string_view text);
// What may be meant by the address of a bit: the largest part that begins there, an element
// together with those behind it.
VariablePart largest_part_at(const Function& function, VariablePart within, uint64_t first_bit);
// The smallest part that holds all of these bits; adds how it is written to `text`. Of members of a
// union that are as small, the one that is a floating-point number or is not.
VariablePart smallest_part(const Function& function, VariablePart within, uint64_t first_bit,
                           uint64_t bits, bool floating, std::string& text);

}  // namespace vestige
