// Rows of an answer, declared once. A command lists its columns: name, type, a line that says what
// they hold, how a row gives them, and how people see them. The three ways rows are written are
// derived from the list: JSON, an object per line; CSV; a table for people. Whatever else reads
// rows (SQL, Python, a viewer) takes the cells themselves.
//
//     struct Row { uint32_t id; const Function& function; };
//     constexpr Column<Row> kColumns[] = {
//         {"id", ColumnType::id, "number of the function",
//          [](const Row& row) -> Cell { return row.id; }, Forms::both, right("id")},
//         …
//     };
//     RowWriter<Row> rows(kColumns, {.format = format, .color = color}, out);
//     rows.begin();
//     rows.row({id, function});
//     rows.end();
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "command_line.h"
#include "output.h"
#include "rows/cell.h"

namespace vestige::cli {

enum class ColumnType : uint8_t {
  number,   // a place in an order: time, instance, line, thread
  count,    // how many; people see thousands apart
  id,       // people see #N
  address,  // people see hexadecimal digits
  real,
  boolean,
  text,
  value,   // what a statement computed: a number, text for nan and inf, a list of parts
  list,    // in CSV separated by blanks
  object,  // JSON
};
std::string_view type_name(ColumnType type);

// Which of the two forms for programs have a column. A column in neither is for people alone.
enum class Forms : uint8_t { none = 0, json = 1, csv = 2, both = 3 };

// How people see a column. Without a heading they do not. Tables whose columns have a width are
// printed row by row, the others when all rows are known.
struct Shown {
  const char* heading = nullptr;
  Table::Align align = Table::Align::left;
  int width = 0;  // 0 in a table that has widths: the last column, as long as it is
  int gap = 0;    // blanks before it
};
constexpr Shown left(const char* heading, int width = 0, int gap = 0) {
  return {heading, Table::Align::left, width, gap};
}
constexpr Shown right(const char* heading, int width = 0, int gap = 0) {
  return {heading, Table::Align::right, width, gap};
}

template <class Row>
struct Column {
  std::string_view name;  // key in JSON, heading in CSV
  ColumnType type = ColumnType::text;
  std::string_view about;
  Cell (*cell)(const Row&) = nullptr;
  Forms forms = Forms::both;
  Shown shown = {};
  std::string (*text)(const Row&) = nullptr;  // for people, where the type does not say it
};

// A column of which people alone have a use.
template <class Row>
constexpr Column<Row> for_people(Shown shown, std::string (*text)(const Row&)) {
  return {{}, ColumnType::text, {}, nullptr, Forms::none, shown, text};
}

// What documentation and importers of rows want to know.
struct ColumnDescription {
  std::string_view name;
  ColumnType type;
  Forms forms;
  std::string_view about;
};
struct RowTable {
  std::string_view command;  // "slice --instances"
  std::vector<ColumnDescription> columns;
};
template <class Columns>
RowTable describe(std::string_view command, const Columns& columns) {
  RowTable table{command, {}};
  for (const auto& column : columns)
    if (column.forms != Forms::none)
      table.columns.push_back({column.name, column.type, column.forms, column.about});
  return table;
}

struct RowStyle {
  Format format = Format::human;
  bool color = false;
  std::vector<std::string_view> without =
      {};  // names (or headings) of columns that this answer does not have
};

RowStyle style_of(const Presentation& presentation);

// What does not depend on the type of the rows.
class RowText {
 public:
  RowText(RowStyle style, Output& out) : style_(std::move(style)), out_(out) {}

 protected:
  struct Place {
    Shown shown;
    std::string key;  // JSON: ,"name":
    // The lasting text it had last, and that as this format writes it.
    const char* last = nullptr;
    const std::string* encoded = nullptr;
  };

  bool leaves_out(std::string_view name) const;
  // Numbers, and lasting texts that come again, are most of what millions of rows hold.
  void put(const Cell& cell, Place& place) {
    if (cell.kind() == Cell::Kind::natural) return out_.number(cell.bits());
    if (cell.is_lasting() && cell.text().data() == place.last) return out_.text(*place.encoded);
    put_slowly(cell, place);
  }
  void put_slowly(const Cell& cell, Place& place);
  static std::string shown(const Cell& cell, ColumnType type);
  void put_blanks(size_t count);
  void put_shown(std::string_view text, const Shown& shown);

