#include "rows/cell.h"

#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>
#include <utility>

#include "value_text.h"
#include "vestige/query.h"

namespace vestige::cli {

Cell Cell::real(double number, int digits) {
  Cell cell(Kind::real, std::bit_cast<uint64_t>(number));
  cell.digits_ = static_cast<int8_t>(digits);
  return cell;
}

Cell Cell::text_or_null(std::string text) {
  return text.empty() ? Cell(nullptr) : Cell(std::move(text));
}

Cell Cell::text_or_null(std::string_view text) { return text.empty() ? Cell(nullptr) : Cell(text); }

Cell Cell::lasting(std::string_view text) {
  Cell cell = text_or_null(text);
  cell.lasting_ = !text.empty();
  return cell;
}

Cell Cell::numbers(std::vector<uint64_t> list) {
  Cell cell(Kind::numbers, 0);
  cell.owned_ = std::move(list);
  return cell;
}

Cell Cell::numbers(std::span<const uint32_t> list) {
  Cell cell(Kind::numbers, 0);
  cell.data_ = list.data();
  cell.size_ = list.size();
  return cell;
}

Cell Cell::blocks(std::span<const uint32_t> list) {
  Cell cell(Kind::blocks, 0);
  cell.data_ = list.data();
  cell.size_ = list.size();
  return cell;
}

Cell Cell::names(std::vector<std::string_view> list) {
  Cell cell(Kind::names, 0);
  cell.owned_ = std::move(list);
  return cell;
}

Cell Cell::json(std::string text) {
  Cell cell(std::move(text));
  cell.kind_ = Kind::json;
  return cell;
}

Cell Cell::json(const nlohmann::ordered_json& value) {
  return json(value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

Cell Cell::json_view(std::string_view text) {
  Cell cell(text);
  cell.kind_ = Kind::json;
  return cell;
}

Cell Cell::value(ValueType type, std::optional<uint64_t> bits) {
  Cell cell(Kind::value, bits.value_or(0));
  cell.type_ = type;
  cell.known_ = bits.has_value();
  return cell;
}

Cell Cell::wide(const std::vector<WideItem>& items, const WideRef& value) {
  Cell cell(Kind::wide, 0);
  cell.data_ = &items;
  cell.wide_ = &value;
  return cell;
}

template <class Each>
void Cell::each_part(Each each) const {
  if (const auto* numbers = std::get_if<std::vector<uint64_t>>(&owned_)) {
    for (const uint64_t number : *numbers) each(Cell(number));
  } else if (const auto* names = std::get_if<std::vector<std::string_view>>(&owned_)) {
    for (const std::string_view name : *names) each(Cell(name));
  } else {
    const bool is_block = kind_ == Kind::blocks;
    for (const uint32_t number : small()) each(is_block ? block(number) : Cell(number));
  }
}

std::string Cell::value_as(Format format) const {
  if (kind_ == Kind::wide)
    return wide_text(*static_cast<const std::vector<WideItem>*>(data_), *wide_, format);
  return value_text(type_, known_ ? std::optional(bits_) : std::nullopt, format);
}

bool Cell::put_whole_number(Output& out) const {
  if (kind_ != Kind::value || !known_ || type_.bits == 0) return false;
  if (type_.kind == ValueType::Kind::pointer) {
    out.number(bits_);
    return true;
  }
  if (type_.kind != ValueType::Kind::integer || type_.bits == 1) return false;
  const unsigned gap = 64u - type_.bits;
  const auto number = static_cast<int64_t>(bits_ << gap) >> gap;
  if (number < 0) out.put('-');
  out.number(number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number));
  return true;
}

nlohmann::ordered_json Cell::json_value() const {
  using Json = nlohmann::ordered_json;
  const auto parsed = [](std::string_view text) { return Json::parse(text, nullptr, false); };
  switch (kind_) {
    case Kind::absent:
    case Kind::null:
      return nullptr;
    case Kind::natural:
      return bits_;
    case Kind::integer:
      return static_cast<int64_t>(bits_);
    case Kind::real:
      return std::bit_cast<double>(bits_);
    case Kind::boolean:
    case Kind::flag:
      return bits_ != 0;
    case Kind::block:
      return block_name(static_cast<uint32_t>(bits_));
    case Kind::text:
      return text();
    case Kind::json:
      return parsed(text());
    case Kind::value:
    case Kind::wide:
      return parsed(value_as(Format::json));
    case Kind::numbers:
    case Kind::blocks:
    case Kind::names:
      break;
  }
  Json list = Json::array();
  each_part([&](const Cell& part) { list.push_back(part.json_value()); });
  return list;
}

void Cell::put_json(Output& out) const {
  switch (kind_) {
    case Kind::absent:
    case Kind::null:
      return out.text("null");
    case Kind::natural:
      return out.number(bits_);
    case Kind::integer:
      return out.text(fmt::format_int(static_cast<int64_t>(bits_)).c_str());
    case Kind::real:
      return out.text(nlohmann::json(std::bit_cast<double>(bits_)).dump());
    case Kind::boolean:
    case Kind::flag:
      return out.text(bits_ ? "true" : "false");
    case Kind::block:
      out.text("\"B");
      out.number(bits_);
      return out.put('"');
    case Kind::text:
      return out.text(json_string(text()));
    case Kind::json:
      return out.text(text());
    case Kind::numbers:
    case Kind::blocks:
    case Kind::names:
      break;
    case Kind::value:
    case Kind::wide:
      if (put_whole_number(out)) return;
      return out.text(value_as(Format::json));
  }
  bool first = true;
  out.put('[');
  each_part([&](const Cell& part) {
    if (!std::exchange(first, false)) out.put(',');
    part.put_json(out);
  });
  out.put(']');
}

void Cell::put_csv(Output& out) const {
  switch (kind_) {
    case Kind::absent:
    case Kind::null:
      return;
    case Kind::natural:
      return out.number(bits_);
    case Kind::integer:
      return out.text(fmt::format_int(static_cast<int64_t>(bits_)).c_str());
    case Kind::real: {
      const auto number = std::bit_cast<double>(bits_);
      return out.text(digits_ < 0 ? fmt::format("{}", number)
                                  : fmt::format("{:.{}f}", number, digits_));
    }
    case Kind::boolean:
      return out.text(bits_ ? "true" : "false");
    case Kind::flag:
      return out.put(bits_ ? '1' : '0');
    case Kind::block:
      out.put('B');
      return out.number(bits_);
    case Kind::text:
      return out.text(csv_field(text()));
    case Kind::json:
      return out.text(csv_field(text()));
    case Kind::numbers:
    case Kind::blocks:
    case Kind::names:
      break;
    case Kind::value:
    case Kind::wide:
      if (put_whole_number(out)) return;
      return out.text(value_as(Format::csv));
  }
  bool first = true;
  each_part([&](const Cell& part) {
    if (!std::exchange(first, false)) out.put(' ');
    part.put_csv(out);
  });
}

std::string Cell::shown() const {
  switch (kind_) {
    case Kind::absent:
    case Kind::null:
      return "";
    case Kind::natural:
      return fmt::to_string(bits_);
    case Kind::integer:
      return fmt::to_string(static_cast<int64_t>(bits_));
    case Kind::real:
      return fmt::format("{}", std::bit_cast<double>(bits_));
    case Kind::boolean:
    case Kind::flag:
      return bits_ ? "true" : "false";
    case Kind::block:
      return block_name(static_cast<uint32_t>(bits_));
    case Kind::text:
    case Kind::json:
      return std::string(text());
    case Kind::value:
    case Kind::wide:
      return value_as(Format::human);
    case Kind::numbers:
    case Kind::blocks:
    case Kind::names:
      break;
  }
  std::string text;
  each_part([&](const Cell& part) { text += (text.empty() ? "" : " ") + part.shown(); });
  return text;
}

}  // namespace vestige::cli
