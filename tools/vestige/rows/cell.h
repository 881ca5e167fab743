// What a row of an answer has in one column: a value that is not text yet. JSON, CSV, the table for
// people and whatever reads rows as values take it from here.
#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "command_line.h"
#include "output.h"
#include "vestige/values.h"

namespace vestige::cli {

class Cell {
 public:
  enum class Kind : uint8_t {
    absent,  // JSON leaves the key out; CSV has an empty field
    null,    // null in JSON; an empty field in CSV
    natural,
    integer,
    real,
    boolean,  // true or false
    flag,     // the same; 1 or 0 in CSV
    text,
    block,    // text: B and its number
    numbers,  // a list; separated by blanks in CSV
    blocks,   // the same, of block numbers: B0, B1 …
    names,    // the same, of words
    json,     // JSON text
    value,    // what a statement computed, by its type
    wide,     // the same, of a type that is not simple
  };

  Cell() = default;
  Cell(std::nullptr_t) : kind_(Kind::null) {}
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  Cell(T number) : kind_(Kind::natural), bits_(number) {}
  template <std::signed_integral T>
  Cell(T number) : kind_(Kind::integer), bits_(static_cast<uint64_t>(int64_t{number})) {}
  template <std::same_as<bool> T>
  Cell(T yes) : kind_(Kind::boolean), bits_(yes) {}
  Cell(std::optional<uint64_t> number)
      : kind_(number ? Kind::natural : Kind::null), bits_(number.value_or(0)) {}
  Cell(std::string owned) : kind_(Kind::text), owned_(std::move(owned)) {}
  // The text outlives the row.
  Cell(std::string_view text) : kind_(Kind::text), data_(text.data()), size_(text.size()) {}

  static Cell flag(bool yes) { return Cell(Kind::flag, yes); }
  // `digits`: behind the point in CSV; -1: the fewest that read back the same.
  static Cell real(double number, int digits = -1);
  // Null when it is empty.
  static Cell text_or_null(std::string text);
  static Cell text_or_null(std::string_view text);
  // The text outlives the writer, too, so that it is encoded once. Null when it is empty.
  static Cell lasting(std::string_view text);
  static Cell numbers(std::vector<uint64_t> list);
  static Cell numbers(std::span<const uint32_t> list);
  static Cell blocks(std::span<const uint32_t> list);
  static Cell block(uint32_t number) { return Cell(Kind::block, number); }
  static Cell names(std::vector<std::string_view> list);
  static Cell json(std::string text);
  static Cell json(const nlohmann::ordered_json& value);
  // The text outlives the row.
  static Cell json_view(std::string_view text);
  static Cell value(ValueType type, std::optional<uint64_t> bits);
  static Cell wide(const std::vector<WideItem>& items, const WideRef& value);

  Kind kind() const { return kind_; }
  bool is_absent() const { return kind_ == Kind::absent; }
  // Of natural, integer, boolean, flag and block.
  uint64_t bits() const { return bits_; }
  // Of text and json.
  std::string_view text() const {
    if (const auto* owned = std::get_if<std::string>(&owned_)) return *owned;
    return {static_cast<const char*>(data_), size_};
  }
  bool is_lasting() const { return lasting_; }

  nlohmann::ordered_json json_value() const;
  // As JSON; absent is null.
  void put_json(Output& out) const;
  // As a field of CSV.
  void put_csv(Output& out) const;
  // For people; unknown values are "?".
  std::string shown() const;

 private:
  Cell(Kind kind, uint64_t bits) : kind_(kind), bits_(bits) {}

  std::span<const uint32_t> small() const { return {static_cast<const uint32_t*>(data_), size_}; }
  // What `each` makes of every part of a list.
  template <class Each>
  void each_part(Each each) const;
  std::string value_as(Format format) const;
  // A known value that is an integer or a pointer, for programs; false: it is something else.
  bool put_whole_number(Output& out) const;

  // Small, since every number of millions of rows is one of these for a moment.
  Kind kind_ = Kind::absent;
  bool lasting_ = false;
  bool known_ = false;  // `value`: bits_ are known
  int8_t digits_ = -1;
  ValueType type_;
  uint64_t bits_ = 0;
  // What is not the cell's own: a text, a list, the items of a wide value.
  const void* data_ = nullptr;
  size_t size_ = 0;
  const WideRef* wide_ = nullptr;
  std::variant<std::monostate, std::string, std::vector<uint64_t>, std::vector<std::string_view>>
      owned_;
};

}  // namespace vestige::cli
