#include "query/variables/unknown_origins.h"

#include "program/argument_list.h"
#include "query/names/naming.h"
#include "vestige/query.h"

namespace vestige {

std::string callee_of(const Function& function, uint32_t statement) {
  const uint32_t callee =
      statement < function.statements.size() ? function.statements[statement].callee : kNone;
  if (callee == kNone) return "unrecorded code";
  std::string_view name = function.symbols[callee];
  if (name.starts_with('\1')) name.remove_prefix(1);
  if (is_list_work(name)) return std::string(name.substr(5, name.find('.', 5) - 5)) + "()";
  return std::string(without_arguments(demangle(std::string(name)))) + "()";
}

std::string UnknownOrigins::text(MemoryImage::Origin origin) const {
  const auto& [kind, function, statement] = list_[origin < list_.size() ? origin : 0];
  const std::string callee =
      function == kNone ? std::string() : callee_of(functions_[function], statement);
  switch (kind) {
    case Kind::first:
      return "no recorded code wrote it, or read it later";
    case Kind::unassigned:
      return "not yet assigned";
    case Kind::allocated:
      return "not assigned since " + callee;
    case Kind::written:
      return "written by " + callee;
    case Kind::maybe:
      return "may be written by " + callee;
    case Kind::stored:
      return "a value that is not known was stored";
    case Kind::elsewhere:
      return "something was stored at an address that is not known";
  }
  return {};
}

}  // namespace vestige
