#include "query/variables/variable_value.h"

#include <bit>
#include <charconv>
#include <cstring>

namespace vestige {

namespace {

using Kind = VariableValue::Kind;

class ValueReader {
 public:
  ValueReader(const Function& function, const VariableBytes& bytes)
      : function_(function), bytes_(bytes) {}

  VariableValue read(const VariablePart& part, int level = 0) {
    const SourceType& type = function_.source_types[part.type];
    VariableValue value;
    ++parts_;
    switch (type.kind) {
      case SourceType::Kind::record:
        if (type.members.empty()) break;
        value.kind = Kind::record;
        for (const SourceType::Member& member : type.members) {
          if (parts_ >= kPartsShown || level >= kLevelsShown) {
            value.cut = true;
            break;
          }
          const uint64_t bits =
              member.bits ? member.bits : function_.source_types[member.type].bytes * 8;
          value.parts.push_back(
              read({part.first_bit + member.first_bit, bits, member.type}, level + 1));
          value.parts.back().name = member.name;
        }
        return value;
      case SourceType::Kind::array:
        return read_array(part, type, level);
      case SourceType::Kind::opaque:
        break;
      default:
        return read_scalar(part, type);
    }
    value.kind = Kind::opaque;
    value.text = type.name;
    value.because = "its type is not described";
    return value;
  }

 private:
  // At most 64 bits, from any bit on; false when some are not known, and `because` says why.
  bool read_bits(uint64_t first, uint64_t bits, uint64_t& value, std::string& because) const {
    value = 0;
    for (uint64_t done = 0; done < bits;) {
      uint8_t byte = 0;
      if (!bytes_.get((first + done) / 8, byte)) {
        because = bytes_.why((first + done) / 8);
        return false;
      }
      const uint64_t skip = (first + done) % 8;
      value |= uint64_t{byte} >> skip << done;
      done += 8 - skip;
    }
    if (bits < 64) value &= (uint64_t{1} << bits) - 1;
    return true;
  }

  VariableValue read_scalar(const VariablePart& part, const SourceType& type) const {
    VariableValue value;
    if (part.bits == 0 || part.bits > 64) {
      if (type.kind == SourceType::Kind::floating) return read_long_double(part);
      if (part.bits == 128 && (type.kind == SourceType::Kind::signed_integer ||
                               type.kind == SourceType::Kind::unsigned_integer))
        return read_long_integer(part, type.kind == SourceType::Kind::signed_integer);
      value.kind = Kind::opaque;
      value.text = type.name;
      value.because = "its type is not described";
      return value;
    }
    uint64_t bits = 0;
    if (!read_bits(part.first_bit, part.bits, bits, value.because)) return value;
    const auto wide = [&] {
      const unsigned gap = 64 - static_cast<unsigned>(part.bits);
      return static_cast<uint64_t>(static_cast<int64_t>(bits << gap) >> gap);
    };
    value.bits = bits;
    switch (type.kind) {
      case SourceType::Kind::signed_integer:
        value.kind = Kind::integer;
        value.bits = wide();
        break;
      case SourceType::Kind::boolean:
        value.kind = Kind::boolean;
        break;
      case SourceType::Kind::signed_character:
        value.kind = Kind::character;
        value.bits = wide();
        break;
      case SourceType::Kind::unsigned_character:
        value.kind = Kind::character;
        break;
      case SourceType::Kind::floating:
        value.kind = Kind::number;
        if (part.bits == 32)
          value.number = double{std::bit_cast<float>(static_cast<uint32_t>(bits))};
        else if (part.bits == 64)
          value.number = std::bit_cast<double>(bits);
        else {
          value.kind = Kind::unknown;
          value.because = "of a kind that is not shown";
          return value;
        }
        value.text =
            part.bits == 32 ? shortest(static_cast<float>(value.number)) : shortest(value.number);
        break;
      case SourceType::Kind::pointer:
        value.kind = Kind::address;
        break;
      case SourceType::Kind::enumeration:
        return read_enumeration(type, bits, wide());
      default:
        value.kind = Kind::natural;
    }
    return value;
  }

  static VariableValue read_enumeration(const SourceType& type, uint64_t narrow, uint64_t wide) {
    VariableValue value;
    value.kind = Kind::integer;
    value.bits = wide;
    for (const SourceType::Enumerator& one : type.enumerators) {
      const auto number = static_cast<uint64_t>(one.value);
      if (number != wide && number != narrow) continue;
      value.kind = Kind::named;
      value.bits = number;
      value.text = one.name;
      break;
    }
    return value;
  }

  VariableValue read_long_integer(const VariablePart& part, bool is_signed) const {
    VariableValue value;
    uint64_t low = 0, high = 0;
    if (!read_bits(part.first_bit, 64, low, value.because) ||
        !read_bits(part.first_bit + 64, 64, high, value.because))
      return value;
    auto rest = static_cast<unsigned __int128>(high) << 64 | low;
    const bool negative = is_signed && high >> 63;
    if (negative) rest = 0 - rest;
    std::string digits;
    for (; rest != 0 || digits.empty(); rest /= 10)
      digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    value.kind = is_signed ? Kind::integer : Kind::natural;
    value.bits = low;
    value.text = (negative ? "-" : "") + digits;
    return value;
  }

