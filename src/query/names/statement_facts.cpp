// What a statement has: a value, an address, how many bytes it touches.
#include <charconv>

#include "program/derive.h"
#include "program/library.h"
#include "program/untold.h"
#include "vestige/values.h"

namespace vestige {

namespace {

// The type a statement computes, or stores.
std::string_view computed_type(const Function& function, const Statement& statement) {
  uint32_t type = statement.type;
  if (statement.op == Op::store)
    type = statement.operands.empty() ? kNone : type_of(function, statement.operands[0]);
  return type < function.types.size() ? told_name(function.types[type]) : "void";
}

// Bits that a value of the type takes in memory, as far as its spelling tells; 0 otherwise.
uint64_t type_bits(std::string_view type) {
  constexpr std::pair<std::string_view, uint64_t> kNamed[] = {
      {"ptr", 64},    {"half", 16},   {"bfloat", 16},   {"float", 32},
      {"double", 64}, {"fp128", 128}, {"x86_fp80", 80}, {"ppc_fp128", 128}};
  for (const auto& [name, bits] : kNamed)
    if (type == name) return bits;
  uint64_t number = 0;
  if (type.starts_with('i')) {
    const auto [end, failure] = std::from_chars(type.data() + 1, type.data() + type.size(), number);
    return failure == std::errc() && end == type.data() + type.size() && number < 1 << 24 ? number
                                                                                          : 0;
  }
  // "<4 x float>"; the elements of a vector are simple, so this does not nest.
  if (!type.starts_with('<') || !type.ends_with('>')) return 0;
  const auto [end, failure] = std::from_chars(type.data() + 1, type.data() + type.size(), number);
  const std::string_view rest(end, type.data() + type.size() - 1);
  if (failure != std::errc() || !rest.starts_with(" x ") || rest.contains('<') || number > 1 << 16)
    return 0;
  return number * type_bits(rest.substr(3));
}

bool calls(const Function& function, const Statement& statement, std::string_view name) {
  return statement.op == Op::call && statement.callee != kNone &&
         function.symbols[statement.callee].starts_with(name);
}

bool is_access(Op op) {
  return op == Op::load || op == Op::store || op == Op::cmpxchg || op == Op::atomic_rmw;
}

template <class Wanted>
std::vector<StatementRef> all_that(const Trace& trace, const Wanted& wanted) {
  std::vector<StatementRef> found;
  for (uint32_t f = 0; f < trace.functions().size(); ++f) {
    const Function& function = trace.functions()[f];
    for (uint32_t s = 0; s < function.statements.size(); ++s)
      if (!function.statements[s].pseudo && wanted(function, s)) found.push_back({f, s});
  }
  return found;
}

}  // namespace

ValueType value_type(const Function& function, uint32_t statement) {
  const auto simple = simple_type(computed_type(function, function.statements[statement]));
  if (!simple) return {};
  return {static_cast<ValueType::Kind>(simple->kind), simple->bits};
}

bool has_value(const Function& function, uint32_t statement) {
  return computed_type(function, function.statements[statement]) != "void";
}

bool has_address(const Function& function, uint32_t statement) {
  const Statement& s = function.statements[statement];
  return is_access(s.op) || calls(function, s, "llvm.memcpy") ||
         calls(function, s, "llvm.memmove") || calls(function, s, "llvm.memset");
}

bool has_library_ranges(const Function& function, uint32_t statement) {
  return has_library_effects(function.statements[statement]);
}

uint32_t access_bytes(const Function& function, uint32_t statement) {
  const Statement& s = function.statements[statement];
  if (!is_access(s.op)) return 0;
  if (!s.attributes.empty()) return s.attributes[0];
  std::string_view type = computed_type(function, s);
  // A compare-and-exchange gives a pair; what it stores is its last operand.
  if (s.op == Op::cmpxchg) {
    const uint32_t stored = s.operands.empty() ? kNone : type_of(function, s.operands.back());
    type = stored < function.types.size() ? told_name(function.types[stored]) : "";
  }
  return static_cast<uint32_t>((type_bits(type) + 7) / 8);
}

std::vector<std::string_view> value_sources(const Function& function) {
  constexpr std::string_view kNames[] = {"", "derived", "loaded", "called", "told", "told"};
  std::vector<std::string_view> names;
  for (const Source source : sources_of(function))
    names.push_back(kNames[static_cast<size_t>(source)]);
  return names;
}

std::vector<StatementRef> all_loads(const Trace& trace) {
  return all_that(trace, [](const Function& function, uint32_t s) {
    return function.statements[s].op == Op::load;
  });
}

std::vector<StatementRef> all_values(const Trace& trace) { return all_that(trace, has_value); }
std::vector<StatementRef> all_addresses(const Trace& trace) { return all_that(trace, has_address); }
std::vector<StatementRef> all_library_calls(const Trace& trace) {
  return all_that(trace, has_library_ranges);
}

}  // namespace vestige
