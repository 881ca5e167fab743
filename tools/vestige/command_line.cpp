#include "command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "manual.h"
#include "report.h"

namespace vestige::cli {
namespace {

size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

class Formatter : public CLI::Formatter {
 public:
  explicit Formatter(std::string usage) : usage_(std::move(usage)) { column_width(34); }
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: " + usage_ + "\n";
  }

 private:
  std::string usage_;
};

// CLI11 reads -1 as the highest number.
void refuse_negative_numbers(CLI::App& app) {
  const auto check = [](const std::string& text) {
    return text.starts_with('-') ? fmt::format("takes a number, not {}", text) : std::string();
  };
  for (CLI::Option* option : app.get_options([](CLI::Option*) { return true; })) {
    const std::string type = option->get_type_name();
    if (type == "N" || type == "I" || type == "UINT") option->check(CLI::Validator(check, ""));
  }
}

}  // namespace

std::vector<const CLI::Option*> all_options(const CLI::App& app) {
  std::vector<const CLI::Option*> options = app.get_options();
  const auto is_group = [](const CLI::App* part) { return part->get_name().empty(); };
  for (const CLI::App* group : app.get_subcommands(is_group))
    for (const CLI::Option* option : group->get_options())
      if (option != group->get_help_ptr()) options.push_back(option);
  return options;
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  size_t best_distance = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    size_t distance = edit_distance(word, candidate);
    if (word.size() > 3 && candidate.starts_with(word)) distance = 1;
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::optional<uint64_t> parse_number(std::string_view text, int base) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number, base);
  return failure == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

std::optional<uint64_t> parse_size(const std::string& text, uint64_t unit) {
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || !(number >= 0)) return std::nullopt;  // nan neither
  const std::string_view suffix(end, text.data() + text.size() - end);
  double scale = 1;
  if (suffix == "K" || suffix == "k")
    scale = unit;
  else if (suffix == "M" || suffix == "m")
    scale = double(unit) * unit;
  else if (suffix == "G" || suffix == "g")
    scale = double(unit) * unit * unit;
  else if (!suffix.empty())
    return std::nullopt;
  if (number * scale >= 0x1p63) return std::nullopt;
  return static_cast<uint64_t>(std::llround(number * scale));
}

CommandLine::CommandLine(const std::string& command, const std::string& summary,
                         const std::string& example)
    : command_(command), app_(summary, "vestige " + command) {
  app_.footer("Example:\n  " + example);
  app_.allow_extras();
  app_.set_help_flag("-h,--help", "Show this and exit");
  app_.get_formatter()->column_width(34);
}

void CommandLine::usage(const std::string& line) {
  app_.formatter(std::make_shared<Formatter>(line));
}

void CommandLine::add_trace(std::string& trace) {
  app_.add_option("TRACE", trace, "The trace file")->required()->type_name("");
}

void CommandLine::add_presentation(Presentation& presentation, bool rows) {
  auto* json = app_.add_flag("--json", presentation.json, "As JSON: one object, or one a row");
  if (rows)
    app_.add_flag("--csv", presentation.csv, "Comma-separated values, with a header")
        ->excludes(json);
  app_.add_flag("-q,--quiet", presentation.quiet, "No notes on standard error");
  app_.add_option("--color", presentation.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
}

void CommandLine::add_unavailable(const std::string& flag) { unavailable_.push_back(flag); }
void CommandLine::add_behind(std::vector<std::string>& behind) { behind_ = &behind; }
void CommandLine::add_unknown(std::vector<std::string>& unknown) { unknown_ = &unknown; }

int CommandLine::refuse(const std::string& word) const {
  if (!word.starts_with('-') || word == "-") {
    report_error(fmt::format("unexpected argument '{}'; see vestige {} --help", word, command_));
    return kWrongUse;
  }
  const std::string flag = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : all_options(app_)) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    for (const std::string& name : option->get_snames()) known.push_back("-" + name);
  }
  const std::string meant = flag.size() > 2 ? nearest(flag, known) : "";
  report_error(meant.empty() ? fmt::format("unknown flag {}; see vestige {} --help", flag, command_)
                             : fmt::format("unknown flag {}; did you mean {}?", flag, meant));
  return kWrongUse;
}

std::optional<int> CommandLine::parse(Arguments arguments) {
  if (arguments == Arguments{"--help=man"} || arguments == Arguments{"--help=flags"}) {
    const bool page = arguments[0] == "--help=man";
    fmt::print("{}", page ? manual_page(app_, command_) : flag_lines(app_));
    return kDone;
  }
  const auto separator = std::ranges::find(arguments, "--");
  if (separator != arguments.end()) {
    if (!behind_) {
      report_error(fmt::format("{} takes nothing behind --", command_));
      return kWrongUse;
    }
    behind_->assign(separator + 1, arguments.end());
    arguments.erase(separator, arguments.end());
  }
  for (const std::string& word : arguments) {
    const std::string flag = word.substr(0, word.find('='));
    if (std::ranges::find(unavailable_, flag) != unavailable_.end()) {
      report_error(fmt::format("{} is not available in this version", flag));
      return kWrongUse;
    }
  }
  refuse_negative_numbers(app_);
  std::ranges::reverse(arguments);  // CLI11 takes them from the back
  std::string problem;
  try {
    app_.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app_.help());
    return kDone;
  } catch (const CLI::ParseError& error) {
    problem = error.what();
    constexpr std::string_view vague = "Could not convert: ";
    if (problem.starts_with(vague)) problem = "cannot understand " + problem.substr(vague.size());
  }
  // An unknown flag explains more than what its absence made of the other words.
  const std::vector<std::string> extras = app_.remaining();
  if (unknown_) {
    *unknown_ = extras;
  } else {
    for (const std::string& word : extras) {
      if (word.starts_with('-') && word != "-") return refuse(word);
    }
    if (problem.empty() && !extras.empty()) return refuse(extras.front());
  }
  if (!problem.empty()) {
    report_error(fmt::format("{}; see vestige {} --help", problem, command_));
    return kWrongUse;
  }
  return std::nullopt;
}

}  // namespace vestige::cli
