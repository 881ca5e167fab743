#include "query/variable_parts.h"

#include "query/naming.h"

namespace vestige {

namespace {

uint64_t bits_of(uint64_t bytes) { return bytes > UINT64_MAX / 8 ? UINT64_MAX : bytes * 8; }

VariablePart member_part(const Function& function, const VariablePart& of,
                         const SourceType::Member& member) {
  return {of.first_bit + member.first_bit,
          member.bits ? member.bits : bits_of(function.source_types[member.type].bytes),
          member.type};
}

// A member of that name, in base classes and unnamed members too.
bool find_member(const Function& function, VariablePart& part, std::string_view name, int depth) {
  for (const SourceType::Member& member : function.source_types[part.type].members) {
    VariablePart inner = member_part(function, part, member);
    const bool nameless = member.name.empty() || member.name.starts_with('<');
    if (member.name == name ||
        (nameless && depth < 8 && find_member(function, inner, name, depth + 1))) {
      part = inner;
      return true;
    }
  }
  return false;
}

}  // namespace

VariablePart whole(const Function& function, uint32_t type) {
  return {0, bits_of(function.source_types[type].bytes), type};
}

Result<VariablePart> find_part(const Function& function, uint32_t type, std::string_view text) {
  VariablePart part = whole(function, type);
  while (!text.empty()) {
    const SourceType& at = function.source_types[part.type];
    if (text.starts_with('.')) {
      text.remove_prefix(1);
      const std::string_view name = text.substr(0, text.find_first_of(".["));
      text.remove_prefix(name.size());
      if (name.empty() || !find_member(function, part, name, 0))
        return fail(ErrorKind::missing, at.name + " has no member " + quoted(name));
      continue;
    }
    const size_t close = text.find(']');
    uint64_t index = 0;
    if (!text.starts_with('[') || close == std::string_view::npos ||
        !parse_number(text.substr(1, close - 1), index))
      return fail(ErrorKind::usage,
                  quoted(text) + " is no part of a variable; write .MEMBER or [NUMBER]");
    text.remove_prefix(close + 1);
    if (at.kind != SourceType::Kind::array)
      return fail(ErrorKind::missing, at.name + " is not an array");
    const uint64_t each = bits_of(function.source_types[at.element].bytes);
    const uint64_t count = each == 0 ? 0 : part.bits / each;
    if (index >= count)
      return fail(ErrorKind::missing, at.name + " has " + std::to_string(count) +
                                          " elements, no [" + std::to_string(index) + "]");
    part = {part.first_bit + index * each, each, at.element};
  }
  return part;
}

VariablePart smallest_part(const Function& function, VariablePart part, uint64_t first_bit,
                           uint64_t bits, std::string& text) {
  const auto holds = [&](const VariablePart& inner) {
    return inner.first_bit <= first_bit && first_bit + bits <= inner.first_bit + inner.bits;
  };
  while (true) {
    const SourceType& at = function.source_types[part.type];
    bool found = false;
    if (at.kind == SourceType::Kind::array) {
      const uint64_t each = bits_of(function.source_types[at.element].bytes);
      if (each == 0 || first_bit < part.first_bit) return part;
      const uint64_t index = (first_bit - part.first_bit) / each;
      const VariablePart inner{part.first_bit + index * each, each, at.element};
      if (!holds(inner)) return part;
      text += "[" + std::to_string(index) + "]";
      part = inner;
      continue;
    }
    for (const SourceType::Member& member : at.members) {
      const VariablePart inner = member_part(function, part, member);
      // A bit-field is changed by an access of all the bytes around it.
      if (member.bits || !holds(inner)) continue;
      if (!member.name.empty() && !member.name.starts_with('<')) text += "." + member.name;
      part = inner;
      found = true;
      break;
    }
    if (!found) return part;
  }
}

}  // namespace vestige
