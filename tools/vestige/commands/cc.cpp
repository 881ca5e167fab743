// vestige cc, vestige c++: clang with our pass and our runtime. Becomes clang, so exit status,
// signals and standard streams are clang's own.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "commands.h"
#include "report.h"
#include "vestige/compile.h"
#include "vestige/version.h"

namespace vestige::cli {
namespace {

bool disabled() {
  const char* value = std::getenv("VESTIGE_DISABLE");
  return value && *value && std::string_view(value) != "0";
}

int compile(Driver driver, const Arguments& arguments) {
  const auto tools = find_compiler(driver, VESTIGE_VERSION);
  if (!tools) return report(tools.error());
  const auto plan = plan_compile(arguments, *tools, !disabled());
  if (!plan) return report(plan.error());
  if (!plan->note.empty()) report_note(plan->note);

  std::vector<char*> words;
  const auto add = [&](const std::string& word) {
    words.push_back(const_cast<char*>(word.c_str()));
  };
  add(tools->program);
  for (const std::string& word : tools->program_flags) add(word);
  for (const std::string& word : plan->arguments) add(word);
  words.push_back(nullptr);
  for (const auto& [name, value] : plan->environment) setenv(name.c_str(), value.c_str(), 1);
  execv(tools->program.c_str(), words.data());
  return report({ErrorKind::io, "cannot run " + tools->program + ": " + std::strerror(errno)});
}

}  // namespace

int command_cc(Arguments arguments) { return compile(Driver::cc, arguments); }
int command_cxx(Arguments arguments) { return compile(Driver::cxx, arguments); }

}  // namespace vestige::cli
