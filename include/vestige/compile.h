// Compiling for recording: what vestige-cc and vestige-c++ turn a command line into.
//
//     auto tools = vestige::find_compiler(vestige::Driver::cc, version);
//     auto plan = vestige::plan_compile({{"-O2", "-c", "a.c"}}, *tools);
//     // run tools->program with plan->arguments
//
// docs/recording.md tells users the same in their terms.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vestige/api.h"
#include "vestige/result.h"

VESTIGE_API_BEGIN
namespace vestige {

enum class Driver : uint8_t { cc, cxx };

// The compiler that does the work, and the parts of Vestige it is given.
struct CompilerTools {
  std::string program;                     // clang
  std::vector<std::string> program_flags;  // what must come before everything else
  std::string library_dir;                 // holds libvestige-rt.so and libvestige-rt.a
  std::string plugin;                      // the pass, by its versioned file name
};

// Finds them: the parts of Vestige in ../lib/vestige/<version> of the running program, and clang as
// $VESTIGE_CLANG, in PATH, or where Debian puts it. Fails with a sentence that says what to
// install.
Result<CompilerTools> find_compiler(Driver driver, std::string_view version);

struct CompilePlan {
  std::vector<std::string> arguments;                            // what follows the program's name
  std::vector<std::pair<std::string, std::string>> environment;  // variables to set for it
  bool instruments = false;  // code made by this command is recorded
  bool links_runtime = false;
  std::string note;  // one sentence for the user, or empty
};

// The command line for clang. Adds flags around the user's own and changes none of them. Reads the
// response files (@file) among the arguments and touches nothing else. Fails only on a misspelt
// --vestige-… flag: everything else is for clang to judge.
//
// --vestige-keep-vectorizer among the arguments leaves the loop and SLP vectorizers on;
// --vestige-order makes code that can be recorded with RecordOptions::order, as -pthread and
// -fopenmp do; --vestige-check makes code that can be recorded with RecordOptions::check. With
// `record` false the user's words come back as they are.
Result<CompilePlan> plan_compile(std::span<const std::string> arguments, const CompilerTools& tools,
                                 bool record = true);

}  // namespace vestige
VESTIGE_API_END
