#include "rows/tier_rows.h"

#include <fmt/format.h>

#include "indexing.h"
#include "progress.h"

namespace vestige::cli {
namespace {

TierSizes sum_of(const TierReport& r) {
  return {r.times.original + r.values.original + r.edges.original,
          r.times.tier1 + r.values.tier1 + r.edges.tier1,
          r.times.tier2 + r.values.tier2 + r.edges.tier2};
}

double ratio(uint64_t whole, uint64_t part) {
  return part == 0 ? 0 : static_cast<double>(whole) / static_cast<double>(part);
}

nlohmann::ordered_json sizes_json(const TierSizes& sizes) {
  return {{"original", sizes.original}, {"tier1", sizes.tier1}, {"tier2", sizes.tier2}};
}

}  // namespace

Result<TierReport> tiers_of(const Trace& trace, const Presentation& presentation) {
  dependences_for_query(trace, presentation);
  TierOptions options;
  Progress progress(presentation.quiet, presentation.color);
  options.progress = [&](uint64_t done, uint64_t total) { progress.count(done, total, "paths"); };
  return measure_tiers(trace, options);
}

nlohmann::ordered_json tiers_json(const TierReport& r) {
  const TierSizes total = sum_of(r);
  nlohmann::ordered_json json;
  json["node_times"] = sizes_json(r.times);
  json["node_values"] = sizes_json(r.values);
  json["edges"] = sizes_json(r.edges);
  json["total"] = sizes_json(total);
  json["bits_per_statement"] =
      r.statements == 0 ? 0.0 : 8.0 * static_cast<double>(total.tier2) / double(r.statements);
  json["statements"] = r.statements;
  json["nodes"] = r.nodes;
  json["node_executions"] = r.paths;
  json["value_groups"] = r.groups;
  json["dependences"] = {{"all", r.dependences},
                         {"memory", r.memory_dependences},
                         {"control", r.control_dependences},
                         {"inferred", r.inferred},
                         {"shared", r.shared}};
  json["unknown_values"] = r.unknown_values;
  json["segments"] = r.segments;
  json["codecs"] = r.codecs;
  return json;
}

void print_tiers(const TierReport& r, const Presentation& presentation, Output& out) {
  const TierSizes total = sum_of(r);
  out.text("\n");
  using enum Table::Align;
  Table table(
      {"whole execution trace", "original", "%", "tier 1", "%", "ratio", "tier 2", "%", "ratio"},
      {left, right, right, right, right, right, right, right, right});
  const auto row = [&](const char* name, const TierSizes& s) {
    const auto share = [](uint64_t part, uint64_t whole) {
      return fmt::format("{:.1f}", whole == 0 ? 0 : 100 * double(part) / double(whole));
    };
    table.row({name, grouped(s.original), share(s.original, total.original), grouped(s.tier1),
               share(s.tier1, total.tier1), fmt::format("{:.2f}", ratio(s.original, s.tier1)),
               grouped(s.tier2), share(s.tier2, total.tier2),
               fmt::format("{:.2f}", ratio(s.original, s.tier2))});
  };
  row("times of nodes", r.times);
  row("values of nodes", r.values);
  row("edges", r.edges);
  row("together", total);
  table.print(out, wants_color(presentation.color));
  out.print("{}, executed {}; {} of values\n", counted(r.nodes, "node"), counted(r.paths, "time"),
            counted(r.groups, "group"));
  out.print("{} dependences: {} inferred, {} with the labels of another edge\n",
            grouped(r.dependences), grouped(r.inferred), grouped(r.shared));
  if (r.statements > 0)
    out.print("{:.3f} bits per statement\n", 8.0 * double(total.tier2) / double(r.statements));
  if (r.segments > 1)
    out.print("streams were cut {} times to save memory\n", grouped(r.segments - 1));
}

}  // namespace vestige::cli
