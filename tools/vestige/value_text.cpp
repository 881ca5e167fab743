#include "value_text.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

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
    case ValueType::Kind::single:
      return floating_text(std::bit_cast<float>(static_cast<uint32_t>(*bits)), format);
    case ValueType::Kind::twofold:
      return floating_text(std::bit_cast<double>(*bits), format);
    case ValueType::Kind::integer:
      break;
  }
  if (type.bits == 1) return *bits & 1 ? "1" : "0";
  const unsigned gap = 64u - type.bits;
  return fmt::format("{}", static_cast<int64_t>(*bits << gap) >> gap);
}

}  // namespace vestige::cli
