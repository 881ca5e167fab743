#include "query/wet/value_field.h"

#include "vestige/values.h"

namespace vestige {

std::vector<uint32_t> fields_of(const Function& function, uint32_t statement) {
  std::vector<uint32_t> fields;
  const Statement& s = function.statements[statement];
  if (value_type(function, statement).bits > 0) fields.push_back(kFieldValue);
  uint32_t parts = 0;
  for (const WideItem& item : wide_items(function, statement)) parts += item.parts;
  if (parts > 0 && parts < kMostFields - kFieldPart) {
    fields.push_back(kFieldWide);
    for (uint32_t part = 0; part < parts; ++part) fields.push_back(kFieldPart + part);
  }
  const bool library = has_library_ranges(function, statement);
  if (has_address(function, statement) || library) fields.push_back(kFieldAddress);
  if (library || (s.op == Op::call && has_address(function, statement)))
    fields.insert(fields.end(), {kFieldSource, kFieldLength, kFieldFill});
  return fields;
}

std::vector<StatementRef> all_kept(const Trace& trace) {
  std::vector<StatementRef> kept;
  for (uint32_t f = 0; f < trace.functions().size(); ++f) {
    const Function& function = trace.functions()[f];
    for (uint32_t s = 0; s < function.statements.size(); ++s)
      if (!fields_of(function, s).empty()) kept.push_back({f, s});
  }
  return kept;
}

bool given_field(const Function& function, uint32_t statement, uint32_t field) {
  if (field >= kFieldAddress && field <= kFieldFill) return true;
  return function.statements[statement].op == Op::store;
}

}  // namespace vestige
