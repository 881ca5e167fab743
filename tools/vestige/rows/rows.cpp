#include "rows/rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace vestige::cli {

std::string_view type_name(ColumnType type) {
  switch (type) {
    case ColumnType::number:
      return "number";
    case ColumnType::count:
      return "count";
    case ColumnType::id:
      return "id";
    case ColumnType::address:
      return "address";
    case ColumnType::real:
      return "real";
    case ColumnType::boolean:
      return "boolean";
    case ColumnType::text:
      return "text";
    case ColumnType::value:
      return "value";
    case ColumnType::list:
      return "list";
    case ColumnType::object:
      return "object";
  }
  return "";
}

RowStyle style_of(const Presentation& presentation) {
  return {presentation.format(), wants_color(presentation.color)};
}

bool RowText::leaves_out(std::string_view name) const {
  return std::ranges::find(style_.without, name) != style_.without.end();
}

void RowText::put_slowly(const Cell& cell, Place& place) {
  const bool json = style_.format == Format::json;
  if (!cell.is_lasting()) return json ? cell.put_json(out_) : cell.put_csv(out_);
  const std::string_view text = cell.text();
  const auto [at, is_new] = encoded_.try_emplace(text.data());
  if (is_new) at->second = json ? json_string(text) : csv_field(text);
  place.last = text.data();
  place.encoded = &at->second;
  out_.text(*place.encoded);
}

std::string RowText::shown(const Cell& cell, ColumnType type) {
  if (cell.kind() == Cell::Kind::natural) {
    if (type == ColumnType::count) return grouped(cell.bits());
    if (type == ColumnType::id) return fmt::format("#{}", cell.bits());
    if (type == ColumnType::address) return fmt::format("{:#x}", cell.bits());
  }
  return cell.shown();
}

void RowText::put_blanks(size_t count) {
  static constexpr std::string_view kBlanks = "                                ";
  for (; count > kBlanks.size(); count -= kBlanks.size()) out_.text(kBlanks);
  out_.text(kBlanks.substr(0, count));
}

void RowText::put_shown(std::string_view text, const Shown& shown) {
  put_blanks(static_cast<size_t>(shown.gap));
  if (shown.width == 0) return out_.text(text);
  const bool ascii = std::ranges::all_of(text, [](char c) { return c >= ' '; });
  const auto width = static_cast<size_t>(shown.width);
  const bool at_right = shown.align == Table::Align::right;
  if (!ascii) {
    at_right ? out_.print("{:>{}}", text, width) : out_.print("{:<{}}", text, width);
    return;
  }
  const size_t blanks = text.size() < width ? width - text.size() : 0;
  if (at_right) put_blanks(blanks);
  out_.text(text);
  if (!at_right) put_blanks(blanks);
}

}  // namespace vestige::cli
