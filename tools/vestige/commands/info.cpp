// vestige info: what a trace holds, how big it is, and how the recorded processes ended.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "commands.h"
#include "descriptor_query.h"
#include "output.h"
#include "report.h"
#include "rows/tier_rows.h"
#include "trace_query.h"

namespace vestige::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Facts {
  TraceCounts counts;
  uint64_t raw_bytes = 0;  // four bytes for each block and each access: what a plain log would take
  double bits_per_statement = 0;
  double ratio = 0;
  std::vector<std::string> fatal;  // one sentence per thread that died of a signal
};

Result<Facts> gather(const Trace& trace) {
  Facts facts;
  const auto counts = trace.counts();
  if (!counts) return std::unexpected(counts.error());
  facts.counts = *counts;
  facts.raw_bytes = 4 * (counts->blocks + counts->loads + counts->stores);
  if (counts->statements) facts.bits_per_statement = 8.0 * trace.file_bytes() / counts->statements;
  if (trace.file_bytes()) facts.ratio = double(facts.raw_bytes) / trace.file_bytes();
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    const auto fatal = fatal_event(trace, thread);
    if (!fatal) return std::unexpected(fatal.error());
    if (*fatal)
      facts.fatal.push_back(
          fmt::format("thread {}: {}", thread_name(trace, thread), event_text(trace, **fatal)));
  }
  return facts;
}

const char* end_word(EndReason end) {
  switch (end) {
    case EndReason::exited:
      return "exited";
    case EndReason::killed:
      return "killed";
    case EndReason::execed:
      return "execed";
    case EndReason::stopped:
      return "stopped";
    case EndReason::unknown:
      break;
  }
  return "unknown";
}

// The number of ranks that were recorded; 1 when the run was no parallel one.
size_t ranks_of(const Trace& trace) {
  if (!trace.meta("ranks")) return 1;
  std::set<std::string> ranks;
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    const std::string name = thread_name(trace, t);
    ranks.insert(name.substr(0, name.find('.')));
  }
  return ranks.size();
}

Json to_json(const Trace& trace, const Facts& facts) {
  Json out;
  out["file"] = trace.file();
  out["what"] = trace.meta("what").value_or("control");
  out["threads"] = trace.threads().size();
  out["ranks"] = ranks_of(trace);
  if (const auto missing = trace.meta("missing")) out["missing"] = *missing;
  out["processes"] = trace.processes().size();
  out["modules"] = trace.modules().size();
  out["functions"] = trace.functions().size();
  out["paths"] = facts.counts.paths;
  out["blocks"] = facts.counts.blocks;
  out["statements"] = facts.counts.statements;
  out["loads"] = facts.counts.loads;
  out["stores"] = facts.counts.stores;
  out["sync_ops"] = facts.counts.sync_ops;
  out["raw_bytes"] = facts.raw_bytes;
  out["file_bytes"] = trace.file_bytes();
  Json sections = Json::object();
  for (const auto& [name, bytes] : trace.sections()) sections[name] = bytes;
  out["sections"] = sections;
  out["bits_per_statement"] = facts.bits_per_statement;
  out["ratio"] = facts.ratio;
  out["fatal"] = facts.fatal;
  Json processes = Json::array();
  for (const ProcessInfo& p : trace.processes()) {
    Json process;
    process["pid"] = p.pid;
    process["parent_pid"] = p.parent_pid;
    process["forked_from"] = p.forked_from == kNone ? Json() : Json(p.forked_from);
    process["executable"] = p.executable;
    process["arguments"] = p.arguments;
    process["end"] = end_word(p.end);
    process["status"] = p.status;
    processes.push_back(process);
  }
  out["process_list"] = processes;
  Json threads = Json::array();
  for (uint32_t i = 0; i < trace.threads().size(); ++i) {
    const ThreadInfo& t = trace.threads()[i];
    Json thread;
    thread["thread"] = i;
    thread["name"] = thread_name(trace, i);
    thread["process"] = t.process;
    thread["tid"] = t.tid;
    thread["handler"] = t.handler;
    thread["parent"] = t.parent == kNone ? Json() : Json(t.parent);
    thread["parent_time"] = t.parent_time;
    thread["first_time"] = t.first_time;
    thread["paths"] = t.paths;
    thread["end"] = end_word(t.end);
    thread["status"] = t.status;
    threads.push_back(thread);
  }
  out["thread_list"] = threads;
  Json modules = Json::array();
  for (const ModuleInfo& m : trace.modules()) {
    modules.push_back(
        {{"name", m.name}, {"load_address", m.load_address}, {"functions", m.function_count}});
  }
  out["module_list"] = modules;
  Json meta = Json::object();
  for (const auto& [key, value] : trace.meta()) meta[key] = value;
  out["meta"] = meta;
  return out;
}

