// A finished grammar of terminals, with everything that is known of its rules, ready to be written.
#pragma once

#include <vector>

#include "codec/sequitur/plain_grammar.h"
#include "trace/paths/chunk_index.h"
#include "trace/paths/path_grammar.h"

namespace vestige {

struct AnnotatedPaths {
  std::vector<Terminal> terminals;
  std::vector<RunRecord> runs;
  std::vector<RuleFacts> rules;
  std::vector<uint32_t> ends;
  std::vector<sequitur::Symbol> symbols;
  std::vector<uint64_t> raw;  // by rule: blocks, entries and exits in its expansion

  PathGrammar view() const { return {terminals, runs, rules, ends, symbols}; }
};

// Values of the grammar are numbers into `terminals`; `raw` counts the events of each of those.
AnnotatedPaths annotate_paths(const sequitur::PlainGrammar& grammar,
                              const std::vector<Terminal>& terminals,
                              const std::vector<uint32_t>& raw);

// Cuts the start rule of part number `part` into chunks of about `chunk_events` events (a symbol is
// not cut) and adds them; the part begins at `first_time`.
void add_rule_chunks(ChunkIndex& index, const AnnotatedPaths& paths, uint32_t part,
                     uint64_t first_time, uint64_t chunk_events);

}  // namespace vestige
