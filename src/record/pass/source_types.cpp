#include "source_types.h"

#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;

namespace vestige {

namespace {

// Without typedefs and qualifiers.
const DIType* bare(const DIType* type) {
  while (const auto* derived = dyn_cast_or_null<DIDerivedType>(type)) {
    switch (derived->getTag()) {
      case dwarf::DW_TAG_typedef:
      case dwarf::DW_TAG_const_type:
      case dwarf::DW_TAG_volatile_type:
      case dwarf::DW_TAG_restrict_type:
      case dwarf::DW_TAG_atomic_type:
        type = derived->getBaseType();
        break;
      default:
        return type;
    }
  }
  return type;
}

bool is_pointer(const DIType* type) {
  const auto* derived = dyn_cast_or_null<DIDerivedType>(bare(type));
  return derived && (derived->getTag() == dwarf::DW_TAG_pointer_type ||
                     derived->getTag() == dwarf::DW_TAG_reference_type ||
                     derived->getTag() == dwarf::DW_TAG_rvalue_reference_type);
}

// How many elements a subrange has; nothing when that is not a constant.
std::optional<uint64_t> length(const DISubrange& range) {
  if (const auto* count = dyn_cast_if_present<ConstantInt*>(range.getCount()))
    if (!count->isNegative()) return count->getZExtValue();
  return std::nullopt;
}

std::string with_star(std::string base, const char* star) {
  if (!base.ends_with('*') && !base.ends_with('&')) base += ' ';
  return base + star;
}

}  // namespace

uint32_t SourceTypes::operator()(const DIType* type, Detail detail) {
  if (const auto known = numbers_.find(type); known != numbers_.end()) {
    const bool is_short = short_ones_.contains(type);
    if (!is_short || detail == Detail::brief) {
      shortened_ |= is_short;
      return known->second;
    }
  }
  const bool others_shortened = std::exchange(shortened_, false);
  const Detail others_detail = std::exchange(detail_, detail);
  SourceType described = describe(type);
  detail_ = others_detail;
  if (shortened_)
    short_ones_.insert(type);
  else
    short_ones_.erase(type);
  shortened_ |= others_shortened;
  list_.push_back(std::move(described));
  return numbers_[type] = static_cast<uint32_t>(list_.size() - 1);
}

SourceType SourceTypes::describe(const DIType* type) {
  SourceType out;
  out.name = name(type);
  const DIType* kind = bare(type);
  if (!kind || list_.size() >= kMostTypes) return out;  // not shortened: there is no room
  out.bytes = kind->getSizeInBits() / 8;
  if (const auto* basic = dyn_cast<DIBasicType>(kind)) {
    describe_basic(*basic, out);
  } else if (is_pointer(kind)) {
    out.kind = SourceType::Kind::pointer;
    if (out.bytes == 0) out.bytes = 8;
  } else if (const auto* composite = dyn_cast<DICompositeType>(kind)) {
    describe_composite(*composite, out);
  }
  return out;
}

void SourceTypes::describe_basic(const DIBasicType& type, SourceType& out) {
  using Kind = SourceType::Kind;
  if (type.getTag() == dwarf::DW_TAG_unspecified_type) {  // decltype(nullptr)
    out.kind = Kind::pointer;
    out.bytes = 8;
    return;
  }
  switch (type.getEncoding()) {
    case dwarf::DW_ATE_boolean:
      out.kind = Kind::boolean;
      break;
    case dwarf::DW_ATE_signed:
      out.kind = Kind::signed_integer;
      break;
    case dwarf::DW_ATE_unsigned:
      out.kind = Kind::unsigned_integer;
      break;
    case dwarf::DW_ATE_signed_char:
      out.kind = Kind::signed_character;
      break;
    case dwarf::DW_ATE_unsigned_char:
      out.kind = Kind::unsigned_character;
      break;
    case dwarf::DW_ATE_UTF:
      out.kind = out.bytes == 1 ? Kind::unsigned_character : Kind::unsigned_integer;
      break;
    case dwarf::DW_ATE_float:
      out.kind = Kind::floating;
      break;
    default:
      break;
  }
}

void SourceTypes::describe_composite(const DICompositeType& type, SourceType& out) {
  switch (type.getTag()) {
    case dwarf::DW_TAG_array_type:
      return describe_array(type, out);
    case dwarf::DW_TAG_enumeration_type:
      out.kind = SourceType::Kind::enumeration;
      if (type.getElements().size() > kMostMembers) return;
      for (const DINode* node : type.getElements())
        if (const auto* one = dyn_cast_or_null<DIEnumerator>(node))
          if (one->getValue().getBitWidth() <= 64)
            out.enumerators.push_back(
                {one->getName().str(), one->isUnsigned()
                                           ? static_cast<int64_t>(one->getValue().getZExtValue())
                                           : one->getValue().getSExtValue()});
      return;
    case dwarf::DW_TAG_structure_type:
    case dwarf::DW_TAG_class_type:
    case dwarf::DW_TAG_union_type:
      return describe_members(type, out);
    default:
      return;
  }
}

// Rows of rows are arrays of arrays: the innermost is described first.
void SourceTypes::describe_array(const DICompositeType& type, SourceType& out) {
  std::vector<uint64_t> lengths;
  for (const DINode* node : type.getElements()) {
    const auto* range = dyn_cast_or_null<DISubrange>(node);
    const auto count = range ? length(*range) : std::nullopt;
    if (!count) return;
    lengths.push_back(*count);
  }
  if (lengths.empty()) return;
  uint32_t element = part(type.getBaseType());
  while (lengths.size() > 1) {
    SourceType row;
    row.kind = SourceType::Kind::array;
    row.bytes = list_[element].bytes * lengths.back();
    row.element = element;
    row.name = list_[element].name + " [" + std::to_string(lengths.back()) + "]";
    list_.push_back(std::move(row));
    element = static_cast<uint32_t>(list_.size() - 1);
    lengths.pop_back();
  }
  out.kind = SourceType::Kind::array;
  out.element = element;
  if (out.bytes == 0) out.bytes = list_[element].bytes * lengths.front();
}

void SourceTypes::describe_members(const DICompositeType& type, SourceType& out) {
  out.kind = SourceType::Kind::record;
  if (type.getElements().size() > 4 * most_members()) {
    shortened_ = true;
    return;
  }
  std::vector<SourceType::Member> members;
  for (const DINode* node : type.getElements()) {
    const auto* member = dyn_cast_or_null<DIDerivedType>(node);
    if (!member || member->isStaticMember()) continue;
    const bool base = member->getTag() == dwarf::DW_TAG_inheritance;
    if (!base && member->getTag() != dwarf::DW_TAG_member) continue;
    if (base && (member->getFlags() & DINode::FlagVirtual)) continue;
    if (member->getOffsetInBits() / 8 > out.bytes) continue;
    SourceType::Member m;
    m.name = base ? "<" + name(member->getBaseType()) + ">" : member->getName().str();
    m.type = part(member->getBaseType());
    m.first_bit = member->getOffsetInBits();
    if (member->isBitField()) m.bits = static_cast<uint32_t>(member->getSizeInBits());
    if (m.bits <= 64) members.push_back(std::move(m));
  }
  if (members.size() <= most_members())
    out.members = std::move(members);
  else
    shortened_ = true;
}

std::string SourceTypes::name(const DIType* type) {
  if (!type) return "void";
  if (const auto* derived = dyn_cast<DIDerivedType>(type)) return derived_name(*derived);
  if (const auto* composite = dyn_cast<DICompositeType>(type)) return composite_name(*composite);
  if (const auto* routine = dyn_cast<DISubroutineType>(type)) {
    const auto types = routine->getTypeArray();
    return name(types.size() ? types[0] : nullptr) + " " + parameter_names(*routine);
  }
  return type->getName().str();
}

std::string SourceTypes::derived_name(const DIDerivedType& type) {
  const DIType* base = type.getBaseType();
  const auto qualified = [&](const char* word) {
    return is_pointer(base) && !isa<DICompositeType>(base) &&
                   cast<DIDerivedType>(base)->getTag() != dwarf::DW_TAG_typedef
               ? name(base) + word
               : std::string(word) + " " + name(base);
  };
  const auto pointer = [&](const char* star) {
    if (const auto* routine = dyn_cast_or_null<DISubroutineType>(base)) {
      const auto types = routine->getTypeArray();
      return name(types.size() ? types[0] : nullptr) + " (" + star + ")" +
             parameter_names(*routine);
    }
    return with_star(name(base), star);
  };
  switch (type.getTag()) {
    case dwarf::DW_TAG_pointer_type:
      return pointer("*");
    case dwarf::DW_TAG_reference_type:
      return pointer("&");
    case dwarf::DW_TAG_rvalue_reference_type:
      return pointer("&&");
    case dwarf::DW_TAG_const_type:
      return qualified("const");
    case dwarf::DW_TAG_volatile_type:
      return qualified("volatile");
    case dwarf::DW_TAG_restrict_type:
      return qualified("restrict");
    case dwarf::DW_TAG_atomic_type:
      return "_Atomic(" + name(base) + ")";
    default:
      return type.getName().str();
  }
}

std::string SourceTypes::composite_name(const DICompositeType& type) {
  if (type.getTag() == dwarf::DW_TAG_array_type) {
    std::string text = name(type.getBaseType()) + " ";
    for (const DINode* node : type.getElements()) {
      const auto* range = dyn_cast_or_null<DISubrange>(node);
      const auto count = range ? length(*range) : std::nullopt;
      text += "[" + (count ? std::to_string(*count) : std::string()) + "]";
    }
    return text;
  }
  const char* tag = type.getTag() == dwarf::DW_TAG_enumeration_type ? "enum"
                    : type.getTag() == dwarf::DW_TAG_union_type     ? "union"
                                                                    : "struct";
  if (type.getName().empty()) return std::string("(anonymous ") + tag + ")";
  return tagged_ ? std::string(tag) + " " + type.getName().str() : type.getName().str();
}

std::string SourceTypes::parameter_names(const DISubroutineType& type) {
  std::string text = "(";
  const auto types = type.getTypeArray();
  for (unsigned i = 1; i < types.size(); ++i) {
    if (i > 1) text += ", ";
    text += types[i] ? name(types[i]) : "...";
  }
  return text + ")";
}

}  // namespace vestige
