#include "match_rows.h"

#include <fmt/format.h>

#include "report.h"
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
  if (format == Format::csv) out.text("thread,time,activation,caller\n");
  if (format == Format::human)
    out.print("{:>6}{:>14}{:>14}  {}\n", "thread", "time", "activation", "caller");
  uint64_t rows = 0;
  while (const auto match = matches.next()) {
    ++rows;
    const auto activation = search.activation(match->thread, match->time);
    const std::string caller = caller_name(trace, activation.caller);
    const std::string entered = activation.entered ? std::to_string(activation.entered) : "";
    if (format == Format::json)
      out.print("{{\"thread\":{},\"time\":{},\"activation\":{},\"caller\":{}}}\n", match->thread,
                match->time, entered.empty() ? "null" : entered,
                caller.empty() ? "null" : json_string(caller));
    else if (format == Format::csv)
      out.print("{},{},{},{}\n", match->thread, match->time, entered, csv_field(caller));
    else
      out.print("{:>6}{:>14}{:>14}  {}\n", thread_name(trace, match->thread), match->time, entered,
                short_function(caller));
  }
  out.flush();
  if (matches.error()) return report_trace(*matches.error());
  return rows > 0 ? kDone : kNo;
}

}  // namespace vestige::cli
