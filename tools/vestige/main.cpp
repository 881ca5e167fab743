// The command line: finds the command and hands it the rest of the words. Called as vestige-cc or
// vestige-c++ it is that compiler driver.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <string_view>

#include "commands.h"
#include "report.h"
#include "rows/row_tables.h"
#include "vestige/version.h"

namespace vestige::cli {
namespace {

struct Command {
  const char* name;
  int (*run)(Arguments);
  const char* summary;
};

constexpr std::array kCommands = std::to_array<Command>({
    {"cc", command_cc, "compile C so that it can be recorded (also vestige-cc)"},
    {"c++", command_cxx, "compile C++ so that it can be recorded (also vestige-c++)"},
    {"run", command_run, "compile and record a source file in one go"},
    {"record", command_record, "run a program and record it"},
    {"info", command_info, "what is in a trace, and how big it is"},
    {"verify", command_verify, "check every checksum and every invariant of a trace"},
    {"recover", command_recover, "what a crash left, as a whole trace"},
    {"index", command_index, "make the index of a trace now, not at the first query"},
    {"functions", command_functions, "the recorded functions"},
    {"blocks", command_blocks, "the blocks of a function"},
    {"statements", command_statements, "the statements of a function"},
    {"walk", command_walk, "step through the execution, forwards or backwards"},
    {"values", command_values, "what a statement computed, each time it ran"},
    {"addresses", command_addresses, "where a statement loaded and stored; runs and strides"},
    {"replay", command_replay, "every load and store in order, as other tools read them"},
    {"variable", command_variable, "the value history of a source variable"},
    {"slice", command_slice, "what made a value, or what a value made"},
    {"why", command_why, "where a value came from, and what computed it"},
    {"writers", command_writers, "who wrote an address, or what an execution read"},
    {"readers", command_readers, "who read what an execution wrote"},
    {"match", command_match, "did a function go this way, when, and how often"},
    {"hot", command_hot, "the costliest sequences of paths, or of addresses"},
    {"machine", command_machine, "modelled branch and cache misses, by statement or line"},
    {"diff", command_diff, "where two runs of a program first part, and how"},
    {"sync", command_sync, "what threads did to each other, in one order"},
    {"races", command_races, "accesses of several threads that nothing orders"},
    {"represent", command_represent, "a trace written in another way, much smaller"},
    {"descriptors", command_descriptors, "what folded into what, and what did not"},
    {"contexts", command_contexts, "the tree of calling contexts and loops"},
    {"merge", command_merge, "the traces of several ranks as one of descriptors"},
    {"extrapolate", command_extrapolate, "what a run of another size would do, from recorded ones"},
    {"compress", command_compress, "make a trace of records small: PC and value, references …"},
    {"decompress", command_decompress, "the opposite, byte for byte"},
    {"import", command_import, "a trace of another tool, as a trace to ask questions of"},
    {"export", command_export, "a recording in the format of another tool"},
    {"doctor", command_doctor, "what this machine lacks, and how to get it"},
});

void print_help() {
  fmt::print(
      "Vestige records everything a program did and answers questions about it.\n\n"
      "Usage: vestige COMMAND [flags] TRACE [args]\n\nCommands:\n");
  for (const Command& command : kCommands)
    fmt::print("  {:<12}{}\n", command.name, command.summary);
  fmt::print(
      "\n  --help      this; `vestige COMMAND --help` tells more\n"
      "  --version   the version\n\n"
      "Example:\n"
      "  vestige-cc -O2 -o prog prog.c && vestige record -- ./prog && vestige walk prog.vst\n");
}

// What rows have: command, column, type, the forms that have it, and what it says; tabs between.
void print_columns() {
  constexpr std::string_view kForms[] = {"", "json", "csv", "json, csv"};
  for (const RowTable& table : row_tables())
    for (const ColumnDescription& column : table.columns)
      fmt::print("{}\t{}\t{}\t{}\t{}\n", table.command, column.name, type_name(column.type),
                 kForms[static_cast<size_t>(column.forms)], column.about);
}

int run_command(Arguments arguments) {
  if (arguments.empty()) {
    report_error("no command given; see vestige --help");
    return kWrongUse;
  }
  std::string name = arguments.front();
  arguments.erase(arguments.begin());
  if (name == "help" && !arguments.empty()) {
    name = arguments.front();
    arguments = {"--help"};
  }
  if (name == "--help" || name == "-h" || name == "help") {
    print_help();
    return kDone;
  }
  if (name == "--help=commands") {  // for scripts/manual
    for (const Command& command : kCommands) fmt::print("{}\t{}\n", command.name, command.summary);
    return kDone;
  }
  if (name == "--help=columns") {  // for scripts and tests
    print_columns();
    return kDone;
  }
  if (name == "--version") {
    fmt::print("vestige {}\n", VESTIGE_VERSION);
    return kDone;
  }
  for (const Command& command : kCommands) {
    if (name == command.name) return command.run(std::move(arguments));
  }
  std::vector<std::string> known = {"--help", "--version"};
  for (const Command& command : kCommands) known.push_back(command.name);
  const std::string meant = nearest(name, known);
  const std::string what =
      fmt::format("unknown {} {}", name.starts_with('-') ? "flag" : "command", name);
  report_error(meant.empty() ? what + "; see vestige --help"
                             : fmt::format("{}; did you mean {}?", what, meant));
  return kWrongUse;
}

}  // namespace
}  // namespace vestige::cli

int main(int argc, char** argv) {
  using namespace vestige::cli;
  Arguments arguments(argv + std::min(argc, 1), argv + argc);
  std::string_view called = argc ? argv[0] : "";
  called = called.substr(called.rfind('/') + 1);
  try {
    if (called == "vestige-cc") return command_cc(std::move(arguments));
    if (called == "vestige-c++") return command_cxx(std::move(arguments));
    return run_command(std::move(arguments));
  } catch (const std::exception& error) {
    report_error(error.what());
    return kIo;
  }
}
