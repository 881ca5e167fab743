// What a compiler command line asks for, as far as the driver must know: which inputs of which
// language, where the pipeline stops, and the few flags that decide whether code can be recorded.
//
// Only flags that take their value from the next word have to be known, lest the value is taken for
// an input; every other flag may come and go with clang versions.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace vestige::driver {

enum class InputKind {
  source,  // C, C++, Objective-C, LLVM IR: the pass sees it
  assembler,
  header,   // to be precompiled
  offload,  // CUDA, HIP, OpenCL: code for another processor
  foreign,  // Fortran and the like, which clang hands on
  object,   // everything the linker gets
};

// How far the pipeline goes.
enum class LastPhase {
  query,       // prints something and stops: --version, -print-…, -###, -cc1
  preprocess,  // -E, -M, -MM
  check,       // -fsyntax-only, --analyze
  precompile,  // --precompile, -emit-ast
  assembly,    // -S, -emit-llvm
  object,      // -c
  link,
};

struct CompilerCommandLine {
  std::vector<InputKind> inputs;
  LastPhase last = LastPhase::link;
  bool linker_flags = false;  // -l, -Wl, -Xlinker: these alone make clang call the linker
  bool names_libc = false;    // -lc
  bool debug_choice = false;  // any -g…
  bool is_static = false;     // -static, -static-pie
  bool relocatable = false;   // -r
  bool no_standard_library = false;
  bool no_warnings = false;  // -w
  bool keep_loop_vectorizer = false;
  bool keep_slp_vectorizer = false;
  bool checks = false;       // --vestige-check
  bool order = false;        // --vestige-order, and what says that there are threads
  std::string foreign_code;  // the flag that asks for code we cannot record: -m32, --target=…
  std::string freestanding;  // the flag that takes the C library away: -ffreestanding, …
  std::string unknown_vestige_flag;

  bool has(InputKind kind) const;
};

// `arguments` are free of response files.
CompilerCommandLine read_command_line(std::span<const std::string> arguments);

}  // namespace vestige::driver