void print_for_people(const Trace& trace, const Facts& facts, Output& out) {
  const TraceCounts& c = facts.counts;
  const auto line = [&](std::string_view name, const std::string& value) {
    out.print("{:<12}{}\n", name, value);
  };
  for (const ProcessInfo& p : trace.processes()) {
    std::string command = p.arguments.empty() ? p.executable : "";
    for (const std::string& argument : p.arguments)
      command += (command.empty() ? "" : " ") + argument;
    line("program", fmt::format("{} ({})", command, end_text(p.end, p.status)));
  }
  if (trace.meta("ranks"))
    line("ranks", fmt::format("{} of {}", ranks_of(trace), *trace.meta("ranks")));
  if (const auto missing = trace.meta("missing")) line("missing", *missing);
  for (const std::string& fatal : facts.fatal) line("died", fatal);
  size_t handlers = 0;
  for (const ThreadInfo& t : trace.threads()) handlers += t.handler;
  std::string threads = grouped(trace.threads().size() - handlers);
  if (handlers) threads += fmt::format(", and {} of signal handlers", grouped(handlers));
  line("threads", threads);
  line("code", fmt::format("{} in {}", counted(trace.functions().size(), "function"),
                           counted(trace.modules().size(), "module")));
  line("paths", grouped(c.paths));
  line("blocks", grouped(c.blocks));
  line("statements",
       fmt::format("{} ({} loads, {} stores, {} synchronization)", grouped(c.statements),
                   grouped(c.loads), grouped(c.stores), grouped(c.sync_ops)));
  std::string size = byte_size(trace.file_bytes());
  if (c.statements) size += fmt::format(", {:.3f} bits per statement", facts.bits_per_statement);
  if (facts.ratio >= 1.5)
    size += fmt::format(", {:.0f} times smaller than a plain log", facts.ratio);
  line("file", size);
  for (const auto& [name, bytes] : trace.sections()) {
    out.print("  {:<10}{:>14}  {:>5.1f} %\n", name, grouped(bytes),
              trace.file_bytes() ? 100.0 * bytes / trace.file_bytes() : 0.0);
  }
}

}  // namespace

int command_info(Arguments arguments) {
  CommandLine line("info", "What is in a trace: counts, bytes per section, how the program ended.",
                   "vestige info bzip2.vst");
  std::string file;
  Presentation presentation;
  line.add_trace(file);
  line.add_presentation(presentation, false);
  bool tiers = false;
  line.app().add_flag(
      "--tiers", tiers,
      "Also what it would take as a whole execution trace: original, tier 1, tier 2");
  if (const auto code = line.parse(arguments)) return *code;
  if (Descriptors::is_in(file)) return info_of_descriptors(file, presentation.json);
  const auto trace = open_trace(file);
  if (!trace) return kBadTrace;
  const auto facts = gather(*trace);
  if (!facts) return report_trace(facts.error());
  std::optional<TierReport> measured;
  if (tiers) {
    auto report = tiers_of(*trace, presentation);
    if (!report) return report_trace(report.error());
    measured = std::move(*report);
  }
  Output out;
  if (presentation.json) {
    Json json = to_json(*trace, *facts);
    if (measured) json["tiers"] = tiers_json(*measured);
    out.json(json);
  } else {
    print_for_people(*trace, *facts, out);
    if (measured) print_tiers(*measured, presentation, out);
  }
  return kDone;
}

}  // namespace vestige::cli
