#include "trace/paths/annotate_paths.h"

#include <algorithm>

namespace vestige {

using namespace sequitur;

AnnotatedPaths annotate_paths(const PlainGrammar& grammar, const std::vector<Terminal>& terminals,
                              const std::vector<uint32_t>& raw) {
  AnnotatedPaths out;
  std::vector<uint64_t> raw_of_terminal;
  for (const uint64_t value : grammar.terminals) {
    out.terminals.push_back(terminals[value]);
    raw_of_terminal.push_back(raw[value]);
  }
  for (const Run& run : grammar.runs) out.runs.push_back({run.symbol, 0, run.count});
  out.ends = grammar.ends;
  out.symbols = grammar.symbols;
  for (uint32_t rule = 0; rule < grammar.rules(); ++rule) {
    Extent all;
    uint64_t touched = 0, events = 0;
    for (uint32_t place = grammar.begin(rule); place < grammar.ends[rule]; ++place) {
      const Run run = grammar.run(place);
      const PathGrammar so_far = out.view();
      all = joined(all, so_far.extent(run));
      touched |= so_far.touched(run.symbol);
      events += run.count *
                (is_rule(run.symbol) ? out.raw[rule_of(run.symbol)] : raw_of_terminal[run.symbol]);
    }
    out.rules.push_back(
        {all.times, touched, static_cast<int32_t>(all.net), static_cast<int32_t>(all.lowest)});
    out.raw.push_back(events);
  }
  return out;
}

namespace {

// For up to 64 chunks at once: which of them each rule and terminal is in, from the start rule
// down. Gives the functions of each chunk.
void collect_functions(const AnnotatedPaths& paths, std::span<const PathChunk> chunks,
                       std::vector<std::vector<uint32_t>>& functions) {
  const PathGrammar grammar = paths.view();
  std::vector<uint64_t> in_rule(paths.rules.size()), in_terminal(paths.terminals.size());
  const auto spread = [&](uint32_t place, uint64_t chunks_here) {
    const Symbol s = grammar.run(place).symbol;
    (is_rule(s) ? in_rule[rule_of(s)] : in_terminal[s]) |= chunks_here;
  };
  for (size_t c = 0; c < chunks.size(); ++c)
    for (uint32_t place = chunks[c].begin; place < chunks[c].end; ++place)
      spread(place, uint64_t{1} << c);
  for (uint32_t rule = grammar.start(); rule-- > 0;)
    if (in_rule[rule] != 0)
      for (uint32_t place = grammar.begin(rule); place < grammar.ends[rule]; ++place)
        spread(place, in_rule[rule]);
  functions.assign(chunks.size(), {});
  for (size_t t = 0; t < in_terminal.size(); ++t)
    if (paths.terminals[t].function != kNone)
      for (size_t c = 0; c < chunks.size(); ++c)
        if (in_terminal[t] >> c & 1) functions[c].push_back(paths.terminals[t].function);
}

}  // namespace

void add_rule_chunks(ChunkIndex& index, const AnnotatedPaths& paths, uint32_t part,
                     uint64_t first_time, uint64_t chunk_events) {
  const PathGrammar grammar = paths.view();
  std::vector<uint64_t> raw_of_terminal;
  std::vector<PathChunk> chunks;
  PathChunk chunk{part, grammar.begin(grammar.start()), 0, first_time, {}};
  uint64_t events = 0;
  const uint32_t end = grammar.ends[grammar.start()];
  for (uint32_t place = chunk.begin; place < end; ++place) {
    const Run run = grammar.run(place);
    chunk.extent = joined(chunk.extent, grammar.extent(run));
    // A terminal has few events; what counts are rules.
    events += run.count * (is_rule(run.symbol) ? paths.raw[rule_of(run.symbol)] : 3);
    if (events < chunk_events && place + 1 < end) continue;
    chunk.end = place + 1;
    chunks.push_back(chunk);
    chunk = {part, place + 1, 0, chunk.first_time + chunk.extent.times, {}};
    events = 0;
  }
  std::vector<std::vector<uint32_t>> functions;
  for (size_t at = 0; at < chunks.size(); at += 64) {
    const auto some = std::span(chunks).subspan(at, std::min<size_t>(64, chunks.size() - at));
    collect_functions(paths, some, functions);
    for (size_t c = 0; c < some.size(); ++c) index.add(some[c], std::move(functions[c]));
  }
}

}  // namespace vestige
