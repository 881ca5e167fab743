// record() of include/vestige/record.h: everything around the collector's loop.
#include "vestige/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>

#include "record/collect/collector.h"
#include "record/collect/launch.h"
#include "record/collect/signals.h"

namespace vestige {

namespace {


std::string quoted(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string result = "'";
  for (const char c : word) c == '\'' ? result += "'\\''" : result += c;
  return result + "'";
}

std::string quoted(const std::vector<std::string>& words) {
  std::vector<std::string> parts;
  for (const std::string& word : words) parts.push_back(quoted(word));
  return fmt::format("{}", fmt::join(parts, " "));
}

MetaChunk describe(const RecordOptions& options) {
  char directory[4096] = "", host[256] = "", started[64] = "";
  if (!::getcwd(directory, sizeof directory)) directory[0] = '\0';
  ::gethostname(host, sizeof host - 1);
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &utc);

  MetaChunk meta;
  const auto add = [&](const char* key, std::string value) {
    if (!value.empty()) meta.entries.emplace_back(key, std::move(value));
  };
  add("vestige", VESTIGE_VERSION);
  add("what", options.memory ? "memory" : options.full ? "full" : "control");
  add("command", quoted(options.command));
  add("directory", directory);
  add("host", host);
  add("started", started);
  // Which rank of an MPI run this is: Open MPI's name for it, and MPICH's.
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"})
    if (const char* rank = std::getenv(name)) {
      add("rank", rank);
      break;
    }
  add("include", quoted(options.include));
  add("exclude", quoted(options.exclude));
  add("start", options.start);
  add("stop", options.stop);
  if (options.max_size) add("max-size", std::to_string(options.max_size));
  if (options.last) add("last", std::to_string(options.last));
  return meta;
}

// Orphans of the program come to us, so that how they end is known.
class Subreaper {
 public:
  Subreaper() {
    ::prctl(PR_GET_CHILD_SUBREAPER, &before_);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  ~Subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, before_); }

 private:
  int before_ = 0;
};

int shell_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Result<RecordSummary> record(const RecordOptions& options) {
  if (options.command.empty()) return fail(ErrorKind::usage, "there is no program to record");
  SignalGuard signals;  // first: a file size limit (SIGXFSZ) is to be an error, not the end
  auto program = find_program(options.command.front());
  if (!program) return std::unexpected(std::move(program.error()));
  using protocol::Depth;
  auto session = Session::create(!options.full   ? Depth::control
                                 : options.check ? Depth::checked
                                                 : Depth::full);
  if (!session) return std::unexpected(std::move(session.error()));
  auto kinds = PathKinds::create(FunctionFilter(options));
  if (!kinds) return std::unexpected(std::move(kinds.error()));
  auto writer = StoreWriter::create(options.output);
  if (!writer) return std::unexpected(std::move(writer.error()));

  Subreaper subreaper;
  if (auto ok = writer->append(describe(options)); !ok)
    return std::unexpected(std::move(ok.error()));
  const auto main = launch(*program, options.command, session->variable());
  if (!main) {
    ::unlink(options.output.c_str());
    return std::unexpected(main.error());
  }

  Collector collector(*session, *writer, *kinds, options, *main);
  while (true) {
    const bool busy = collector.work();
    collector.tick(signals.child_ended());
    signals.pass_on(*main);
    if (busy) continue;
    if (collector.finished()) break;
    collector.sleep();
  }

  RecordSummary summary;
  const auto finished = writer->finish();
  collector.fill(summary);
  summary.exit_status = shell_status(*collector.processes().main_status());
  summary.file_bytes = writer->bytes_written();
  if (!finished && summary.problem.empty()) summary.problem = finished.error().message;
  if (options.check && summary.recorded && !collector.gave_checked())
    summary.warning =
        "nothing that ran was compiled with vestige-cc --vestige-check, so verify has only branches "
        "and told values to compare";
  if (kinds->filter().triggered() && summary.recorded) {
    kinds->judge_all();
    if (!options.start.empty() && !kinds->saw_start())
      summary.warning = "no recorded function is named " + options.start + " (--start)";
    else if (!options.stop.empty() && !kinds->saw_stop())
      summary.warning = "no recorded function is named " + options.stop + " (--stop)";
  }
  return summary;
}

}  // namespace vestige
