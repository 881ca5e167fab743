#include "query/variables/variable_parts.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "query/names/naming.h"

namespace vestige {

namespace {

uint64_t bits_of(uint64_t bytes) { return bytes > UINT64_MAX / 8 ? UINT64_MAX : bytes * 8; }

VariablePart member_part(const Function& function, const VariablePart& of,
                         const SourceType::Member& member) {
  return {of.first_bit + member.first_bit,
          member.bits ? member.bits : bits_of(function.source_types[member.type].bytes),
          member.type};
}

// A member of that name, in base classes and unnamed members too; `left` more are looked at.
bool find_member(const Function& function, VariablePart& part, std::string_view name, int depth,
                 int& left) {
  for (const SourceType::Member& member : function.source_types[part.type].members) {
    if (left == 0) return false;
    --left;
    VariablePart inner = member_part(function, part, member);
    const bool nameless = member.name.empty() || member.name.starts_with('<');
    if (member.name == name ||
        (nameless && depth < 8 && find_member(function, inner, name, depth + 1, left))) {
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

size_t described_members(const Function& function, uint32_t variable) {
  // Parts come before what they are parts of.
  std::vector<size_t> members;
  const uint32_t type = function.variables[variable].type;
  for (uint32_t t = 0; t <= type; ++t) {
    const SourceType& one = function.source_types[t];
    size_t count = one.members.size();
    for (const SourceType::Member& member : one.members) count += members[member.type];
    if (one.kind == SourceType::Kind::array) count += members[one.element];
    members.push_back(std::min<size_t>(count, 1 << 20));
  }
  return members.back();
}

std::vector<VariableRef> best_copies_first(const std::vector<Function>& functions,
                                           const SourceVariable& variable) {
  std::vector<std::pair<size_t, size_t>> ranked;  // members left out, as it were, and number
  for (size_t i = 0; i < variable.copies.size(); ++i) {
    const VariableRef& copy = variable.copies[i];
    ranked.emplace_back(~described_members(functions[copy.function], copy.variable), i);
  }
  std::ranges::sort(ranked);
  std::vector<VariableRef> copies;
  for (const auto& [missing, i] : ranked) copies.push_back(variable.copies[i]);
  return copies;
}

Result<VariablePart> find_part(const Function& function, uint32_t type, std::string_view text) {
  VariablePart part = whole(function, type);
  int left = 1 << 16;  // members to look at: a forged type may have unions without end
  while (!text.empty()) {
    const SourceType& at = function.source_types[part.type];
    if (text.starts_with('.')) {
      text.remove_prefix(1);
      const std::string_view name = text.substr(0, text.find_first_of(".["));
      text.remove_prefix(name.size());
      if (name.empty() || !find_member(function, part, name, 0, left))
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

namespace {

// Looks for some bits in parts of parts.
class PartSearch {
 public:
  PartSearch(const Function& function, uint64_t first_bit, uint64_t bits, bool floating)
      : function_(function), first_bit_(first_bit), bits_(bits), floating_(floating) {}

  VariablePart smallest(const VariablePart& part, int depth, std::string& text) {
    const SourceType& at = function_.source_types[part.type];
    if (depth == kDeepest) return part;
    if (at.kind == SourceType::Kind::array) {
      const uint64_t each = bits_of(function_.source_types[at.element].bytes);
      if (each == 0 || first_bit_ < part.first_bit) return part;
      const uint64_t index = (first_bit_ - part.first_bit) / each;
      const VariablePart inner{part.first_bit + index * each, each, at.element};
      if (!is_in(inner)) return part;
      text += "[" + std::to_string(index) + "]";
      return smallest(inner, depth + 1, text);
    }
    std::optional<VariablePart> best;
    std::string best_text;
    for (const SourceType::Member& member : at.members) {
      const VariablePart inner = member_part(function_, part, member);
      // A bit-field is changed by an access of all the bytes around it.
      if (member.bits || !is_in(inner) || left_ == 0) continue;
      --left_;
      const bool nameless = member.name.empty() || member.name.starts_with('<');
      std::string inner_text = nameless ? "" : "." + member.name;
      const VariablePart found = smallest(inner, depth + 1, inner_text);
      const bool better = !best || found.bits < best->bits ||
                          (found.bits == best->bits && fits(found) && !fits(*best));
      if (!better) continue;
      best = found;
      best_text = std::move(inner_text);
    }
    text += best_text;
    return best.value_or(part);
  }

 private:
  static constexpr int kDeepest = 16;
  bool is_in(const VariablePart& part) const {
    return part.first_bit <= first_bit_ && first_bit_ + bits_ <= part.first_bit + part.bits;
  }
  bool fits(const VariablePart& part) const {
    const bool is_floating = function_.source_types[part.type].kind == SourceType::Kind::floating;
    return is_floating == floating_;
  }

  const Function& function_;
  const uint64_t first_bit_, bits_;
  const bool floating_;
  int left_ = 1 << 12;  // the same
};

}  // namespace

VariablePart largest_part_at(const Function& function, VariablePart part, uint64_t first_bit) {
  for (int depth = 0; depth < 16 && part.first_bit != first_bit; ++depth) {
    const SourceType& at = function.source_types[part.type];
    std::optional<VariablePart> inner;
    if (at.kind == SourceType::Kind::array) {
      const uint64_t each = bits_of(function.source_types[at.element].bytes);
      if (each == 0) return part;
      const uint64_t index = (first_bit - part.first_bit) / each;
      inner = {part.first_bit + index * each, each, at.element};
      if (inner->first_bit == first_bit)
        return {first_bit, part.first_bit + part.bits - first_bit, part.type};
    } else {
      for (const SourceType::Member& member : at.members) {
        const VariablePart one = member_part(function, part, member);
        if (!one.covers(first_bit, first_bit + 1)) continue;
        if (inner) return part;  // a union
        inner = one;
      }
    }
    if (!inner || inner->bits >= part.bits) return part;
    part = *inner;
  }
  return part;
}

VariablePart smallest_part(const Function& function, VariablePart within, uint64_t first_bit,
                           uint64_t bits, bool floating, std::string& text) {
  return PartSearch(function, first_bit, bits, floating).smallest(within, 0, text);
}

}  // namespace vestige
