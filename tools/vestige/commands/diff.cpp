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

constexpr size_t kShortChain = 24;

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

// A value of either run, as JSON or for people.
std::string bits_text(const Function& function, uint32_t statement,
                      const std::optional<uint64_t>& bits, const WideRef& wide, Format format) {
  const ValueType type = value_type(function, statement);
  return type.bits == 0 && wide ? wide_text(wide_items(function, statement), wide, format)
                                : value_text(type, bits, format);
}

nlohmann::ordered_json bits_json(const Function& function, uint32_t statement,
                                 const std::optional<uint64_t>& bits, const WideRef& wide) {
  return nlohmann::ordered_json::parse(bits_text(function, statement, bits, wide, Format::json),
                                       nullptr, false);
}

nlohmann::ordered_json value_json(const Trace& a, const std::optional<ValueDifference>& value) {
  if (!value) return nullptr;
  const auto [function, statement] = value->statement;
  const Function& f = a.functions()[function];
  const uint32_t location = f.statements[statement].location;
  nlohmann::ordered_json out = {{"time", value->time},
                                {"made", value->made},
                                {"id", statement_id(a, value->statement)},
                                {"statement", statement_name(a, value->statement)},
                                {"function", demangle(f.name)},
                                {"line", location == kNone ? 0 : f.locations[location].line}};
  if (value->instance != 0) out["instance"] = value->instance;
  out["a"] = bits_json(f, statement, value->a, value->wide_a);
  out["b"] = bits_json(f, statement, value->b, value->wide_b);
  return out;
}

nlohmann::ordered_json step_json(const Trace& a, const DifferenceStep& step) {
  const Function& f = a.functions()[step.statement.function];
  const uint32_t statement = step.statement.statement;
  const uint32_t location = f.statements[statement].location;
  return {{"id", statement_id(a, step.statement)},
          {"statement", statement_name(a, step.statement)},
          {"function", demangle(f.name)},
          {"line", location == kNone ? 0 : f.locations[location].line},
          {"instance_a", step.instance_a},
          {"instance_b", step.instance_b},
          {"a", bits_json(f, statement, step.a, nullptr)},
          {"b", bits_json(f, statement, step.b, nullptr)}};
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
  out["value"] = value_json(a, diff.value);
  out["last_value"] = value_json(a, diff.last);
  out["why"] = nlohmann::ordered_json::array();
  for (const DifferenceStep& step : diff.why) out["why"].push_back(step_json(a, step));
  out["why_ends_at_value"] = diff.why_begins;
  return out;
}

void print_value(Output& out, const Trace& a, const ValueDifference& value) {
  const Function& f = a.functions()[value.statement.function];
  const uint32_t statement = value.statement.statement;
  out.print("  {}\n  A: {}\n  B: {}\n", statement_headline(a, value.statement),
            bits_text(f, statement, value.a, value.wide_a, Format::human),
            bits_text(f, statement, value.b, value.wide_b, Format::human));
}

// From what differed first to where it shows.
void print_chain(Output& out, const Trace& a, const ThreadDiff& diff, bool all) {
  const size_t count = diff.why.size();
  const bool cut = !all && count > kShortChain;
  for (size_t i = 0; i < count; ++i) {
    if (cut && i == kShortChain / 2) {
      out.more(fmt::format("  … {} more (use --all)\n", count - kShortChain));
      i = count - kShortChain / 2;
    }
    const DifferenceStep& step = diff.why[count - 1 - i];
    const Function& f = a.functions()[step.statement.function];
    const auto text = [&](const std::optional<uint64_t>& bits) {
      return bits_text(f, step.statement.statement, bits, nullptr, Format::human);
    };
    out.print("  {:<8}{}{}\n",
              i > 0             ? "then"
              : diff.why_begins ? "first"
                                : "from",
              statement_headline(a, step.statement),
              !step.a && !step.b ? "" : "  A: " + text(step.a) + ", B: " + text(step.b));
  }
}

void print_thread(Output& out, const Trace& a, const Trace& b, const ThreadDiff& diff, bool all) {
  const std::string name = thread_name(a, diff.thread);
  if (diff.value) {
    out.print("thread {}: the first value that differs, at time {}:\n", name, diff.value->time);
    print_value(out, a, *diff.value);
  }
  if (diff.control) {
    const ControlDifference& c = *diff.control;
    out.print("thread {}: {} in common, then they part{}\n  A: {}\n  B: {}\n", name,
              counted(diff.common, "path"),
              c.function == kNone ? "" : " behind " + block_text(a, c.function, c.block),
              block_text(a, c.a.function, c.a.block), block_text(b, c.b.function, c.b.block));
  } else if (diff.last && diff.why.size() != 1) {
    out.print("thread {}: the last value that differs, at time {}:\n", name, diff.last->time);
    print_value(out, a, *diff.last);
  }
  if (diff.why.size() > 1) print_chain(out, a, diff, all);
  if (!diff.control && !diff.value) {
    out.print("thread {}: the same, {}{}\n", name, counted(diff.common, "path"),
              diff.values_compared ? " and their values" : "; values were not compared");
  }
}

}  // namespace

int command_diff(Arguments arguments) {
  CommandLine line("diff",
                   "Where two runs of the same program first part: in what they did, and in what "
                   "they computed (where things lie left out).",
                   "vestige diff good.vst bad.vst");
  std::string first, second;
  bool control_only = false;
  Presentation presentation;
  line.app().add_option("A", first, "The first trace")->required()->type_name("");
  line.app().add_option("B", second, "The second trace")->required()->type_name("");
  line.app().add_flag("--control-only", control_only, "Do not compare values");
  bool no_why = false, all = false;
  line.app().add_flag("--no-why", no_why, "Do not look for what led them apart");
  line.app().add_flag("--all", all, "Every step of what led them apart");
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
    for (const ThreadDiff& thread : found->threads) print_thread(out, *a, *b, thread, all);
    for (const auto& [count, name] : {std::pair(found->only_a, "A"), {found->only_b, "B"}})
      if (count) out.print("{} thread{} only in {}\n", count, count == 1 ? "" : "s", name);
  }
  return found->same() ? kDone : kNo;
}

}  // namespace vestige::cli
