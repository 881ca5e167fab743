// The program record's side of library.h.
#include "program/library.h"

namespace vestige {

namespace {

constexpr size_t kNumbersPerRange = 10;

uint32_t number_of(const LibraryTerm& term) {
  return static_cast<uint32_t>(term.kind) | term.number << 3;
}

// False: no such term, or one that the call does not have.
bool read_term(uint32_t number, uint32_t arguments, uint32_t measures, LibraryTerm& term) {
  term = {static_cast<LibraryTerm::Kind>(number & 7), number >> 3};
  switch (term.kind) {
    case LibraryTerm::Kind::none:
    case LibraryTerm::Kind::result:
      return term.number == 0;
    case LibraryTerm::Kind::number:
      return true;
    case LibraryTerm::Kind::argument:
      return term.number < arguments;
    case LibraryTerm::Kind::measure:
      return term.number < measures;
  }
  return false;
}

}  // namespace

std::vector<uint32_t> library_attributes(const LibraryCall& call) {
  if (call.ranges.empty()) return {};
  std::vector<uint32_t> out = {static_cast<uint32_t>(call.measures.size())};
  for (const LibraryRange& range : call.ranges) {
    out.push_back(static_cast<uint32_t>(range.kind) | static_cast<uint32_t>(range.when) << 3);
    out.push_back(number_of(range.tested));
    out.push_back(range.bound);
    for (const LibraryTerm* term :
         {&range.to, &range.offset, &range.from, &range.length, &range.times, &range.most})
      out.push_back(number_of(*term));
    out.push_back(range.plus);
  }
  return out;
}

bool has_library_effects(const Statement& statement) {
  return (statement.op == Op::call || statement.op == Op::invoke) &&
         statement.attributes.size() > 2 && !statement.operands.empty();
}

LibraryEffects library_effects(const Statement& statement) {
  LibraryEffects effects;
  if (!has_library_effects(statement)) return effects;
  const auto& from = statement.attributes;
  // Arguments, for an invoke two blocks, and the callee.
  const size_t others = statement.op == Op::invoke ? 3 : 1;
  if (statement.operands.size() < others || from[1] > kMostMeasures) return effects;
  const auto arguments = static_cast<uint32_t>(statement.operands.size() - others);
  effects.measures = from[1];
  for (size_t at = 2; at + kNumbersPerRange <= from.size(); at += kNumbersPerRange) {
    LibraryRange range;
    range.kind = static_cast<LibraryRange::Kind>(from[at] & 7);
    range.when = static_cast<LibraryRange::When>(from[at] >> 3);
    range.bound = from[at + 2];
    range.plus = from[at + 9];
    const auto term = [&](size_t number, LibraryTerm& to) {
      return read_term(from[at + number], arguments, effects.measures, to);
    };
    if (range.kind < LibraryRange::Kind::copy || range.kind > LibraryRange::Kind::read ||
        range.when > LibraryRange::When::at_least || !term(1, range.tested) || !term(3, range.to) ||
        !term(4, range.offset) || !term(5, range.from) || !term(6, range.length) ||
        !term(7, range.times) || !term(8, range.most))
      continue;
    effects.ranges.push_back(range);
  }
  return effects;
}

std::vector<uint32_t> first_measures(const Function& function, uint32_t first_index) {
  std::vector<uint32_t> first(function.statements.size());
  uint32_t next = first_index;
  for (size_t s = 0; s < first.size(); ++s) {
    first[s] = next;
    const Statement& statement = function.statements[s];
    if (has_library_effects(statement) && statement.attributes[1] <= kMostMeasures)
      next += statement.attributes[1];
  }
  return first;
}

}  // namespace vestige
