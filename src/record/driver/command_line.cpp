#include "record/driver/command_line.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace vestige::driver {
namespace {

using std::string_view;

// Flags whose value is the next word when they stand alone.
constexpr std::array kTakesNext = std::to_array<string_view>({
    "-o",
    "-x",
    "-I",
    "-L",
    "-l",
    "-D",
    "-U",
    "-F",
    "-B",
    "-G",
    "-T",
    "-u",
    "-e",
    "-z",
    "-A",
    "-b",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-include",
    "-imacros",
    "-include-pch",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-iframework",
    "-iframeworkwithsysroot",
    "-iwithsysroot",
    "-isystem-after",
    "-cxx-isystem",
    "-stdlib++-isystem",
    "-imultilib",
    "-ivfsoverlay",
    "-vfsoverlay",
    "-iapinotes-modules",
    "-Xclang",
    "-Xpreprocessor",
    "-Xassembler",
    "-Xlinker",
    "-Xanalyzer",
    "-Xcuda-fatbinary",
    "-Xcuda-ptxas",
    "-Xopenmp-target",
    "-Xoffload-linker",
    "-mllvm",
    "-mmlir",
    "-mthread-model",
    "-meabi",
    "-target",
    "-arch",
    "-framework",
    "-rpath",
    "-filelist",
    "-undefined",
    "-install_name",
    "-serialize-diagnostics",
    "-dependency-file",
    "-dependency-dot",
    "-resource-dir",
    "-working-directory",
    "-module-dependency-dir",
    "-dumpdir",
    "-dsym-dir",
    "-fdebug-compilation-dir",
    "-ftrapv-handler",
    "-fmodules-user-build-path",
    "-gen-cdb-fragment-path",
    "-ccc-install-dir",
    "-ccc-gcc-name",
    "--param",
    "--config",
    "--sysroot",
    "--output",
    "--language",
    "--include",
    "--imacros",
    "--include-directory",
    "--include-directory-after",
    "--include-prefix",
    "--include-with-prefix",
    "--define-macro",
    "--undefine-macro",
    "--prefix",
    "--assert",
    "--library-directory",
    "--for-linker",
    "--force-link",
    "--stdlib",
    "--std",
    "--resource",
    "--dyld-prefix",
    "--system-header-prefix",
    "--serialize-diagnostics",
    "--analyzer-output",
    "--vfsoverlay",
});

bool takes_next(string_view flag) {
  return std::ranges::find(kTakesNext, flag) != kTakesNext.end() || flag.starts_with("-Xarch_") ||
         flag.starts_with("-Xopenmp-target=");
}

InputKind kind_of_extension(string_view name) {
  const size_t slash = name.rfind('/');
  const size_t dot = name.rfind('.');
  if (dot == string_view::npos || (slash != string_view::npos && dot < slash))
    return InputKind::object;
  const string_view extension = name.substr(dot + 1);
  const auto in = [&](std::initializer_list<string_view> list) {
    return std::ranges::find(list, extension) != list.end();
  };
  if (in({"c", "i",  "cc", "cp", "cxx", "cpp", "CPP", "c++",  "C",   "CC",   "CXX",  "ii", "iim",
          "m", "mi", "mm", "M",  "mii", "ll",  "bc",  "cppm", "ccm", "cxxm", "c++m", "ixx"})) {
    return InputKind::source;
  }
  if (in({"s", "S", "sx", "asm"})) return InputKind::assembler;
  if (in({"h", "hh", "H", "hp", "hxx", "hpp", "HPP", "h++", "tcc"})) return InputKind::header;
  if (in({"cu", "cui", "hip", "cl", "clcpp"})) return InputKind::offload;
  if (in({"f", "F", "for", "FOR", "fpp", "FPP", "f90", "F90", "f95", "F95", "f03", "F03", "f08",
          "F08", "adb", "ads"})) {
    return InputKind::foreign;
  }
  return InputKind::object;
}

InputKind kind_of_language(string_view language, string_view name) {
  if (language.empty() || language == "none") return kind_of_extension(name);
  if (language.ends_with("-header") || language.ends_with("header-unit-header"))
    return InputKind::header;
  if (language.starts_with("assembler")) return InputKind::assembler;
  if (language.starts_with("cuda") || language.starts_with("hip") || language.starts_with("cl")) {
    return InputKind::offload;
  }
  if (language.starts_with("f95") || language.starts_with("f77") || language == "ada")
    return InputKind::foreign;
  if (language == "object") return InputKind::object;
  return InputKind::source;
}

// The machines whose code the runtime can record.
bool is_native_target(string_view triple) {
  const bool machine = triple.starts_with("x86_64-") || triple.starts_with("amd64-");
  const bool system = triple.find("linux") != string_view::npos;
  const bool other_libc = triple.find("musl") != string_view::npos ||
                          triple.find("android") != string_view::npos ||
                          triple.find("x32") != string_view::npos;
  return machine && system && !other_libc;
}

class ArgumentReader {
 public:
  explicit ArgumentReader(std::span<const std::string> arguments) : arguments_(arguments) {}

