// vestige diff: where two runs of a program first part, and how.
#include "vestige/diff.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "history_query.h"
#include "indexing.h"
#include "output.h"
#include "report.h"
#include "short_names.h"
#include "trace_query.h"
#include "value_text.h"
#include "vestige/values.h"

namespace vestige::cli {

namespace {

std::string function_name(const Trace& trace, uint32_t function) {
  return short_function(demangle(trace.functions()[function].name));
}

// "main B3 (prog.c:12:5)"
std::string block_text(const Trace& trace, uint32_t function, uint32_t block) {
  if (function == kNone) return "nothing more: it had ended";
  const Function& f = trace.functions()[function];
  if (block == kNone) return function_name(trace, function) + ", where it ended";
  const std::string place = location_text(f, block_location(f, block));
  return function_name(trace, function) + " " + block_name(block) +
         (place.empty() ? "" : " (" + place + ")");
}

nlohmann::ordered_json side_json(const Trace& trace, uint32_t function, uint32_t block) {
  if (function == kNone) return nullptr;
  const Function& f = trace.functions()[function];
  nlohmann::ordered_json out;
  out["function"] = demangle(f.name);
  if (block == kNone) {
    out["block"] = nullptr;
    return out;
  }
  out["block"] = block_name(block);
  const uint32_t location = block_location(f, block);
  out["line"] = location == kNone ? 0 : f.locations[location].line;
  return out;
}

nlohmann::ordered_json thread_json(const Trace& a, const Trace& b, const ThreadDiff& diff) {
  nlohmann::ordered_json out;
  out["thread"] = diff.thread;
  out["common_paths"] = diff.common;
  out["control"] = nullptr;
  if (diff.control) {
    const ControlDifference& c = *diff.control;
    out["control"] = {{"time", a.threads()[diff.thread].first_time + diff.common},
                      {"at", side_json(a, c.function, c.block)},
                      {"a", side_json(a, c.a.function, c.a.block)},
                      {"b", side_json(b, c.b.function, c.b.block)}};
  }
  out["values_compared"] = diff.values_compared;
  out["value"] = nullptr;
  if (diff.value) {
    const Function& f = a.functions()[diff.value->statement.function];
    const ValueType type = value_type(f, diff.value->statement.statement);
    const auto text = [&](const std::optional<uint64_t>& bits) {
      return nlohmann::ordered_json::parse(value_text(type, bits, Format::json), nullptr, false);
    };
    const uint32_t location = f.statements[diff.value->statement.statement].location;
    out["value"] = {{"time", diff.value->time},
                    {"id", statement_id(a, diff.value->statement)},
                    {"statement", statement_name(a, diff.value->statement)},
                    {"line", location == kNone ? 0 : f.locations[location].line},
                    {"instance", diff.value->instance},
                    {"a", text(diff.value->a)},
                    {"b", text(diff.value->b)}};
  }
  out["why"] = nlohmann::ordered_json::array();
  for (const DifferenceStep& step : diff.why) {
    const Function& f = a.functions()[step.statement.function];
    const ValueType type = value_type(f, step.statement.statement);
    const auto text = [&](const std::optional<uint64_t>& bits) {
      return nlohmann::ordered_json::parse(value_text(type, bits, Format::json), nullptr, false);
    };
    const uint32_t location = f.statements[step.statement.statement].location;
    out["why"].push_back({{"id", statement_id(a, step.statement)},
                          {"statement", statement_name(a, step.statement)},
                          {"function", demangle(f.name)},
                          {"line", location == kNone ? 0 : f.locations[location].line},
                          {"instance_a", step.instance_a},
                          {"instance_b", step.instance_b},
                          {"a", text(step.a)},
                          {"b", text(step.b)}});
  }
  return out;
}

void print_thread(Output& out, const Trace& a, const Trace& b, const ThreadDiff& diff) {
  const std::string name = thread_name(a, diff.thread);
  if (diff.value) {
    const Function& f = a.functions()[diff.value->statement.function];
    const ValueType type = value_type(f, diff.value->statement.statement);
    out.print("thread {}: the first value that differs, at time {}:\n  {}\n  A: {}\n  B: {}\n",
              name, diff.value->time, statement_headline(a, diff.value->statement),
              value_text(type, diff.value->a, Format::human),
              value_text(type, diff.value->b, Format::human));
  }
  if (diff.control) {
    const ControlDifference& c = *diff.control;
    out.print("thread {}: {} in common, then they part{}\n  A: {}\n  B: {}\n", name,
              counted(diff.common, "path"),
              c.function == kNone ? "" : " behind " + block_text(a, c.function, c.block),
              block_text(a, c.a.function, c.a.block), block_text(b, c.b.function, c.b.block));
  }
  for (size_t i = 0; i < diff.why.size(); ++i) {
    const DifferenceStep& step = diff.why[i];
    const Function& f = a.functions()[step.statement.function];
    const ValueType type = value_type(f, step.statement.statement);
    out.print("  {:<8}{}{}\n", i == 0 ? "why" : "from", statement_headline(a, step.statement),
              !step.a && !step.b ? ""
                                 : "  A: " + value_text(type, step.a, Format::human) +
                                       ", B: " + value_text(type, step.b, Format::human));
  }
  if (!diff.control && !diff.value) {
    out.print("thread {}: the same, {}{}\n", name, counted(diff.common, "path"),
              diff.values_compared ? " and their values" : "; values were not compared");
  }
}

}  // namespace

int command_diff(Arguments arguments) {
  CommandLine line("diff",
                   "Where two runs of the same program first part: in what they did, and in what "
                   "they computed (pointers left out).",
                   "vestige diff good.vst bad.vst");
  std::string first, second;
  bool control_only = false;
  Presentation presentation;
  line.app().add_option("A", first, "The first trace")->required()->type_name("");
  line.app().add_option("B", second, "The second trace")->required()->type_name("");
  line.app().add_flag("--control-only", control_only, "Do not compare values");
  bool no_why = false;
  line.app().add_flag("--no-why", no_why, "Do not look for what led them apart");
  line.add_presentation(presentation, false);
  if (const auto code = line.parse(arguments)) return *code;
  const auto a = open_control_flow(first);
  if (!a) return kBadTrace;
  const auto b = open_control_flow(second);
  if (!b) return kBadTrace;
  const auto found = diff_runs(*a, *b, {.values = !control_only, .why = !no_why});
  if (!found)
    return found.error().kind == ErrorKind::usage ? report_name(found.error())
                                                  : report_trace(found.error());
  Output out;
  if (presentation.json) {
    nlohmann::ordered_json json = {{"same", found->same()},
                                   {"threads", nlohmann::ordered_json::array()},
                                   {"threads_only_a", found->only_a},
                                   {"threads_only_b", found->only_b}};
    for (const ThreadDiff& thread : found->threads)
      json["threads"].push_back(thread_json(*a, *b, thread));
    out.json(json);
  } else {
    for (const ThreadDiff& thread : found->threads) print_thread(out, *a, *b, thread);
    for (const auto& [count, name] : {std::pair(found->only_a, "A"), {found->only_b, "B"}})
      if (count) out.print("{} thread{} only in {}\n", count, count == 1 ? "" : "s", name);
  }
  return found->same() ? kDone : kNo;
}

}  // namespace vestige::cli
