#include "explanation.h"

#include <algorithm>
#include <numeric>

#include "trace_query.h"

namespace vestige::cli {
namespace {

using Counts = std::vector<uint64_t>;

uint64_t sum(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
}

std::string share(uint64_t part, uint64_t whole) {
  return whole ? fmt::format("{:.2f} %", 100.0 * part / whole) : "";
}

size_t most_frequent(const Counts& counts) {
  return std::ranges::max_element(counts) - counts.begin();
}

// The PCs by how often they occur, the lower first among equals.
using PcCounts = std::pair<uint64_t, const Counts*>;
std::vector<PcCounts> by_frequency(const PredictorReport& field) {
  std::vector<PcCounts> rows;
  for (const auto& [pc, counts] : field.by_pc) rows.emplace_back(pc, &counts);
  std::ranges::sort(rows, {},
                    [](const PcCounts& row) { return std::pair(~sum(*row.second), row.first); });
  return rows;
}

void print_predictors(const PredictorReport& field, bool color, Output& out) {
  using enum Table::Align;
  const uint64_t total = sum(field.counts);
  out.print("field {}: {} values", field.field, grouped(total));
  if (field.bytes) out.print(", {} bytes", grouped(field.bytes));
  out.text("\n");
  Table table({"predictor", "predicted", "share"}, {left, right, right});
  for (size_t i = 0; i < std::min(field.predictors.size(), field.counts.size()); ++i)
    table.row({field.predictors[i], grouped(field.counts[i]), share(field.counts[i], total)});
  table.print(out, color);
}

void print_pcs(const PredictorReport& field, bool all, bool color, Output& out) {
  using enum Table::Align;
  constexpr size_t kShown = 10;
  if (field.by_pc.empty()) return;
  const auto rows = by_frequency(field);
  const size_t shown = all ? rows.size() : std::min(rows.size(), kShown);
  out.text("\n");
  Table table({"pc", "values", "mostly by", "share", "by none"}, {left, right, left, right, right});
  for (size_t i = 0; i < shown; ++i) {
    const auto& [pc, counts] = rows[i];
    const size_t best = most_frequent(*counts);
    const uint64_t total = sum(*counts);
    table.row({fmt::format("{:#x}", pc), grouped(total),
               best < field.predictors.size() ? field.predictors[best] : "",
               share((*counts)[best], total), share(counts->back(), total)});
  }
  table.print(out, color);
  if (rows.size() > shown) out.more(more_text(rows.size() - shown, "PCs"));
}

}  // namespace

nlohmann::ordered_json explanation_json(const std::vector<PredictorReport>& fields) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const PredictorReport& field : fields) {
    const uint64_t total = sum(field.counts);
    Json predictors = Json::array();
    for (size_t i = 0; i < std::min(field.predictors.size(), field.counts.size()); ++i)
      predictors.push_back({{"predictor", field.predictors[i]},
                            {"count", field.counts[i]},
                            {"share", total ? double(field.counts[i]) / total : 0.0}});
    Json pcs = Json::array();
    for (const auto& [pc, counts] : by_frequency(field))
      pcs.push_back({{"pc", pc}, {"counts", *counts}});
    list.push_back({{"field", field.field},
                    {"values", total},
                    {"bytes", field.bytes},
                    {"predictors", std::move(predictors)},
                    {"by_pc", std::move(pcs)}});
  }
  return list;
}

void print_explanation(const std::vector<PredictorReport>& fields, bool all, bool color,
                       Output& out) {
  if (fields.empty()) out.text("this codec does not tell which predictor predicted what\n");
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i) out.text("\n");
    print_predictors(fields[i], color, out);
    print_pcs(fields[i], all, color, out);
  }
}

}  // namespace vestige::cli
