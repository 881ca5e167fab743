// vestige verify: checks everything in a trace that can be checked.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "descriptor_query.h"
#include "output.h"
#include "report.h"
#include "vestige/trace.h"
#include "vestige/wet.h"

namespace vestige::cli {

namespace {

// Of a whole execution trace also what only a walk over all of it shows.
Result<void> verify_wet(const std::string& file, VerifyReport& report) {
  const auto trace = Trace::open(file);
  if (!trace) return std::unexpected(trace.error());
  if (!is_wet(*trace)) return {};
  const auto check = check_wet(*trace);
  if (!check) return std::unexpected(check.error());
  report.problems.insert(report.problems.end(), check->problems.begin(), check->problems.end());
  report.ok = report.problems.empty();
  return {};
}

}  // namespace

int command_verify(Arguments arguments) {
  CommandLine line(
      "verify",
      "Checks every checksum and every invariant of a trace. Exit code 3 when something is wrong.",
      "vestige verify bzip2.vst");
  std::string file;
  Presentation presentation;
  line.add_trace(file);
  line.add_presentation(presentation, false);
  if (const auto code = line.parse(arguments)) return *code;
  if (Descriptors::is_in(file)) return verify_descriptors(file, presentation.json);
  auto checked = verify(file);
  if (checked && checked->ok)
    if (const auto added = verify_wet(file, *checked); !added)
      checked = std::unexpected(added.error());
  Output out;
  if (!checked) {
    if (presentation.json) {
      nlohmann::ordered_json json = {{"ok", false},
                                     {"chunks", 0},
                                     {"paths", 0},
                                     {"statements", 0},
                                     {"problems", {checked.error().message}}};
      out.json(json);
    }
    return report_trace(checked.error());
  }
  if (presentation.json) {
    nlohmann::ordered_json json = {{"ok", checked->ok},
                                   {"chunks", checked->chunks},
                                   {"paths", checked->paths},
                                   {"statements", checked->statements},
                                   {"values_compared", checked->values_compared},
                                   {"problems", checked->problems},
                                   {"notes", checked->notes}};
    out.json(json);
  } else if (checked->ok) {
    out.print("{}: ok, {} chunks, {} paths, {} statements", file, grouped(checked->chunks),
              grouped(checked->paths), grouped(checked->statements));
    if (checked->values_compared)
      out.print(", {} values compared", grouped(checked->values_compared));
    out.print("\n");
  } else {
    // The first ones tell; damage in a program table makes a problem of every path that follows.
    constexpr size_t kShown = 10;
    const auto& problems = checked->problems;
    for (size_t i = 0; i < std::min(problems.size(), kShown); ++i) out.print("{}\n", problems[i]);
    if (problems.size() > kShown)
      out.print("… {} more (use --json)\n", grouped(problems.size() - kShown));
  }
  out.flush();
  if (!presentation.json)
    for (const std::string& note : checked->notes) report_note(note);
  if (checked->ok) return kDone;
  report_error(fmt::format("{} has {}; vestige recover {} -o NEW.vst keeps what is whole", file,
                           counted(checked->problems.size(), "problem"), file));
  return kBadTrace;
}

}  // namespace vestige::cli
