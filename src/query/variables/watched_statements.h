// What a variable's watch asks of statements and bindings themselves, whatever ran.
#pragma once

#include <cstdint>
#include <optional>

#include "program/derive.h"
#include "vestige/program.h"

namespace vestige {

MemoryWork memory_work(const Function& function, const Statement& statement);

// It begins, copies or ends a list of arguments (va_list).
bool works_on_list(const Function& function, const Statement& statement);

// It reads or writes memory, as far as the program's text says.
bool is_access(const Function& function, const Statement& statement);

// Whether a statement stores or computes a floating-point number.
bool is_floating(const Function& function, uint32_t index);

// What an atomic operation makes of a value, when the other one is a constant; nothing when that
// is not known.
std::optional<uint64_t> updated(const Function& function, const Statement& statement,
                                std::optional<uint64_t> old);

// kNone: neither a statement nor an argument.
uint32_t bound_type(const Function& function, const BindingOperand& operand);

// In bits.
unsigned width(const Function& function, const BindingOperand& operand);

}  // namespace vestige
