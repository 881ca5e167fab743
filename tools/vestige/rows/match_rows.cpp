#include "rows/match_rows.h"

#include <fmt/format.h>

#include "report.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
#include "short_names.h"
#include "vestige/query.h"

namespace vestige::cli {

namespace {

// Where the match ended: the block's place in the source; empty when it has none.
std::string place_of(const Trace& trace, const PathMatch& match, uint32_t& block) {
  block = kNone;
  auto cursor = trace.walk(match.thread);
  if (!cursor || !cursor->seek(match.time)) return {};
  const Path& path = cursor->path();
  if (match.block >= path.blocks.size()) return {};
  block = path.blocks[match.block];
  const Function& function = trace.functions()[path.function];
  return short_place(function, block_location(function, block));
}

std::string caller_name(const Trace& trace, uint32_t caller) {
  return caller == kNone ? "" : demangle(trace.functions()[caller].name);
}

struct MatchRow {
  const Trace& trace;
  const PathMatch& match;
  const PathSearch::Activation& activation;
};

constexpr Column<MatchRow> kMatchColumns[] = {
    {"thread", ColumnType::number, "number of the thread",
     [](const MatchRow& row) -> Cell { return row.match.thread; }, Forms::both, right("thread", 6),
     [](const MatchRow& row) { return thread_name(row.trace, row.match.thread); }},
    {"time", ColumnType::number, "of its last block",
     [](const MatchRow& row) -> Cell { return row.match.time; }, Forms::both, right("time", 14)},
    {"activation", ColumnType::number, "when the function was entered",
     [](const MatchRow& row) {
       return row.activation.entered ? Cell(row.activation.entered) : Cell(nullptr);
     },
     Forms::both, right("activation", 14)},
    {"caller", ColumnType::text, "the function that called it",
     [](const MatchRow& row) {
       return Cell::text_or_null(caller_name(row.trace, row.activation.caller));
     },
     Forms::both, left("caller", 0, 2),
     [](const MatchRow& row) {
       return short_function(caller_name(row.trace, row.activation.caller));
     }},
};

}  // namespace

std::string match_text(const Trace& trace, const PathSearch& search, const PathMatch& match) {
  const auto activation = search.activation(match.thread, match.time);
  uint32_t block = kNone;
  const std::string place = place_of(trace, match, block);
  std::string text =
      fmt::format("thread {}, time {}", thread_name(trace, match.thread), match.time);
  if (!place.empty()) text += ", at " + place;
  if (activation.entered != 0) {
    text += fmt::format(", in the activation entered at {}", activation.entered);
    if (activation.caller != kNone)
      text += " by " + short_function(caller_name(trace, activation.caller));
  }
  return text;
}

int print_matches(const Trace& trace, const PathSearch& search, const PathPattern& pattern,
                  MatchScheme scheme, Format format, Output& out) {
  MatchCursor matches = search.matches(pattern, scheme);
  RowWriter<MatchRow> rows(kMatchColumns, {format}, out);
  rows.begin();
  while (const auto match = matches.next())
    rows.row({trace, *match, search.activation(match->thread, match->time)});
  out.flush();
  if (matches.error()) return report_trace(*matches.error());
  return rows.rows() > 0 ? kDone : kNo;
}

RowTable match_rows() { return describe("match --all", kMatchColumns); }

}  // namespace vestige::cli
