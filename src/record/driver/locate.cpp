// Where clang and the parts of Vestige lie.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "vestige/compile.h"

namespace vestige {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDebianClangDir = "/usr/lib/llvm-19/bin";

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

std::string find_in_path(const std::string& name) {
  const char* variable = std::getenv("PATH");
  const std::string_view path = variable ? variable : "";
  for (size_t begin = 0; begin <= path.size();) {
    size_t end = path.find(':', begin);
    if (end == std::string_view::npos) end = path.size();
    const fs::path candidate = fs::path(path.substr(begin, end - begin)) / name;
    if (end > begin && is_program(candidate)) return candidate.string();
    begin = end + 1;
  }
  return "";
}

}  // namespace

Result<CompilerTools> find_compiler(Driver driver, std::string_view version) {
  CompilerTools tools;
  std::error_code failure;
  const fs::path self = fs::read_symlink("/proc/self/exe", failure);
  if (failure) return fail(ErrorKind::io, "cannot read /proc/self/exe: " + failure.message());
  const fs::path library_dir = self.parent_path().parent_path() / "lib" / "vestige" / version;
  tools.library_dir = library_dir.string();
  tools.plugin = (library_dir / ("vestige-pass-" + std::string(version) + ".so")).string();
  if (!fs::exists(tools.plugin, failure)) {
    return fail(ErrorKind::io, "the compiler plugin " + tools.plugin +
                                   " is missing; build Vestige again with make build");
  }

  const bool cxx = driver == Driver::cxx;
  if (const char* chosen = std::getenv("VESTIGE_CLANG"); chosen && *chosen) {
    const std::string_view name = chosen;
    tools.program = name.find('/') == name.npos ? find_in_path(chosen) : std::string(name);
    if (tools.program.empty() || !is_program(tools.program)) {
      return fail(ErrorKind::usage,
                  "VESTIGE_CLANG names " + std::string(name) + ", which is no program");
    }
    if (cxx) tools.program_flags = {"--driver-mode=g++"};
    return tools;
  }
  tools.program = find_in_path(cxx ? "clang++-19" : "clang-19");
  if (tools.program.empty()) {
    const fs::path debian = fs::path(kDebianClangDir) / (cxx ? "clang++" : "clang");
    if (!is_program(debian)) {
      return fail(ErrorKind::io,
                  std::string(cxx ? "clang++-19" : "clang-19") +
                      " is not in PATH; install the package clang-19 or set VESTIGE_CLANG");
    }
    tools.program = debian.string();
  }
  return tools;
}

}  // namespace vestige
