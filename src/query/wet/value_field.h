// What a stored whole execution trace keeps of an execution of a statement: the fields of an
// Observation (trace/eval/observer.h), each a column of a value group.
#pragma once

#include <cstdint>
#include <vector>

#include "vestige/query.h"

namespace vestige {

// On disk (docs/format.md, "node values"): append, never renumber.
enum ValueField : uint32_t {
  kFieldValue = 0,
  kFieldAddress = 1,
  kFieldSource = 2,  // memcpy, memmove and library functions that copy: where from
  kFieldLength = 3,  // those and memset: how many bytes
  kFieldFill = 4,    // memset: with which byte
  kFieldWide = 5,    // a value that is not simple: 0 where it is known in part at least
  kFieldPart = 8,    // and its parts, from here on
};
inline constexpr uint32_t kMostFields = kFieldPart + (1 << 20);

// Of a statement, in the order of its columns. Empty: nothing is kept of it.
std::vector<uint32_t> fields_of(const Function& function, uint32_t statement);
// Statements of which something is kept, phis among them.
std::vector<StatementRef> all_kept(const Trace& trace);
// Whether it follows from the statement's operands, whatever memory or a callee give.
bool given_field(const Function& function, uint32_t statement, uint32_t field);

}  // namespace vestige
