#include "query/variables/printed_text.h"

#include <bit>
#include <cstdio>
#include <vector>

namespace vestige {

namespace {

constexpr size_t kMostText = 1 << 16;

class TextPrinter {
 public:
  TextPrinter(std::string_view format, KnownArguments values, const TextReader& text)
      : rest_(format), values_(values), text_(text) {}

  std::optional<std::string> print() {
    while (!rest_.empty()) {
      const size_t percent = std::min(rest_.find('%'), rest_.size());
      out_ += rest_.substr(0, percent);
      rest_.remove_prefix(percent);
      if (!rest_.empty() && !conversion()) return std::nullopt;
      if (out_.size() > kMostText) return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  std::optional<uint64_t> value() {
    return next_ < values_.size() ? values_[next_++] : std::nullopt;
  }

  void take(std::string_view of, std::string& to) {
    const size_t count = std::min(rest_.find_first_not_of(of), rest_.size());
    to += rest_.substr(0, count);
    rest_.remove_prefix(count);
  }

  // A width or a precision, of which "*" is the next value.
  bool number(std::string& to) {
    if (!rest_.starts_with('*')) {
      take("0123456789", to);
      return true;
    }
    rest_.remove_prefix(1);
    const auto given = value();
    if (!given) return false;
    const auto wanted = static_cast<int32_t>(*given);
    // A negative precision is none, and a negative width turns to the left.
    if (to.ends_with('.') && wanted < 0)
      to.pop_back();
    else
      to += std::to_string(wanted);
    return wanted < static_cast<int>(kMostText) && wanted > -static_cast<int>(kMostText);
  }

  bool conversion() {
    std::string made = "%";
    rest_.remove_prefix(1);
    take("-+ #0", made);
    if (!number(made)) return false;
    if (rest_.starts_with('.')) {
      made += '.';
      rest_.remove_prefix(1);
      if (!number(made)) return false;
    }
    if (made.size() > 24) return false;
    std::string size;
    take("hlqjzt", size);
    if (rest_.empty()) return false;
    const char kind = rest_.front();
    rest_.remove_prefix(1);
    if (kind == '%') {
      out_ += '%';
      return made == "%" && size.empty();
    }
    const auto given = value();
    if (!given) return false;
    switch (kind) {
      case 'd':
      case 'i':
        return put(made + "lld", static_cast<long long>(sized(*given, size, true)));
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        return put(made + "ll" + kind, static_cast<unsigned long long>(sized(*given, size, false)));
      case 'c':
        return size.empty() && put(made + 'c', static_cast<int>(*given));
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        return (size.empty() || size == "l") && put(made + kind, std::bit_cast<double>(*given));
      case 's': {
        if (!size.empty() || *given == 0) return false;
        const auto found = text_(*given);
        return found && put(made + 's', found->c_str());
      }
      default:
        return false;
    }
  }

  static uint64_t sized(uint64_t value, std::string_view size, bool is_signed) {
    const unsigned bits = size.empty() ? 32 : size == "h" ? 16 : size == "hh" ? 8 : 64;
    const unsigned gap = 64 - bits;
    return is_signed ? static_cast<uint64_t>(static_cast<int64_t>(value << gap) >> gap)
                     : value << gap >> gap;
  }

  template <class Value>
  bool put(const std::string& format, Value value) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
    const int length = std::snprintf(nullptr, 0, format.c_str(), value);
    if (length < 0 || static_cast<size_t>(length) > kMostText) return false;
    std::string text(static_cast<size_t>(length) + 1, '\0');
    std::snprintf(text.data(), text.size(), format.c_str(), value);
#pragma clang diagnostic pop
    text.pop_back();
    out_ += text;
    return true;
  }

  std::string_view rest_;
  KnownArguments values_;
  const TextReader& text_;
  size_t next_ = 0;
  std::string out_;
};

}  // namespace

std::optional<size_t> format_of_text(std::string_view function) {
  if (function == "sprintf") return 1;
  if (function == "snprintf") return 2;
  if (function == "__sprintf_chk") return 3;
  if (function == "__snprintf_chk") return 4;
  return std::nullopt;
}

std::optional<std::string> printed_text(std::string_view format, KnownArguments values,
                                        const TextReader& text) {
  return TextPrinter(format, values, text).print();
}

}  // namespace vestige
