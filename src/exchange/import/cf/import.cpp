// vestige::import_control_flow: the input is read twice. The first time its graph is drawn, the
// second time its paths are written. What is wrong with it shows in the first, before there is an
// output.
#include <time.h>

#include <chrono>

#include "exchange/import/cf/event_file.h"
#include "exchange/import/cf/path_writer.h"
#include "exchange/import/cf/replay.h"
#include "vestige/exchange.h"
#include "vestige/version.h"

namespace vestige {
namespace {

using namespace cf;

std::string now_text() {
  const time_t now = ::time(nullptr);
  tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  const size_t n = ::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, n};
}

class Import {
 public:
  Import(const EventFile& file, const ImportOptions& options)
      : file_(file), options_(options), graph_(places_) {}

  Result<void> draw() {
    Replay replay(places_, graph_);
    const auto read =
        file_.each([&](std::span<const uint32_t> events, uint64_t first) -> Result<void> {
          for (size_t i = 0; i < events.size(); ++i) {
            if (!replay.event(events[i])) return file_.wrong(first + i, replay.error());
            ++(is_block(events[i])   ? report_.blocks
               : is_entry(events[i]) ? report_.entries
                                     : report_.exits);
          }
          told(first + events.size());
          return {};
        });
    if (!read) return read;
    if (!replay.end()) return file_.wrong(file_.events(), replay.error());
    report_.events = file_.events();
    places_.freeze();
    return {};
  }

  Result<ImportReport> write(const std::string& out) {
    auto module = graph_.build(file_.name());
    if (!module) return fail(module.error().kind, file_.name() + ": " + module.error().message);
    report_.functions = module->functions.size();
    auto writer = StoreWriter::create(out);
    if (!writer) return std::unexpected(writer.error());
    auto written = write_chunks(*writer, *module);
    if (written) written = writer->finish();
    if (!written) {
      writer->discard();
      return std::unexpected(written.error());
    }
    report_.bytes = writer->bytes_written();
    return report_;
  }

 private:
  Result<void> write_chunks(StoreWriter& writer, const ModuleChunk& module) {
    MetaChunk meta;
    meta.entries = {{"vestige", VESTIGE_VERSION},
                    {"what", "control"},
                    {"imported", "cf"},
                    {"input", file_.name()},
                    {"started", now_text()}};
    ProcessChunk process;
    process.executable = file_.name();
    if (auto done = writer.append(meta); !done) return done;
    if (auto done = writer.append(process); !done) return done;
    if (auto done = writer.append(module); !done) return done;
    if (auto done = writer.append(ThreadChunk{}); !done) return done;

    ControlLog log(writer, 0, options_.chunk_paths);
    PathWriter paths(graph_, log);
    Replay replay(places_, paths);
    const auto failed = [&](uint64_t at) -> std::unexpected<Error> {
      if (paths.failure().kind == ErrorKind::io) return std::unexpected(paths.failure());
      return file_.wrong(at, replay.error());
    };
    const auto read =
        file_.each([&](std::span<const uint32_t> events, uint64_t first) -> Result<void> {
          for (size_t i = 0; i < events.size(); ++i)
            if (!replay.event(events[i])) return failed(first + i);
          told(file_.events() + first + events.size());
          return {};
        });
    if (!read) return read;
    if (!replay.end()) return failed(file_.events());
    if (auto done = log.finish(); !done) return done;
    report_.paths = log.paths();

    EndChunk thread;
    thread.paths = log.paths();
    if (auto done = writer.append(thread); !done) return done;
    EndChunk end;
    end.is_process = true;
    return writer.append(end);
  }

  void told(uint64_t done) const {
    if (options_.progress) options_.progress(done, 2 * file_.events());
  }

  const EventFile& file_;
  const ImportOptions& options_;
  Places places_;
  FlowGraph graph_;
  ImportReport report_;
};

}  // namespace

Result<ImportReport> import_control_flow(const std::string& in, const std::string& out,
                                         const ImportOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const auto file = EventFile::open(in, out);
  if (!file) return std::unexpected(file.error());
  Import work(*file, options);
  if (auto drawn = work.draw(); !drawn) return std::unexpected(drawn.error());
  auto report = work.write(out);
  if (report)
    report->seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace vestige
