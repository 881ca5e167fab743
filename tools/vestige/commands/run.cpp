// vestige run: compiles a source file with the driver into a temporary folder, records it, and
// removes the folder.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "commands.h"
#include "recording.h"
#include "report.h"
#include "vestige/compile.h"
#include "vestige/version.h"

extern char** environ;

namespace vestige::cli {
namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "vestige-run-XXXXXX").string();
    if (mkdtemp(name.data())) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool has_extension(const std::string& word, std::initializer_list<std::string_view> extensions) {
  const std::string extension = fs::path(word).extension().string();
  return std::ranges::find(extensions, extension) != extensions.end();
}
bool is_cxx(const std::string& word) {
  return has_extension(word, {".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".mm", ".ii"});
}
bool is_source(const std::string& word) {
  return !word.starts_with('-') &&
         (is_cxx(word) || has_extension(word, {".c", ".i", ".m", ".ll", ".bc"}));
}

// Runs clang and waits for it. The exit code it ended with, or 4.
int run_compiler(const CompilerTools& tools, const CompilePlan& plan) {
  std::vector<char*> words;
  const auto add = [&](const std::string& word) {
    words.push_back(const_cast<char*>(word.c_str()));
  };
  add(tools.program);
  for (const std::string& word : tools.program_flags) add(word);
  for (const std::string& word : plan.arguments) add(word);
  words.push_back(nullptr);
  // For the compiler alone: the recorded program gets the environment as it is.
  std::vector<std::string> additions;
  for (const auto& [name, value] : plan.environment) additions.push_back(name + "=" + value);
  std::vector<char*> environment;
  for (char** variable = environ; *variable; ++variable) environment.push_back(*variable);
  for (std::string& addition : additions) environment.push_back(addition.data());
  environment.push_back(nullptr);
  pid_t pid = 0;
  if (const int failure = posix_spawn(&pid, tools.program.c_str(), nullptr, nullptr, words.data(),
                                      environment.data())) {
    return report(
        {ErrorKind::io, fmt::format("cannot run {}: {}", tools.program, std::strerror(failure))});
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int command_run(Arguments arguments) {
  CommandLine line("run",
                   "Compiles a C or C++ source file and records it. Flags that are not listed "
                   "below go to the compiler.",
                   "vestige run -O2 sieve.c -- 1000");
  line.usage("vestige run FILE.c|FILE.cpp [compiler flags] [flags] [-- args]");
  RecordingFlags flags;
  flags.options.output.clear();
  line.app()
      .add_option("-o,--output", flags.options.output, "The trace file; FILE.vst by default")
      ->type_name("TRACE");
  add_recording_flags(line, flags);
  std::vector<std::string> program_arguments, words;
  line.add_behind(program_arguments);
  line.add_unknown(words);
  if (const auto code = line.parse(arguments)) return *code;

  const auto first = std::ranges::find_if(words, is_source);
  if (first == words.end()) {
    report_error("no source file given: vestige run FILE.c [-- args]");
    return kWrongUse;
  }
  // A copy: words are added below. NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  const std::string source = *first;
  for (const std::string& word : words) {
    std::error_code failure;
    if (fs::equivalent(word, flags.options.output, failure)) {
      report_error(fmt::format("{} would be overwritten by the trace; give -o another name", word));
      return kWrongUse;
    }
  }
  // clang knows many flags with two dashes, but one that looks like ours was most likely meant for
  // us.
  const std::vector<std::string> ours = {"--output",  "--what",  "--engine", "--include",
                                         "--exclude", "--start", "--stop",   "--max-size",
                                         "--last",    "--quiet", "--check",  "--order"};
  for (const std::string& word : words) {
    const std::string flag = word.substr(0, word.find('='));
    if (flag.starts_with("--") && flag.size() > 5 && !nearest(flag, ours).empty())
      return line.refuse(word);
  }
  const Driver driver = std::ranges::any_of(words, is_cxx) ? Driver::cxx : Driver::cc;
  const auto tools = find_compiler(driver, VESTIGE_VERSION);
  if (!tools) return report(tools.error());
  const TemporaryFolder folder;
  if (folder.path().empty()) {
    return report(
        {ErrorKind::io, fmt::format("cannot make a temporary folder: {}", std::strerror(errno))});
  }
  const std::string stem = fs::path(source).stem().string();
  const std::string program = (folder.path() / stem).string();
  words.insert(words.end(), {"-o", program});
  if (flags.options.check) words.push_back("--vestige-check");
  if (flags.options.order) words.push_back("--vestige-order");
  const auto plan = plan_compile(words, *tools);
  if (!plan) return report(plan.error());
  if (!plan->note.empty()) report_note(plan->note);
  if (const int code = run_compiler(*tools, *plan)) {
    report_error(fmt::format("{} did not compile", source));
    return code == 4 ? kIo : kWrongUse;
  }

  flags.options.command = {program};
  std::ranges::copy(program_arguments, std::back_inserter(flags.options.command));
  if (flags.options.output.empty()) flags.options.output = stem + ".vst";
  return record_and_report(flags);
}

}  // namespace vestige::cli