  RowStyle style_;
  Output& out_;
  std::unordered_map<const char*, std::string> encoded_;  // lasting texts, by address
};

template <class Row>
class RowWriter : RowText {
 public:
  RowWriter(std::span<const Column<Row>> columns, RowStyle style, Output& out)
      : RowText(std::move(style), out) {
    for (const Column<Row>& column : columns) {
      if (!is_wanted(column)) continue;
      columns_.push_back(&column);
      places_.push_back({column.shown, "," + json_string(column.name) + ":"});
      streams_ |= column.shown.width != 0;
    }
    if (style_.format != Format::human || streams_) return;
    std::vector<std::string> headings;
    std::vector<Table::Align> alignment;
    for (const Column<Row>* column : columns_) {
      headings.emplace_back(column->shown.heading);
      alignment.push_back(column->shown.align);
    }
    table_ = Table(std::move(headings), std::move(alignment));
  }

  // The headings: a row of CSV, or of a table that is printed row by row.
  void begin() {
    if (style_.format == Format::csv) {
      for (size_t i = 0; i < columns_.size(); ++i) {
        if (i) out_.put(',');
        out_.text(columns_[i]->name);
      }
    } else if (style_.format == Format::human && streams_) {
      for (const Column<Row>* column : columns_) put_shown(column->shown.heading, column->shown);
    } else {
      return;
    }
    out_.put('\n');
  }

  void row(const Row& row) {
    ++rows_;
    if (style_.format == Format::json)
      json_row(row);
    else if (style_.format == Format::csv)
      csv_row(row);
    else
      human_row(row);
    out_.row_done();
  }

  // Prints the table that waited for its widths.
  void end() {
    if (style_.format == Format::human && !streams_) table_.print(out_, style_.color);
  }

  uint64_t rows() const { return rows_; }

 private:
  bool is_wanted(const Column<Row>& column) const {
    const auto has = [&](Forms form) {
      return (static_cast<uint8_t>(column.forms) & static_cast<uint8_t>(form)) != 0;
    };
    if (leaves_out(column.name.empty() ? column.shown.heading : column.name)) return false;
    if (style_.format == Format::human) return column.shown.heading != nullptr;
    return has(style_.format == Format::json ? Forms::json : Forms::csv);
  }

  void json_row(const Row& row) {
    bool first = true;
    out_.put('{');
    for (size_t i = 0; i < columns_.size(); ++i) {
      const Cell cell = columns_[i]->cell(row);
      if (cell.is_absent()) continue;
      const std::string_view key = places_[i].key;
      out_.text(first ? key.substr(1) : key);
      first = false;
      put(cell, places_[i]);
    }
    out_.text("}\n");
  }

  void csv_row(const Row& row) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (i) out_.put(',');
      put(columns_[i]->cell(row), places_[i]);
    }
    out_.put('\n');
  }

  static std::string text_of(const Column<Row>& column, const Row& row) {
    return column.text ? column.text(row) : shown(column.cell(row), column.type);
  }

  void human_row(const Row& row) {
    if (!streams_) {
      std::vector<std::string> cells;
      for (const Column<Row>* column : columns_) cells.push_back(text_of(*column, row));
      return table_.row(std::move(cells));
    }
    for (const Column<Row>* column : columns_) put_shown(text_of(*column, row), column->shown);
    out_.put('\n');
  }

  std::vector<const Column<Row>*> columns_;
  std::vector<Place> places_;
  bool streams_ = false;  // people get rows as they come
  Table table_{{}, {}};
  uint64_t rows_ = 0;
};

// A row as one object, for answers that hold rows among other things.
template <class Row, size_t kCount>
nlohmann::ordered_json row_json(const Column<Row> (&columns)[kCount], const Row& row) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const Column<Row>& column : columns) {
    if (column.forms != Forms::json && column.forms != Forms::both) continue;
    const Cell cell = column.cell(row);
    if (!cell.is_absent()) object[std::string(column.name)] = cell.json_value();
  }
  return object;
}

}  // namespace vestige::cli
