// vestige index: makes the index files of a trace: of its paths, and of its values and dependences
// when it has any.
#include "vestige/index.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "indexing.h"
#include "output.h"
#include "path_indexing.h"
#include "report.h"
#include "vestige/dependences.h"

namespace vestige::cli {

int command_index(Arguments arguments) {
  CommandLine line(
      "index",
      "Makes the index files of a trace: TRACE.wpp of its paths and, of a full recording, "
      "TRACE.idx of its values and TRACE.dep of its dependences; in the cache directory where "
      "these cannot be written. Queries that need one "
      "make it themselves when it is missing.",
      "vestige index bzip2.vst");
  std::string file, chunk_size;
  Presentation presentation;
  line.add_trace(file);
  line.app()
      .add_option("--chunk-size", chunk_size,
                  "Raw control flow (4 bytes a block) in a chunk of the index of paths: 4M")
      ->type_name("BYTES");
  line.add_presentation(presentation, false);
  if (const auto code = line.parse(arguments)) return *code;
  uint64_t chunk_bytes = 0;
  if (!chunk_size.empty()) {
    const auto parsed = parse_size(chunk_size, 1024);
    if (!parsed || *parsed == 0) {
      report_error("--chunk-size " + chunk_size + " is no size; write 4M, for example");
      return kWrongUse;
    }
    chunk_bytes = *parsed;
  }
  const auto trace = Trace::open(file);
  if (!trace) return report_trace(trace.error());

  const auto start = std::chrono::steady_clock::now();
  auto built = [&] {
    const Indexing indexing(presentation);
    return build_index(*trace, indexing.options());
  }();
  // A trace of control flow alone has paths to index, and no values.
  const bool values = built || built.error().kind != ErrorKind::unsupported;
  if (!built && values) return report(built.error());
  std::optional<DependenceReport> dependences;
  if (values) {
    const Indexing indexing(presentation);
    auto made = build_dependences(*trace, indexing.options());
    // A thread that touches too much memory has none.
    if (!made && made.error().kind != ErrorKind::unsupported) return report(made.error());
    if (made) dependences = std::move(*made);
  }
  const auto paths = make_path_index(*trace, presentation, chunk_bytes);
  if (!paths) return report(paths.error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto per_statement = [&](uint64_t bytes) {
    return built->statements
               ? 8.0 * static_cast<double>(bytes) / static_cast<double>(built->statements)
               : 0;
  };
  Output out;
  if (presentation.json) {
    nlohmann::ordered_json json;
    if (values) {
      json = {{"file", built->file},
              {"bytes", built->bytes},
              {"windows", built->windows},
              {"paths", built->paths},
              {"statements", built->statements},
              {"bits_per_statement", per_statement(built->bytes)}};
    }
    if (dependences)
      json["dependences"] = {{"file", dependences->file},
                             {"bytes", dependences->bytes},
                             {"blocks", dependences->blocks},
                             {"reads", dependences->reads},
                             {"bits_per_statement", per_statement(dependences->bytes)}};
    json["path_index"] = {{"file", paths->file},
                          {"bytes", paths->bytes},
                          {"grammar_bytes", paths->grammar_bytes},
                          {"index_bytes", paths->index_bytes},
                          {"raw_bytes", paths->raw_bytes},
                          {"paths", paths->paths},
                          {"grammars", paths->grammars},
                          {"rules", paths->rules},
                          {"symbols", paths->symbols},
                          {"chunks", paths->chunks}};
    json["seconds"] = seconds;
    out.json(json);
    return kDone;
  }
  if (values)
    out.print("{}: {}, {}, {} ({:.3f} bits per statement)\n", built->file,
              counted(built->windows, "window"), counted(built->statements, "statement"),
              byte_size(built->bytes), per_statement(built->bytes));
  if (dependences)
    out.print("{}: {}, {} reads, {} ({:.3f} bits per statement)\n", dependences->file,
              counted(dependences->blocks, "block"), grouped(dependences->reads),
              byte_size(dependences->bytes), per_statement(dependences->bytes));
  out.print("{}: {} paths as {} symbols, {}, {} ({} without the grammar)\n", paths->file,
            grouped(paths->paths), grouped(paths->symbols), counted(paths->chunks, "chunk"),
            byte_size(paths->bytes), byte_size(paths->index_bytes));
  return kDone;
}

}  // namespace vestige::cli