  CompilerCommandLine read() {
    if (!arguments_.empty() && arguments_[0].starts_with("-cc1")) {
      line_.last = LastPhase::query;
      return line_;
    }
    bool only_inputs = false;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const string_view argument = arguments_[i];
      if (only_inputs || argument == "-" || !argument.starts_with('-')) {
        input(argument);
      } else if (argument == "--") {
        only_inputs = true;
      } else if (takes_next(argument)) {
        const string_view value = i + 1 < arguments_.size() ? arguments_[i + 1] : string_view();
        ++i;
        flag_with_value(argument, value);
      } else {
        flag(argument);
      }
    }
    return line_;
  }

 private:
  void input(string_view name) { line_.inputs.push_back(kind_of_language(language_, name)); }

  // The earliest end wins: `-c -E` preprocesses.
  void stop_at(LastPhase phase) { line_.last = std::min(line_.last, phase); }

  void target(string_view flag, string_view triple) {
    if (!is_native_target(triple))
      line_.foreign_code = std::string(flag);
    else
      line_.foreign_code.clear();
  }

  void linker_word(string_view word) {
    line_.linker_flags = true;
    if (word == "-r" || word == "--relocatable" || word == "-i") line_.relocatable = true;
    if (word == "-lc") line_.names_libc = true;
  }

  void flag_with_value(string_view flag, string_view value) {
    if (flag == "-x" || flag == "--language")
      language_ = value;
    else if (flag == "-target")
      target("-target " + std::string(value), value);
    else if (flag == "-l")
      linker_word("-l" + std::string(value));
    else if (flag == "-Xlinker" || flag == "--for-linker")
      linker_word(value);
    else if (flag == "-arch")
      line_.foreign_code = "-arch";
  }

  void flag(string_view f) {
    if (f.starts_with("--vestige-")) {
      if (f == "--vestige-keep-vectorizer")
        line_.keep_loop_vectorizer = line_.keep_slp_vectorizer = true;
      else if (f == "--vestige-check")
        line_.checks = true;
      else if (f == "--vestige-order")
        line_.order = true;
      else
        line_.unknown_vestige_flag = std::string(f);
      return;
    }
    if (f == "-pthread" || f.starts_with("-fopenmp")) line_.order = true;
    if (f == "-fvectorize" || f == "-ftree-vectorize")
      line_.keep_loop_vectorizer = true;
    else if (f == "-fslp-vectorize" || f == "-ftree-slp-vectorize")
      line_.keep_slp_vectorizer = true;
    else if (f.starts_with("-x"))
      language_ = std::string(f.substr(2));
    else if (f.starts_with("--language="))
      language_ = std::string(f.substr(11));
    else if (f == "-c" || f == "--compile")
      stop_at(LastPhase::object);
    else if (f == "-S" || f == "--assemble" || f == "-emit-llvm")
      stop_at(LastPhase::assembly);
    else if (f == "-E" || f == "--preprocess" || f == "-M" || f == "-MM" || f == "--dependencies" ||
             f == "--user-dependencies")
      stop_at(LastPhase::preprocess);
    else if (f == "-fsyntax-only" || f == "--analyze" || f == "-analyze" || f == "-rewrite-objc" ||
             f == "-verify-pch" || f == "-module-file-info" || f == "-extract-api" ||
             f == "-emit-interface-stubs")
      stop_at(LastPhase::check);
    else if (f == "--precompile" || f == "-emit-ast" || f.starts_with("-fmodule-header")) {
      stop_at(LastPhase::precompile);
    } else if (f == "--version" || f == "-###" || f.starts_with("-print-") ||
               f.starts_with("--print-") || f.starts_with("-dumpversion") || f == "-dumpmachine" ||
               f == "--help" || f == "-help" || f == "--help-hidden" ||
               f.starts_with("--autocomplete=")) {
      stop_at(LastPhase::query);
    } else if (f.starts_with("-g"))
      line_.debug_choice = true;
    else if (f == "-static" || f == "--static" || f == "-static-pie")
      line_.is_static = true;
    else if (f == "-r")
      line_.relocatable = true;
    else if (f == "-w")
      line_.no_warnings = true;
    else if (f == "-m32" || f == "-mx32" || f == "-m16")
      line_.foreign_code = std::string(f);
    else if (f == "-m64")
      line_.foreign_code.clear();
    else if (f.starts_with("--target="))
      target(f, f.substr(9));
    else if (f.starts_with("-fopenmp-targets=") || f.starts_with("--offload") || f == "-fsycl") {
      line_.foreign_code = std::string(f);
    } else if (f == "-ffreestanding" || f == "-fno-hosted")
      line_.freestanding = std::string(f);
    else if (f == "-fhosted" || f == "-fno-freestanding")
      line_.freestanding.clear();
    else if (f == "-nostdlib" || f == "--no-standard-libraries")
      line_.no_standard_library = true;
    else if (f.starts_with("-l"))
      linker_word(f);
    else if (f.starts_with("-Wl,")) {
      for (string_view rest = f.substr(4); !rest.empty();) {
        const size_t comma = rest.find(',');
        linker_word(rest.substr(0, comma));
        rest = comma == string_view::npos ? string_view() : rest.substr(comma + 1);
      }
    }
  }

  std::span<const std::string> arguments_;
  std::string language_;
  CompilerCommandLine line_;
};

}  // namespace

bool CompilerCommandLine::has(InputKind kind) const {
  return std::ranges::find(inputs, kind) != inputs.end();
}

CompilerCommandLine read_command_line(std::span<const std::string> arguments) {
  return ArgumentReader(arguments).read();
}

}  // namespace vestige::driver
