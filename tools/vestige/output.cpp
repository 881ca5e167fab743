#include "output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "command_line.h"
#include "report.h"

namespace vestige::cli {

void Output::flush() {
  const char* data = buffer_.data();
  size_t left = buffer_.size();
  while (left > 0) {
    const ssize_t written = write(descriptor_, data, left);
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) _exit(kDone);
      report_error(fmt::format("cannot write to standard {}: {}",
                               descriptor_ == STDOUT_FILENO ? "output" : "error",
                               std::strerror(errno)));
      _exit(kIo);
    }
    data += written;
    left -= written;
  }
  buffer_.clear();
}

void Output::more(std::string_view text) {
  if (descriptor_ != STDOUT_FILENO || isatty(STDOUT_FILENO)) return this->text(text);
  flush();
  Output(STDERR_FILENO).text(text);
}

namespace {

std::string dump(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

void Output::json(const nlohmann::ordered_json& object) { print("{}\n", dump(object)); }

std::string json_string(std::string_view text) {
  const auto plain = [](unsigned char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; };
  if (!std::ranges::all_of(text, plain)) return dump(text);
  std::string quoted;
  quoted.reserve(text.size() + 2);
  return quoted.append(1, '"').append(text).append(1, '"');
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

bool wants_color(const std::string& when) {
  if (when == "always") return true;
  if (when == "never") return false;
  const char* no_color = std::getenv("NO_COLOR");
  return !(no_color && *no_color) && isatty(STDOUT_FILENO);
}

Table::Table(std::vector<std::string> headers, std::vector<Align> alignment)
    : headers_(std::move(headers)), alignment_(std::move(alignment)) {}

void Table::row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

void Table::print(Output& out, bool color) const {
  // A few very long names must not push every other row apart.
  constexpr size_t kMaxWidth = 60;
  std::vector<size_t> widths;
  for (const std::string& header : headers_) widths.push_back(header.size());
  for (const auto& cells : rows_) {
    for (size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], std::min(cells[i].size(), kMaxWidth));
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i) text += "  ";
      if (alignment_[i] == Align::right)
        text += fmt::format("{:>{}}", cells[i], widths[i]);
      else
        text += fmt::format("{:<{}}", cells[i], widths[i]);
    }
    while (text.ends_with(' ')) text.pop_back();
    return text;
  };
  if (color)
    out.print("\033[1m{}\033[0m\n", line(headers_));
  else
    out.print("{}\n", line(headers_));
  for (const auto& cells : rows_) out.print("{}\n", line(cells));
}

std::string counted(uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", grouped(count), what, count == 1 ? "" : "s");
}

std::string grouped(uint64_t value) {
  std::string digits = std::to_string(value);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string byte_size(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  const char* units[] = {"KiB", "MiB", "GiB", "TiB"};
  double size = bytes / 1024.0;
  size_t unit = 0;
  while (size >= 1024 && unit < 3) size /= 1024, ++unit;
  return fmt::format("{:.1f} {}", size, units[unit]);
}

}  // namespace vestige::cli
