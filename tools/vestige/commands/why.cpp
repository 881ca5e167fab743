// vestige why: where a value came from, copy by copy, and what computed it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "indexing.h"
#include "output.h"
#include "report.h"
#include "rows/slice_rows.h"
#include "slice_criterion.h"
#include "trace_query.h"

namespace vestige::cli {

namespace {

// More than these explain nothing.
constexpr size_t kMostOrigins = 8;

// The members that nothing else of the chain gave their value: what computed it.
std::vector<size_t> origins_of(const Slice& chain) {
  std::vector<bool> given(chain.instances.size());
  for (const SliceInstance& member : chain.instances)
    if (member.of != kNone) given[member.of] = true;
  std::vector<size_t> origins;
  for (size_t i = 0; i < given.size(); ++i)
    if (!given[i]) origins.push_back(i);
  return origins;
}

// What an origin was computed from.
Result<std::vector<SliceInstance>> inputs_of(const Trace& trace, Slicer& slicer,
                                             const SliceInstance& origin) {
  SliceOptions options;
  options.statement = origin.statement;
  options.instance = origin.instance;
  options.thread = origin.thread;
  options.data_only = true;
  options.depth = 1;
  options.instances = true;
  auto near = slicer.slice(options);
  if (!near) return std::unexpected(std::move(near.error()));
  // Where a variable lies explains nothing.
  std::erase_if(near->instances, [&](const SliceInstance& m) {
    const Function& function = trace.functions()[m.statement.function];
    return m.depth == 0 || function.statements[m.statement.statement].op == Op::alloca_;
  });
  return std::move(near->instances);
}

}  // namespace

int command_why(Arguments arguments) {
  CommandLine line("why", "Where a value came from, copy by copy, and what computed it.",
                   "vestige why bzip2.vst --at compress.c:120:9@1000");
  std::string file, at, thread;
  Presentation presentation;
  line.add_trace(file);
  add_criterion(line, at, thread);
  line.add_presentation(presentation, false);
  if (const auto code = line.parse(arguments)) return *code;
  const auto trace = open_trace(file);
  if (!trace) return kBadTrace;
  auto options = parse_criterion(*trace, at, thread);
  if (!options) return report_name(options.error());
  options->copies_only = options->instances = true;
  note_untold_values(*trace, presentation.quiet);
  dependences_for_query(*trace, presentation);
  const auto start = std::chrono::steady_clock::now();
  auto slicer = Slicer::open(*trace);
  if (!slicer) return report_slice(slicer.error());
  const auto chain = slicer->slice(*options);
  if (!chain) return report_slice(chain.error());
  const std::vector<size_t> origins = origins_of(*chain);
  std::vector<std::vector<SliceInstance>> inputs;
  for (size_t i = 0; i < std::min(origins.size(), kMostOrigins); ++i) {
    auto found = inputs_of(*trace, *slicer, chain->instances[origins[i]]);
    if (!found) return report_slice(found.error());
    inputs.push_back(std::move(*found));
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  // From the criterion back.
  std::vector<const SliceInstance*> members;
  for (const SliceInstance& member : chain->instances) members.push_back(&member);
  std::ranges::sort(members, [](const SliceInstance* a, const SliceInstance* b) {
    return a->depth != b->depth ? a->depth < b->depth : a > b;
  });
  Output out;
  if (presentation.format() == Format::json) {
    nlohmann::ordered_json json;
    json["criterion"] = member_json(*trace, chain->criterion);
    json["chain"] = nlohmann::ordered_json::array();
    for (const SliceInstance* member : members)
      json["chain"].push_back(member_json(*trace, *member));
    json["origins"] = nlohmann::ordered_json::array();
    for (size_t i = 0; i < inputs.size(); ++i) {
      nlohmann::ordered_json origin = member_json(*trace, chain->instances[origins[i]]);
      origin["inputs"] = nlohmann::ordered_json::array();
      for (const SliceInstance& input : inputs[i])
        origin["inputs"].push_back(member_json(*trace, input));
      json["origins"].push_back(std::move(origin));
    }
    json["seconds"] = seconds;
    out.json(json);
    return kDone;
  }
  for (const SliceInstance* member : members) out.print("{}\n", member_text(*trace, *member));
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].empty()) continue;
    const SliceInstance& origin = chain->instances[origins[i]];
    out.print("#{}@{} is from\n", statement_id(*trace, origin.statement), origin.instance);
    for (const SliceInstance& input : inputs[i]) out.print("  {}\n", member_text(*trace, input));
  }
  if (origins.size() > inputs.size())
    out.more(more_text(origins.size() - inputs.size(), "origins"));
  return kDone;
}

}  // namespace vestige::cli
