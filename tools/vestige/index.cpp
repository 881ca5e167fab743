// vestige index: makes the index of a full recording.
#include "vestige/index.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "indexing.h"
#include "output.h"
#include "report.h"

namespace vestige::cli {

int command_index(Arguments arguments) {
  CommandLine line(
      "index",
      "Makes the index of a full recording: TRACE.idx, or a file in the cache directory "
      "where that cannot be written. Queries that need it make it themselves when it is "
      "missing.",
      "vestige index bzip2.vst");
  std::string file;
  Presentation presentation;
  line.add_trace(file);
  line.add_presentation(presentation, false);
  if (const auto code = line.parse(arguments)) return *code;
  const auto trace = Trace::open(file);
  if (!trace) return report_trace(trace.error());

  const auto start = std::chrono::steady_clock::now();
  const auto built = [&] {
    const Indexing indexing(presentation);
    return build_index(*trace, indexing.options());
  }();
  if (!built) return report(built.error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double bits = built->statements ? 8.0 * built->bytes / built->statements : 0;
  Output out;
  if (presentation.json) {
    nlohmann::ordered_json json = {
        {"file", built->file},   {"bytes", built->bytes},           {"windows", built->windows},
        {"paths", built->paths}, {"statements", built->statements}, {"bits_per_statement", bits},
        {"seconds", seconds}};
    out.print("{}\n", json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    out.print("{}: {} window{}, {} statements, {} ({:.3f} bits per statement)\n", built->file,
              grouped(built->windows), built->windows == 1 ? "" : "s", grouped(built->statements),
              byte_size(built->bytes), bits);
  }
  out.flush();
  return kDone;
}

}  // namespace vestige::cli
