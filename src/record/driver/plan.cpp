// Which flags are added to a command line, and when.
//
//     clang <compile flags> <the user's words, as they are> <scalar flags> <link flags>
//
// Compile flags come first, so that the user's own word about the same thing (-g1)
// comes later and wins. Link flags come last, behind the objects that need the runtime. They are
// added only when something is compiled or linked at all: a lone -Wl, would turn `vestige-cc -v`
// into a link.
#include <algorithm>

#include "record/driver/command_line.h"
#include "record/driver/response_file.h"
#include "record/driver/static_wraps.h"
#include "vestige/compile.h"

namespace vestige {
namespace {

using driver::CompilerCommandLine;
using driver::InputKind;
using driver::LastPhase;

std::vector<std::string> compile_flags(const CompilerCommandLine& line,
                                       const CompilerTools& tools) {
  std::vector<std::string> flags = {"--start-no-unused-arguments", "-fpass-plugin=" + tools.plugin};
  if (!line.debug_choice) flags.push_back("-g");
  // Otherwise clang describes a class of C++ only where its constructors are, or its virtual table.
  flags.push_back("-fstandalone-debug");
  flags.push_back("--end-no-unused-arguments");
  return flags;
}

// Behind the user's words, because each -O turns the vectorizers on again.
std::vector<std::string> scalar_flags(const CompilerCommandLine& line) {
  std::vector<std::string> flags = {"--start-no-unused-arguments"};
  if (!line.keep_loop_vectorizer) flags.push_back("-fno-vectorize");
  if (!line.keep_slp_vectorizer) flags.push_back("-fno-slp-vectorize");
  flags.push_back("--end-no-unused-arguments");
  return flags;
}

// push-state keeps what the user set (-Bstatic, --whole-archive) from reaching our library.
std::vector<std::string> link_flags(const CompilerCommandLine& line, const CompilerTools& tools) {
  std::vector<std::string> flags = {"--start-no-unused-arguments"};
  if (line.is_static) {
    std::string wraps = "-Wl";
    for (const char* symbol : driver::kStaticWraps) wraps += std::string(",--wrap=") + symbol;
    flags.insert(flags.end(), {"-Wl,--push-state,--no-whole-archive", "-L" + tools.library_dir,
                               "-l:libvestige-rt.a", "-Wl,--pop-state", wraps});
  } else {
    flags.insert(flags.end(), {"-Wl,--push-state,--as-needed,-Bdynamic,--no-whole-archive",
                               "-L" + tools.library_dir, "-lvestige-rt", "-Wl,--pop-state",
                               "-Wl,-rpath," + tools.library_dir});
  }
  flags.push_back("--end-no-unused-arguments");
  return flags;
}

// The user's words. Behind `--` everything is an input, so our own flags could not follow: the
// inputs behind it are spelt in a way that needs no `--`.
std::vector<std::string> user_words(std::span<const std::string> arguments) {
  std::vector<std::string> words;
  bool only_inputs = false;
  for (const std::string& argument : arguments) {
    if (!only_inputs && argument.starts_with("--vestige-")) continue;
    if (!only_inputs && argument == "--") {
      only_inputs = true;
    } else if (only_inputs && argument.starts_with('-') && argument != "-") {
      words.push_back("./" + argument);
    } else {
      words.push_back(argument);
    }
  }
  return words;
}

}  // namespace

Result<CompilePlan> plan_compile(std::span<const std::string> arguments, const CompilerTools& tools,
                                 bool record) {
  const CompilerCommandLine line =
      driver::read_command_line(driver::expand_response_files(arguments));
  if (!line.unknown_vestige_flag.empty()) {
    return fail(ErrorKind::usage,
                "unknown flag " + line.unknown_vestige_flag +
                    "; there are --vestige-keep-vectorizer, --vestige-check and --vestige-order");
  }
  CompilePlan plan;
  const bool compiles = line.last >= LastPhase::object &&
                        (line.has(InputKind::source) || line.has(InputKind::offload));
  const bool links = line.last == LastPhase::link && !line.relocatable &&
                     (!line.inputs.empty() || line.linker_flags);
  // Only headers: clang precompiles them, whatever the last phase is.
  const bool only_headers =
      !line.inputs.empty() &&
      std::ranges::all_of(line.inputs, [](InputKind k) { return k == InputKind::header; });

  std::string refusal;
  if (!line.foreign_code.empty())
    refusal = line.foreign_code;
  else if (line.has(InputKind::offload))
    refusal = "offload code";
  else if (!line.freestanding.empty())
    refusal = line.freestanding;
  else if (line.no_standard_library && line.has(InputKind::source))
    refusal = "-nostdlib";
  // libtool links C++ libraries with -nostdlib and names what -nostdlib left out.
  const bool libc_is_there = !line.no_standard_library || line.names_libc;

  if (!record || only_headers || !(compiles || links) || !refusal.empty()) {
    plan.arguments = user_words(arguments);
    if (!refusal.empty() && compiles && record && !line.no_warnings) {
      plan.note = refusal + ": compiled without recording";
    }
    return plan;
  }
  plan.instruments = compiles;
  if (compiles && line.checks) plan.environment.emplace_back("VESTIGE_PASS_CHECKS", "1");
  if (compiles && line.order) plan.environment.emplace_back("VESTIGE_PASS_ORDER", "1");
  plan.links_runtime = links && libc_is_there;
  if (plan.instruments) plan.arguments = compile_flags(line, tools);
  std::ranges::copy(user_words(arguments), std::back_inserter(plan.arguments));
  if (plan.instruments && !(line.keep_loop_vectorizer && line.keep_slp_vectorizer))
    std::ranges::copy(scalar_flags(line), std::back_inserter(plan.arguments));
  if (plan.links_runtime)
    std::ranges::copy(link_flags(line, tools), std::back_inserter(plan.arguments));
  return plan;
}

}  // namespace vestige