  // x87: ten bytes that count.
  VariableValue read_long_double(const VariablePart& part) const {
    VariableValue value;
    uint8_t bytes[sizeof(long double)] = {};
    for (uint64_t i = 0; i < 10; ++i)
      if (!bytes_.get(part.first_bit / 8 + i, bytes[i])) {
        value.because = bytes_.why(part.first_bit / 8 + i);
        return value;
      }
    long double number = 0;
    std::memcpy(&number, bytes, sizeof number);
    value.kind = Kind::number;
    value.number = static_cast<double>(number);
    value.text = shortest(number);
    return value;
  }

  VariableValue read_array(const VariablePart& part, const SourceType& type, int level) {
    VariableValue value;
    const SourceType& element = function_.source_types[type.element];
    const uint64_t each = element.bytes * 8;
    const uint64_t count = each == 0 ? 0 : part.bits / each;
    if (each == 8 &&
        (element.kind == SourceType::Kind::signed_character ||
         element.kind == SourceType::Kind::unsigned_character) &&
        read_string(part, count, value))
      return value;
    value.kind = Kind::array;
    for (uint64_t i = 0; i < count; ++i) {
      if (i >= kElementsShown || parts_ >= kPartsShown || level >= kLevelsShown) {
        value.cut = true;
        break;
      }
      value.parts.push_back(read({part.first_bit + i * each, each, type.element}, level + 1));
    }
    return value;
  }

  // Up to its zero, when that much is known.
  bool read_string(const VariablePart& part, uint64_t count, VariableValue& value) const {
    std::string text;
    for (uint64_t i = 0; i < count && i < kElementsShown; ++i) {
      uint8_t byte = 0;
      if (!bytes_.get(part.first_bit / 8 + i, byte)) return false;
      if (byte == 0) break;
      text += static_cast<char>(byte);
    }
    value.kind = Kind::string;
    value.cut = text.size() == kElementsShown && count > kElementsShown;
    value.text = std::move(text);
    return true;
  }

  template <class Number>
  static std::string shortest(Number number) {
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return {digits, end};
  }

  const Function& function_;
  const VariableBytes& bytes_;
  size_t parts_ = 0;
};

void put_character(std::string& text, uint8_t c, char quote) {
  constexpr char kHex[] = "0123456789abcdef";
  if (c == '\n') {
    text += "\\n";
  } else if (c == '\t') {
    text += "\\t";
  } else if (c == static_cast<uint8_t>(quote) || c == '\\') {
    text += '\\';
    text += static_cast<char>(c);
  } else if (c < 32 || c >= 127) {
    text += "\\x";
    text += kHex[c >> 4];
    text += kHex[c & 15];
  } else {
    text += static_cast<char>(c);
  }
}

std::string hexadecimal(uint64_t value) {
  char digits[17];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
  return "0x" + std::string(digits, end);
}

void put(std::string& text, const VariableValue& value) {
  switch (value.kind) {
    case Kind::unknown:
      text += '?';
      break;
    case Kind::integer:
      text += value.text.empty() ? std::to_string(static_cast<int64_t>(value.bits)) : value.text;
      break;
    case Kind::natural:
      text += value.text.empty() ? std::to_string(value.bits) : value.text;
      break;
    case Kind::boolean:
      text += value.bits == 0 ? "false" : value.bits == 1 ? "true" : std::to_string(value.bits);
      break;
    case Kind::character:
      text += std::to_string(static_cast<int64_t>(value.bits)) + " '";
      put_character(text, static_cast<uint8_t>(value.bits), '\'');
      text += '\'';
      break;
    case Kind::number:
    case Kind::named:
      text += value.text;
      break;
    case Kind::address:
      text += hexadecimal(value.bits);
      break;
    case Kind::string:
      text += '"';
      for (const char c : value.text) put_character(text, static_cast<uint8_t>(c), '"');
      text += value.cut ? "\"…" : "\"";
      break;
    case Kind::record:
    case Kind::array:
      text += '{';
      for (size_t i = 0; i < value.parts.size(); ++i) {
        if (i) text += ", ";
        if (!value.parts[i].name.empty()) text += value.parts[i].name + " = ";
        put(text, value.parts[i]);
      }
      text += value.cut ? ", …}" : "}";
      break;
    case Kind::opaque:
      text += "(" + value.text + ")";
      break;
  }
}

}  // namespace

VariableValue read_value(const Function& function, const VariablePart& part,
                         const VariableBytes& bytes) {
  return ValueReader(function, bytes).read(part);
}

std::string value_text(const VariableValue& value) {
  std::string text;
  put(text, value);
  return text;
}

}  // namespace vestige
