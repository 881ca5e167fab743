// What the formats of printf and scanf mean for memory: the texts that are printed are read, and
// what is scanned is written, each conversion where its argument points to.
#include <optional>

#include "program/library.h"

namespace vestige {

namespace {

// The conversions of a format, one after the other.
class FormatReader {
 public:
  FormatReader(std::string_view text, bool scans) : text_(text), scans_(scans) {}

  struct Conversion {
    char letter = 0;
    bool suppressed = false, allocates = false;  // scanf: %*d, %ms
    bool width_argument = false, precision_argument = false;
    std::optional<uint32_t> width, precision;
    std::string_view length;  // "", "l", "hh", …
  };

  // Nothing at the end, and where the format is not understood.
  std::optional<Conversion> next() {
    while (at_ < text_.size()) {
      if (text_[at_++] != '%') continue;
      if (peek() == '%') {
        ++at_;
        continue;
      }
      return conversion();
    }
    return std::nullopt;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  std::optional<uint32_t> number() {
    if (peek() < '0' || peek() > '9') return std::nullopt;
    uint32_t value = 0;
    for (; peek() >= '0' && peek() <= '9' && value < 1 << 24; ++at_)
      value = value * 10 + static_cast<uint32_t>(peek() - '0');
    return value;
  }

  std::optional<Conversion> conversion() {
    Conversion found;
    if (scans_)
      found.suppressed = take('*');
    else
      while (peek() != '\0' && std::string_view("-+ #0'I").contains(peek())) ++at_;
    if (!scans_ && take('*'))
      found.width_argument = true;
    else
      found.width = number();
    if (peek() == '$') return std::nullopt;
    if (!scans_ && take('.')) {
      found.precision_argument = take('*');
      if (!found.precision_argument) found.precision = number().value_or(0);
    }
    if (scans_) found.allocates = take('m');
    const size_t begin = at_;
    while (peek() != '\0' && std::string_view("hlqjztL").contains(peek())) ++at_;
    found.length = text_.substr(begin, at_ - begin);
    found.letter = peek();
    ++at_;
    if (scans_ && found.letter == '[') {
      take('^');
      take(']');
      while (at_ < text_.size() && text_[at_] != ']') ++at_;
      ++at_;
    }
    if (found.letter == '\0') return std::nullopt;
    return found;
  }

  const std::string_view text_;
  const bool scans_;
  size_t at_ = 0;
};

using Conversion = FormatReader::Conversion;

uint32_t integer_bytes(std::string_view length) {
  if (length == "hh") return 1;
  if (length == "h") return 2;
  return length.empty() ? 4 : 8;
}

LibraryTerm number(uint32_t value) { return {LibraryTerm::Kind::number, value}; }
LibraryTerm argument(uint32_t k) { return {LibraryTerm::Kind::argument, k}; }
LibraryMeasure text(LibraryTerm of, LibraryTerm most = {}) {
  return {LibraryMeasure::Kind::text, of, most, {}, 0};
}

void add_printed(std::string_view format, const FormatUse& use, uint32_t arguments,
                 LibraryCall& call) {
  FormatReader reader(format, false);
  uint32_t k = use.format + 1;
  while (const auto found = reader.next()) {
    k += found->width_argument;
    LibraryTerm most;
    if (found->precision) most = number(*found->precision);
    if (found->precision_argument) most = argument(k++);
    if (found->letter == 'm') continue;  // glibc's: the error's name, no argument
    if (k >= arguments || call.measures.size() + 1 >= kMostMeasures) return;
    LibraryRange range;
    if (found->letter == 's' && found->length.empty()) {
      range.kind = LibraryRange::Kind::read;
      range.from = argument(k);
      range.length = call.measure(text(range.from, most));
      range.plus = 1;
      range.most = most;
      call.ranges.push_back(range);
    } else if (found->letter == 'n') {
      range.to = argument(k);
      range.length = number(integer_bytes(found->length));
      call.ranges.push_back(range);
    }
    ++k;
  }
}

// Nothing: it is not known what it writes.
std::optional<LibraryRange> scanned(const Conversion& found, LibraryTerm to, uint32_t assigned,
                                    LibraryCall& call) {
  LibraryRange range;
  range.to = to;
  if (found.allocates) {
    range.length = number(8);
    return range;
  }
  switch (found.letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
    case 'n':
      range.length = number(integer_bytes(found.length));
      return range;
    case 'p':
      range.length = number(8);
      return range;
    case 'a':
    case 'e':
    case 'f':
    case 'g':
    case 'A':
    case 'E':
    case 'F':
    case 'G':
      range.length = number(found.length.empty() ? 4 : found.length == "L" ? 10 : 8);
      return range;
    case 'c':
      range.length = number(found.width.value_or(1));
      break;
    case 's':
    case '[':
      range.plus = 1;
      break;
    default:
      return std::nullopt;
  }
  if (!found.length.empty()) return std::nullopt;
  if (range.plus == 1) {
    // What was not assigned need not be a text.
    LibraryMeasure length = text(to);
    length.least = assigned;
    range.length = call.measure(length);
  }
  return range;
}

void add_scanned(std::string_view format, const FormatUse& use, uint32_t arguments,
                 LibraryCall& call) {
  FormatReader reader(format, true);
  uint32_t k = use.format + 1, assigned = 0;
  while (const auto found = reader.next()) {
    if (found->suppressed) continue;
    if (k >= arguments || call.measures.size() + 1 >= kMostMeasures) return;
    const bool counts = found->letter != 'n';
    assigned += counts;
    auto range = scanned(*found, argument(k++), assigned, call);
    if (!range) continue;
    range->kind =
        use.outside && counts ? LibraryRange::Kind::outside : LibraryRange::Kind::computed;
    range->when = LibraryRange::When::at_least;
    range->tested = {LibraryTerm::Kind::result, 0};
    range->bound = assigned;
    call.ranges.push_back(*range);
  }
}

}  // namespace

void add_format(std::string_view format, const FormatUse& use, uint32_t arguments,
                LibraryCall& call) {
  if (use.kind == FormatUse::Kind::prints) add_printed(format, use, arguments, call);
  if (use.kind == FormatUse::Kind::scans) add_scanned(format, use, arguments, call);
}

}  // namespace vestige
