// vestige doctor: what this machine lacks for recording, and how to get it.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "output.h"
#include "vestige/compile.h"
#include "vestige/version.h"

namespace vestige::cli {
namespace {

struct Check {
  const char* name;
  bool ok;
  std::string detail;  // what was found, or what to do
};

Check check_compiler(Driver driver, const char* name) {
  const auto tools = find_compiler(driver, VESTIGE_VERSION);
  return tools ? Check{name, true, tools->program} : Check{name, false, tools.error().message};
}

Check check_runtime(const char* name, const char* file) {
  const auto tools = find_compiler(Driver::cc, VESTIGE_VERSION);
  if (!tools) return {name, false, tools.error().message};
  const auto path = std::filesystem::path(tools->library_dir) / file;
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return {name, true, path.string()};
  return {name, false, path.string() + " is missing; build Vestige again with make build"};
}

Check check_shared_memory() {
  const int fd = memfd_create("vestige-doctor", MFD_CLOEXEC);
  if (fd < 0)
    return {"shared memory", false, "memfd_create is refused; the kernel or a sandbox forbids it"};
  close(fd);
  return {"shared memory", true, "memfd"};
}

Check check_clock() {
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  file >> name;
  return {"clock", true,
          name.empty() ? "not known; threads are put in order by a counter, not by a clock" : name};
}

}  // namespace

int command_doctor(Arguments arguments) {
  CommandLine line("doctor",
                   "What this machine lacks for recording, and how to get it. Exit code 1 when "
                   "something is missing.",
                   "vestige doctor");
  Presentation presentation;
  line.add_presentation(presentation, false);
  if (const auto code = line.parse(arguments)) return *code;
  const Check checks[] = {
      check_compiler(Driver::cc, "C compiler"),
      check_compiler(Driver::cxx, "C++ compiler"),
      check_runtime("runtime", "libvestige-rt.so"),
      check_runtime("static runtime", "libvestige-rt.a"),
      check_shared_memory(),
      check_clock(),
  };
  bool ok = true;
  Output out;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Check& check : checks) {
    ok &= check.ok;
    if (presentation.json)
      list.push_back({{"name", check.name}, {"ok", check.ok}, {"detail", check.detail}});
    else
      out.print("{:<7} {:<16} {}\n", check.ok ? "ok" : "missing", check.name, check.detail);
  }
  if (presentation.json) out.json(nlohmann::ordered_json{{"ok", ok}, {"checks", list}});
  return ok ? kDone : kNo;
}

}  // namespace vestige::cli
