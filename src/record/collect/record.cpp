// record() of include/vestige/record.h: everything around the collector's loop.
#include "vestige/record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "record/collect/collector.h"
#include "record/collect/launch.h"
#include "record/collect/preload.h"
#include "record/collect/rank_meeting.h"
#include "record/collect/signals.h"
#include "store/cut.h"
#include "vestige/record_ranks.h"
#include "vestige/version.h"

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

protocol::Order order_of(const RecordOptions& options) {
  if (!options.order) return protocol::Order::none;
  const char* by_locks = std::getenv("VESTIGE_ORDER_BY_LOCKS");
  return by_locks && *by_locks ? protocol::Order::by_locks : protocol::Order::wanted;
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
  if (options.order)
    add("order", order_of(options) == protocol::Order::by_locks ? "by locks" : "yes");
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

// What a recording consists of beside the program.
struct Parts {
  Session session;
  PathKinds kinds;
  StoreWriter writer;

  static Result<Parts> create(const RecordOptions& options, const MetaChunk& meta) {
    using protocol::Depth;
    auto session = Session::create(!options.full    ? Depth::control
                                   : options.check  ? Depth::checked
                                   : options.memory ? Depth::addresses
                                                    : Depth::full);
    if (!session) return std::unexpected(std::move(session.error()));
    session->header().order = order_of(options);
    session->header().exit_wait = options.exit_wait;
    auto kinds = PathKinds::create(FunctionFilter(options));
    if (!kinds) return std::unexpected(std::move(kinds.error()));
    auto writer = StoreWriter::create(options.output);
    if (!writer) return std::unexpected(std::move(writer.error()));
    if (auto ok = writer->append(meta); !ok) return std::unexpected(std::move(ok.error()));
    return Parts{std::move(*session), std::move(*kinds), std::move(*writer)};
  }
};

// What waited to be written when the file was full made it larger than it may be: the end of that
// is left out again. (Who follows the file while it grows knows it already.)
Result<void> cut_to_cap(const RecordOptions& options, RecordSummary& summary) {
  if (options.max_size == 0 || options.written || summary.file_bytes <= options.max_size) return {};
  const std::string fresh = options.output + ".cut";
  const auto cut = cut_store(options.output, fresh, options.max_size);
  if (!cut || ::rename(fresh.c_str(), options.output.c_str()) != 0) {
    ::unlink(fresh.c_str());
    return cut ? fail(ErrorKind::io, "cannot write " + options.output + ": " + std::strerror(errno))
               : std::unexpected(cut.error());
  }
  summary.size_cap_reached = true;
  summary.file_bytes = cut->bytes;
  summary.paths = cut->paths;
  return {};
}

// Collects until all is over, and ends the file.
RecordSummary collect(Parts& parts, const RecordOptions& options, SignalGuard& signals, pid_t main,
                      RankTable* ranks) {
  Collector collector(parts.session, parts.writer, parts.kinds, options, main, ranks);
  while (true) {
    const bool busy = collector.work();
    collector.tick(signals.child_ended());
    signals.pass_on(main);
    if (busy) continue;
    if (collector.finished()) break;
    collector.sleep();
  }

  RecordSummary summary;
  if (ranks) {
    summary.missing = ranks->missing();
    // An error stays with the writer and comes back when it finishes.
    if (!summary.missing.empty())
      (void)parts.writer.append(MetaChunk{{{"missing", summary.missing}}});
  }
  collector.finish_order();
  const auto finished = parts.writer.finish();
  collector.fill(summary);
  if (!ranks) summary.exit_status = shell_status(*collector.processes().main_status());
  summary.file_bytes = parts.writer.bytes_written();
  if (!finished && summary.problem.empty()) summary.problem = finished.error().message;
  if (finished && summary.recorded)
    if (auto cut = cut_to_cap(options, summary); !cut && summary.problem.empty())
      summary.problem = cut.error().message;
  if (options.check && summary.recorded && !collector.gave_checked())
    summary.warning =
        "nothing that ran was compiled with vestige-cc --vestige-check, so verify has only "
        "branches "
        "and told values to compare";
  if (summary.disorderly != 0 && summary.orderly != 0 && summary.threads > 1)
    summary.warning = fmt::format(
        "{} of {} functions were compiled without the order of accesses (vestige-cc "
        "--vestige-order), so "
        "what they access has no place in it",
        summary.disorderly, summary.orderly + summary.disorderly);
  else if (summary.order_lost != 0)
    summary.warning = fmt::format("{} accesses have no place in the order", summary.order_lost);
  PathKinds& kinds = parts.kinds;
  if (kinds.filter().active() && summary.recorded) {
    kinds.judge_all();
    if (const std::string pattern = kinds.filter().unfitting(); !pattern.empty())
      summary.warning = "no recorded function or file matches " + pattern + " (--include)";
    else if (!options.start.empty() && !kinds.saw_start())
      summary.warning = "no recorded function is named " + options.start + " (--start)";
    else if (!options.stop.empty() && !kinds.saw_stop())
      summary.warning = "no recorded function is named " + options.stop + " (--stop)";
  }
  return summary;
}

// At once: whoever reads the file finds all of the line or nothing.
Result<void> write_meeting(const RankMeeting& meeting, const std::string& line) {
  const std::string fresh = meeting.file + ".new";
  const int fd = ::open(fresh.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  const std::string text = line + "\n";
  const bool written =
      fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (fd >= 0) ::close(fd);
  if (written && ::rename(fresh.c_str(), meeting.file.c_str()) == 0) return {};
  return fail(ErrorKind::io, "cannot write " + meeting.file + ": " + std::strerror(errno));
}

}  // namespace

Result<RecordSummary> record(const RecordOptions& options) {
  if (options.command.empty()) return fail(ErrorKind::usage, "there is no program to record");
  SignalGuard signals;  // first: a file size limit (SIGXFSZ) is to be an error, not the end
  auto program = find_program(options.command.front());
  if (!program) return std::unexpected(std::move(program.error()));
  auto parts = Parts::create(options, describe(options));
  if (!parts) return std::unexpected(std::move(parts.error()));
  Subreaper subreaper;
  const std::string openmp = openmp_libraries(*program);
  const auto main = launch(*program, options.command, parts->session.variable(), openmp);
  if (!main) {
    ::unlink(options.output.c_str());
    return std::unexpected(main.error());
  }
  RecordSummary summary = collect(*parts, options, signals, *main, nullptr);
  if (summary.warning.empty() && openmp.empty() && has_gnu_openmp(*program))
    summary.warning =
        "the program uses gcc's OpenMP, of whose synchronization nothing is known; with LLVM's "
        "(package libomp5-19) it would be used instead, and tell";
  return summary;
}

Result<RecordSummary> collect_ranks(const RecordOptions& options, const ParallelRun& run,
                                    const RankMeeting& meeting) {
  SignalGuard signals;
  MetaChunk meta = describe(options);
  std::erase_if(meta.entries, [](const auto& entry) { return entry.first == "rank"; });
  meta.entries.emplace_back("ranks", std::to_string(run.size));
  auto parts = Parts::create(options, meta);
  const std::string line =
      parts ? parts->session.variable() : kMeetingFailed + parts.error().message;
  if (auto told = write_meeting(meeting, line); !told) {
    ::unlink(meeting.file.c_str());
    return std::unexpected(told.error());
  }
  if (!parts) return std::unexpected(std::move(parts.error()));
  RankTable ranks(parts->session, run.size, run.size_here, [&](uint32_t rank) {
    const auto output = noticed_output(meeting, rank);
    return output && *output != notice_of(options);
  });
  RecordSummary summary = collect(*parts, options, signals, 0, &ranks);
  summary.ranks = run.size;
  ::unlink(meeting.file.c_str());
  return summary;
}

}  // namespace vestige
