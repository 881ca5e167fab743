// One command's flags and arguments, and the habits all commands share: --help with an example,
// unknown flags refused with the nearest match, extra arguments refused, everything behind `--`
// apart.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vestige::cli {

// What the process exits with (docs/queries.md).
enum ExitCode : int { kDone = 0, kNo = 1, kWrongUse = 2, kBadTrace = 3, kIo = 4 };

using Arguments = std::vector<std::string>;

enum class Format { human, json, csv };

// How a query's answer is written.
struct Presentation {
  bool json = false;
  bool csv = false;
  bool quiet = false;
  std::string color = "auto";

  Format format() const { return json ? Format::json : csv ? Format::csv : Format::human; }
};

class CommandLine {
 public:
  CommandLine(const std::string& command, const std::string& summary, const std::string& example);

  CLI::App& app() { return app_; }
  // The usage line, where the one made from the flags would mislead.
  void usage(const std::string& line);
  void add_trace(std::string& trace);
  void add_presentation(Presentation& presentation, bool rows);
  // A flag that a later version will have: refused with a sentence of its own.
  void add_unavailable(const std::string& flag);
  // Takes words behind `--` (into `behind`); without this they are refused.
  void add_behind(std::vector<std::string>& behind);
  // Leaves words it does not know in `unknown`, in order, instead of refusing them.
  void add_unknown(std::vector<std::string>& unknown);

  // The exit code when the command is over already (help was shown, the words make no sense).
  std::optional<int> parse(Arguments arguments);
  // Reports a word that does not belong here, with the nearest flag. Gives the exit code.
  int refuse(const std::string& word) const;

 private:
  std::string command_;
  CLI::App app_;
  std::vector<std::string> unavailable_;
  std::vector<std::string>* behind_ = nullptr;
  std::vector<std::string>* unknown_ = nullptr;
};

// All flags and arguments of a command, those of its groups too.
std::vector<const CLI::Option*> all_options(const CLI::App& app);

// The candidate that `word` most likely meant; empty when none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

// All of the text as a number; nullopt: it is none, or too large.
std::optional<uint64_t> parse_number(std::string_view text, int base = 10);
// "64K", "1.5G"; `unit` is 1000 or 1024. nullopt: not a size.
std::optional<uint64_t> parse_size(const std::string& text, uint64_t unit);

}  // namespace vestige::cli
