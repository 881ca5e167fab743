#include "archive/trace_format.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace vestige {
namespace {

std::unexpected<Error> wrong(std::string_view format, const std::string& why) {
  return fail(ErrorKind::usage, "cannot understand the format '" + std::string(format) +
                                    "': " + why +
                                    "; it is vpc, cf, refs, u64 or record:SPEC, as in "
                                    "record:pc:4,value:8");
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return value;
}

// Bytes of a TYPE.
std::optional<uint8_t> type_width(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const bool bits_only = text.front() == 'u' || text.front() == 'i' || text.front() == 's';
  const auto n = number(bits_only ? text.substr(1) : text);
  if (!n || *n == 0 || *n > 64) return std::nullopt;
  if (!bits_only && *n <= 8) return static_cast<uint8_t>(*n);
  if (*n % 8 != 0) return std::nullopt;
  return static_cast<uint8_t>(*n / 8);
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

bool names_pc(std::string_view name) { return lower(name) == "pc"; }

// A field, when the item is one.
std::optional<RecordField> parse_field(std::string_view item) {
  RecordField field;
  const auto take = [&](std::string_view name, std::string_view type) {
    const auto width = type_width(lower(type));
    if (!width || !is_name(name)) return false;
    field.name = name;
    field.width = *width;
    field.is_pc = names_pc(name);
    return true;
  };
  if (const auto width = type_width(lower(item))) {
    field.width = *width;
    return field;
  }
  if (const size_t at = item.find_first_of(":=@"); at != item.npos) {
    const std::string_view left = item.substr(0, at), right = item.substr(at + 1);
    if (take(left, right) || take(right, left)) return field;
    return std::nullopt;
  }
  // pc4, 4pc
  constexpr std::string_view kDigits = "0123456789";
  const size_t name_end = item.find_last_not_of(kDigits) + 1,
               type_end = item.find_first_not_of(kDigits);
  if (take(item.substr(0, name_end), item.substr(name_end)) ||
      (type_end != item.npos && take(item.substr(type_end), item.substr(0, type_end))))
    return field;
  return std::nullopt;
}

bool means_preamble(std::string_view word) {
  const std::string text = lower(word);
  return text == "skip" || text == "header" || text == "preamble";
}

// Bytes in front of the records, when the item says that.
std::optional<unsigned> parse_preamble(std::string_view item) {
  const size_t at = item.find_first_of(":=");
  if (at == item.npos || !means_preamble(item.substr(0, at))) return std::nullopt;
  return number(item.substr(at + 1));
}

// What parse_record makes the same format of.
std::string canonical(const TraceFormat& format) {
  std::string text;
  const auto add = [&](const std::string& item) {
    text += (text.empty() ? "record:" : ",") + item;
  };
  if (format.preamble > 0) add("skip:" + std::to_string(format.preamble));
  bool has_pc = false;
  for (const RecordField& field : format.layout.fields) {
    has_pc |= field.is_pc;
    const std::string width = std::to_string(field.width);
    add(means_preamble(field.name) ? width + "@" + field.name : field.name + ":" + width);
  }
  const auto& fields = format.layout.fields;
  if (!has_pc && (fields.size() > 1 || names_pc(fields.front().name))) add("nopc");
  return text;
}

Result<TraceFormat> parse_record(std::string_view whole, std::string_view spec) {
  TraceFormat format;
  bool no_pc = false;
  while (!spec.empty()) {
    const size_t comma = std::min(spec.find(','), spec.size());
    std::string_view item = spec.substr(0, comma);
    spec.remove_prefix(std::min(comma + 1, spec.size()));
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (lower(item) == "nopc") {
      no_pc = true;
    } else if (const auto preamble = parse_preamble(item)) {
      if (*preamble > kMaxPreamble)
        return wrong(whole, "at most " + std::to_string(kMaxPreamble) + " bytes can be skipped");
      format.preamble = *preamble;
    } else if (auto field = parse_field(item)) {
      format.layout.fields.push_back(std::move(*field));
    } else {
      return wrong(whole, "'" + std::string(item) + "' is no field of 1 to 8 bytes");
    }
  }
  auto& fields = format.layout.fields;
  if (fields.empty()) return wrong(whole, "it has no field");
  if (fields.size() > kMaxFields)
    return wrong(whole, "it has more than " + std::to_string(kMaxFields) + " fields");
  if (std::ranges::count_if(fields, &RecordField::is_pc) > 1)
    return wrong(whole, "it has more than one pc");
  if (no_pc) {
    for (RecordField& field : fields) field.is_pc = false;
  } else if (!format.layout.pc_field() && fields.size() > 1) {
    fields.front().is_pc = true;
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name.empty())
      fields[i].name = fields[i].is_pc ? "pc" : "field" + std::to_string(i + 1);
  }
  format.name = canonical(format);
  return format;
}

}  // namespace

Result<TraceFormat> parse_trace_format(std::string_view text) {
  constexpr std::string_view kRecord = "record:";
  if (text == "vpc") return TraceFormat{"vpc", 4, {{{"pc", 4, true}, {"data", 8, false}}}};
  if (text == "cf") return TraceFormat{"cf", 0, {{{"event", 4, false}}}};
  if (text == "refs")
    return TraceFormat{"refs", 0, {{{"pc", 8, true}, {"address", 8, false}, {"flags", 1, false}}}};
  if (text == "u64") return TraceFormat{"u64", 0, {{{"value", 8, false}}}};
  if (text.starts_with(kRecord)) return parse_record(text, text.substr(kRecord.size()));
  if (!text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
      type_width(lower(text)))
    return parse_record(text, text);
  return wrong(text, "there is none of that name");
}

}  // namespace vestige
