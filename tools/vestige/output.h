// Standard output (or error), buffered for millions of rows a second, and the three ways a row is
// written.
#pragma once

#include <fmt/compile.h>
#include <fmt/format.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace vestige::cli {

// Text collects in `buffer` and leaves in large writes. A reader that went away (| head) ends the
// process without a word; any other failure ends it with a sentence and exit code 4.
class Output {
 public:
  explicit Output(int descriptor = 1) : descriptor_(descriptor) {}
  ~Output() { flush(); }

  template <class... T>
  void print(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(fmt::appender(buffer_), format, std::forward<T>(values)...);
    row_done();
  }
  void text(std::string_view text) { buffer_.append(text.data(), text.data() + text.size()); }
  // How much was left out ("… 20 more rows (use --all)\n"). A script would take it for a row, or
  // drop it: unless people read standard output itself, it goes to standard error.
  void more(std::string_view text);
  void number(uint64_t value) {
    const fmt::format_int digits(value);
    buffer_.append(digits.data(), digits.data() + digits.size());
  }
  void put(char c) { buffer_.push_back(c); }
  // The object on a line of its own. Bytes that are not UTF-8 are replaced.
  void json(const nlohmann::ordered_json& object);
  // Call once per row; writes when enough has come together.
  void row_done() {
    if (buffer_.size() >= kWriteBytes) flush();
  }
  void flush();

 private:
  static constexpr size_t kWriteBytes = 256 * 1024;
  int descriptor_;
  fmt::memory_buffer buffer_;
};

// The text as a JSON string, quotes included. Bytes that are not UTF-8 are replaced.
std::string json_string(std::string_view text);
// The text as a CSV field, quoted when it must be.
std::string csv_field(std::string_view text);

// Whether to colour: `when` is auto, always or never; auto looks at the terminal and NO_COLOR.
bool wants_color(const std::string& when);

// A small table for people: columns as wide as their widest cell, numbers to the right. For
// listings of at most a few thousand rows; everything is kept until print.
class Table {
 public:
  enum class Align { left, right };
  Table(std::vector<std::string> headers, std::vector<Align> alignment);
  void row(std::vector<std::string> cells);
  size_t rows() const { return rows_.size(); }
  void print(Output& out, bool color) const;

 private:
  std::vector<std::string> headers_;
  std::vector<Align> alignment_;
  std::vector<std::vector<std::string>> rows_;
};

// "1,234,567"
std::string grouped(uint64_t value);
// "1 thread", "1,024 threads".
std::string counted(uint64_t count, std::string_view what);
// "1.5 MiB"
std::string byte_size(uint64_t bytes);

}  // namespace vestige::cli
