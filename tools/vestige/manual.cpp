#include "manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "command_line.h"
#include "rows/row_tables.h"

namespace vestige::cli {
namespace {

// Text as roff takes it: no backslashes, no hyphens that become dashes, no lines that are requests.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if ((out.empty() || out.back() == '\n') && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string value_name(const CLI::Option& option) {
  const std::string name = option.get_type_name();
  return name.substr(0, name.find(':'));
}

std::string names(const CLI::Option& option, const char* between) {
  std::string out;
  const auto add = [&](const std::string& name) { out += (out.empty() ? "" : between) + name; };
  for (const std::string& name : option.get_snames()) add("-" + name);
  for (const std::string& name : option.get_lnames()) add("--" + name);
  return out;
}

// Whether the table is one of this command: "slice --instances" of slice, "values, addresses" of
// both.
bool belongs(const RowTable& table, const std::string& command) {
  std::istringstream names{std::string(table.command)};
  for (std::string name; std::getline(names >> std::ws, name, ',');)
    if (name.substr(0, name.find(' ')) == command) return true;
  return false;
}

// What its rows have, out of the tables that rows are written by.
std::string columns_of(const std::string& command) {
  constexpr std::string_view kForms[] = {"", ", JSON only", ", CSV only", ""};
  std::string out;
  for (const RowTable& table : row_tables()) {
    if (!belongs(table, command)) continue;
    out += fmt::format(".SS {}\n", roff(std::string(table.command)));
    for (const ColumnDescription& column : table.columns)
      out += fmt::format(".TP\n.B {}\n{} ({}{})\n", roff(std::string(column.name)),
                         roff(std::string(column.about)), type_name(column.type),
                         kForms[static_cast<size_t>(column.forms)]);
  }
  return out;
}

bool is_flag(const CLI::Option& option) {
  return option.nonpositional() && !option.get_group().empty();
}

// "Usage: vestige slice [OPTIONS] TRACE", as the help has it.
std::string usage(const CLI::App& app) {
  std::istringstream help(app.help());
  for (std::string line; std::getline(help, line);)
    if (line.starts_with("Usage: ")) return line.substr(7);
  return app.get_name();
}

const char* exit_status(const std::string& command) {
  if (command == "record" || command == "run")
    return "The program's own, 128 + the signal when it was killed; 4 when it succeeded and the "
           "trace could not be written to its end. Before the program starts: 2 wrong use, or "
           "nothing that runs; 4 input or output failed.";
  return "0 done, or yes; 1 the answer is no; 2 wrong use; 3 a bad or unreadable trace; 4 input or "
         "output failed.";
}

}  // namespace

std::string manual_page(const CLI::App& app, const std::string& command) {
  std::string out = fmt::format(".TH VESTIGE\\-{} 1\n.SH NAME\nvestige\\-{} \\- {}\n",
                                upper(roff(command)), roff(command), roff(app.get_description()));
  out += fmt::format(".SH SYNOPSIS\n{}\n", roff(usage(app)));
  std::string arguments, flags;
  for (const CLI::Option* option : all_options(app)) {
    if (option->get_positional()) {
      arguments += fmt::format(".TP\n.I {}\n{}\n", roff(option->get_name(true)),
                               roff(option->get_description()));
    } else if (is_flag(*option)) {
      const std::string value = takes_value(*option) ? " " + value_name(*option) : "";
      flags += fmt::format(".TP\n.B {}{}\n{}\n", roff(names(*option, ", ")), roff(value),
                           roff(option->get_description()));
    }
  }
  if (!arguments.empty()) out += ".SH ARGUMENTS\n" + arguments;
  if (!flags.empty()) out += ".SH OPTIONS\n" + flags;
  if (const std::string columns = columns_of(command); !columns.empty())
    out += ".SH COLUMNS OF ROWS\nKeys in JSON, headings in CSV.\n" + columns;
  // The footer is "Example:" and the example.
  const std::string footer = app.get_footer();
  if (const size_t line = footer.find('\n'); line != std::string::npos) {
    const std::string example = footer.substr(footer.find_first_not_of(' ', line + 1));
    out += fmt::format(".SH EXAMPLE\n.nf\n{}\n.fi\n", roff(example));
  }
  return out +
         fmt::format(".SH EXIT STATUS\n{}\n.SH SEE ALSO\n.BR vestige (1)\n", exit_status(command));
}

std::string flag_lines(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : all_options(app))
    if (is_flag(*option))
      out += fmt::format("{}\t{}\t{}\n", names(*option, ","), takes_value(*option) ? "value" : "-",
                         option->get_description());
  return out;
}

}  // namespace vestige::cli
