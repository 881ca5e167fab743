#include "value_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "output.h"

namespace vestige::cli {
namespace {

std::string unknown_text(Format format) {
  return format == Format::json ? "null" : format == Format::csv ? "" : "?";
}

template <class Number>
std::string floating_text(Number number, Format format) {
  if (std::isfinite(number)) return fmt::format("{}", number);
  const char* word = std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
  return format == Format::json ? fmt::format("\"{}\"", word) : word;
}

using Parts = std::span<const std::optional<uint64_t>>;

// In decimal, signed.
std::string integer_text(Parts parts, uint32_t bits) {
  std::vector<uint32_t> words;  // the least first
  for (const auto& part : parts) {
    words.push_back(static_cast<uint32_t>(*part));
    words.push_back(static_cast<uint32_t>(*part >> 32));
  }
  const uint32_t sign = bits - 1;
  const bool negative = words[sign / 32] >> sign % 32 & 1;
  if (negative) {
    uint64_t carry = 1;
    for (uint32_t i = 0; i < words.size(); ++i) {
      const uint32_t mask = i < bits / 32   ? ~uint32_t{0}
                            : i > bits / 32 ? 0
                                            : (uint32_t{1} << bits % 32) - 1;
      carry += ~words[i] & mask;
      words[i] = static_cast<uint32_t>(carry) & mask;
      carry >>= 32;
    }
  }
  std::string digits;
  bool any = true;
  while (any) {
    any = false;
    uint64_t rest = 0;
    for (size_t i = words.size(); i-- > 0;) {
      rest = rest << 32 | words[i];
      words[i] = static_cast<uint32_t>(rest / 10);
      rest %= 10;
      any |= words[i] != 0;
    }
    digits += static_cast<char>('0' + rest);
  }
  if (negative) digits += '-';
  std::ranges::reverse(digits);
  return digits;
}

float half_value(uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const auto fraction = static_cast<float>(bits & 1023);
  const float sign = bits >> 15 & 1 ? -1.0f : 1.0f;
  if (exponent == 31) return (bits & 1023) != 0 ? std::nanf("") : sign * HUGE_VALF;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

std::string number_text(const WideItem& item, Parts parts, Format format) {
  using Kind = WideItem::Kind;
  if (parts.size() < item.parts) return unknown_text(format);
  if (item.kind == Kind::simple) return value_text(item.type, parts[0], format);
  for (const auto& part : parts)
    if (!part) return unknown_text(format);
  switch (item.kind) {
    case Kind::integer:
      return integer_text(parts, item.bits);
    case Kind::half:
      return floating_text(half_value(*parts[0]), format);
    case Kind::bfloat:
      return floating_text(std::bit_cast<float>(static_cast<uint32_t>(*parts[0] << 16)), format);
    case Kind::x86_fp80: {
      static_assert(std::numeric_limits<long double>::digits == 64);
      long double number = 0;
      std::memcpy(&number, &*parts[0], 8);
      std::memcpy(reinterpret_cast<char*>(&number) + 8, &*parts[1], 2);
      if (!std::isfinite(number)) return floating_text(static_cast<double>(number), format);
      char digits[64];
      const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
      return {digits, end};
    }
    default: {  // fp128: its bits
      const std::string text = fmt::format("0x{:016x}{:016x}", *parts[1], *parts[0]);
      return format == Format::json ? '"' + text + '"' : text;
    }
  }
}

}  // namespace

std::string address_text(std::optional<uint64_t> address, Format format) {
  if (!address) return unknown_text(format);
  return format == Format::human ? fmt::format("{:#x}", *address) : fmt::format("{}", *address);
}

std::string value_text(ValueType type, std::optional<uint64_t> bits, Format format) {
  if (!bits || type.bits == 0) return unknown_text(format);
  switch (type.kind) {
    case ValueType::Kind::pointer:
      return address_text(bits, format);
    case ValueType::Kind::float32:
      return floating_text(std::bit_cast<float>(static_cast<uint32_t>(*bits)), format);
    case ValueType::Kind::float64:
      return floating_text(std::bit_cast<double>(*bits), format);
    case ValueType::Kind::integer:
      break;
  }
  if (type.bits == 1) return *bits & 1 ? "1" : "0";
  const unsigned gap = 64u - type.bits;
  return fmt::format("{}", static_cast<int64_t>(*bits << gap) >> gap);
}

std::string wide_text(const std::vector<WideItem>& items, const WideRef& value, Format format) {
  if (!value || items.empty()) return unknown_text(format);
  // In CSV as people read it.
  const Format as = format == Format::json ? format : Format::human;
  std::string text, closing;
  size_t at = 0;
  bool first = true;
  for (const WideItem& item : items) {
    if (item.kind == WideItem::Kind::end) {
      if (closing.empty()) continue;
      text += closing.back();
      closing.pop_back();
      first = false;
      continue;
    }
    if (!first) text += as == Format::json ? "," : ", ";
    first = item.parts == 0;
    if (item.parts == 0) {
      const bool vector = item.kind == WideItem::Kind::vector;
      const bool array = as == Format::json || item.kind == WideItem::Kind::array;
      text += array ? '[' : vector ? '<' : '{';
      closing += array ? ']' : vector ? '>' : '}';
      continue;
    }
    const auto parts = std::span(value->parts).subspan(std::min(at, value->parts.size()));
    text += number_text(item, parts.first(std::min<size_t>(item.parts, parts.size())), as);
    at += item.parts;
  }
  return format == Format::csv ? csv_field(text) : text;
}

}  // namespace vestige::cli
