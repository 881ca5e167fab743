// What `vestige values` and `vestige addresses` share: the statements asked for, and their rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command_line.h"
#include "vestige/values.h"

namespace vestige::cli {

struct HistoryQuery {
  bool addresses = false;  // rows have addresses; otherwise values

  std::string file, what, thread;
  uint64_t from = 1, count = 0, top = 0;
  bool all = false;
  Presentation presentation;
  CLI::Option *from_option = nullptr, *count_option = nullptr, *top_option = nullptr;

  void add_to(CommandLine& line);
  // The statements and the thread, after the trace was opened. Nothing: `exit_code` says how it
  // ended.
  struct Chosen {
    std::vector<StatementRef> statements;
    std::optional<uint32_t> thread;
    bool one = false;  // a single statement was named
  };
  std::optional<Chosen> choose(const Trace& trace, int& exit_code) const;
  // The rows, or with --top the most frequent ones. Gives the exit code.
  int run(const Trace& trace, const Chosen& chosen) const;

 private:
  int run_rows(const Trace& trace, const Chosen& chosen) const;
  int run_top(const Trace& trace, const Chosen& chosen) const;
};

// "#12  main:B3.0  %4 = load i32, %2  (collatz.c:9:14)"
std::string statement_headline(const Trace& trace, StatementRef statement);

}  // namespace vestige::cli
