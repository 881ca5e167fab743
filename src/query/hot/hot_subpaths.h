// The costly short sequences of a stream, found on its grammar without expanding it: minimal hot
// subpaths of a whole program path (J. R. Larus, "Whole Program Paths", PLDI 1999), hot data
// streams.
//
// A subpath is a contiguous sequence of terminals, none of which breaks. It occurs wherever it
// stands in the stream, overlapping occurrences counted: `a a` occurs twice in `a a a`. Its weight
// is the sum of its terminals' weights, its cost occurrences × weight. It is *hot* when its cost
// reaches the threshold, and *minimal* when it is hot and no proper contiguous part of it, of at
// least min_length terminals, is. All minimal hot subpaths of min_length … max_length terminals are
// found, with exact counts.
//
// How. A rule R occurs F(R) times in the stream (top down; a run x^n counts n times). Each
// occurrence of a subpath of two or more terminals has one home: the innermost rule whose expansion
// holds it. There it begins in one symbol of the body and ends in another, so in each body only
// sequences that cross the end of the symbol they begin in are counted, each F(R) times. For that a
// symbol's first and last max_length − 1 terminals suffice (bottom up, kept per rule): the bodies
// are read with the middles of long symbols left out. Of a run x^n only the first repetition
// and so many last ones are read that nothing reaches further; the first one counts for all that
// are left out: x^1000000 costs as much as max_length symbols do.
//
// Lengths grow by one. A sequence of n + 1 terminals is the pair of the sequences of n at its place
// and at the next one; it is counted when both are open. A sequence is *open* when no part of it is
// hot and when something hot may still hold it: it occurs k times, so what holds it occurs k times
// at most, and costs
//
//     at most  cost(s) + (max_length − n) × max { weight(t) × min(k, occurrences of t) : t }.
//
// Pairs come first: they stand where one symbol of a body ends and the next begins. For the longer
// ones, ends of rules are kept only as far as neighbours are open pairs (open_chains.h), and the
// bodies are read once for each length; nothing is kept for a place.
//
// The question is the paper's; the way is our own: all sequences of one length are counted, over
// the whole grammar, before any of the next, so the bound applies to exact counts. Besides,
// occurrences that overlap count, runs are arithmetic, terminals may break subpaths, and the stream
// may come as several grammars in a row: sequences across their borders count too.
//
// Cost: one hash lookup per symbol for the pairs; then for each length n, while anything is open, a
// pass over the symbols, with at most 2 (n − 1) terminals of each and n lookups for each of those.
// Memory: 4 bytes per terminal of a chain, about 40 per rule, and about 100 per different sequence
// while it is counted, 24 afterwards; bounded by the options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "codec/sequitur/plain_grammar.h"
#include "vestige/result.h"

namespace vestige {

struct HotSubpathOptions {
  uint32_t min_length = 1, max_length = 8;  // terminals
  uint64_t cost = 0;                        // the threshold; 0: `share` of the stream's weight
  double share = 0.01;
  size_t top = SIZE_MAX;                     // only so many, the costliest
  size_t most_places = size_t{1} << 26;      // terminals kept of the ends of rules
  size_t most_candidates = size_t{1} << 24;  // different sequences held at a time
};

struct TerminalFacts {
  uint64_t weight = 1;  // 0: an ordinary member that costs nothing
  bool breaks = false;  // no subpath holds it; its weight still counts as the stream's
};

struct HotSubpath {
  std::vector<uint64_t> terminals;  // values
  uint64_t occurrences = 0;
  uint64_t weight = 0;  // of one occurrence
  uint64_t cost = 0;
  uint64_t first = 0;  // terminals before its first occurrence
};

struct HotSubpathReport {
  uint64_t length = 0;               // of the stream
  uint64_t weight = 0;               // of the stream
  uint64_t threshold = 0;            // cost from which on a subpath is hot; at least 1
  uint64_t found = 0;                // minimal hot subpaths, whatever `top` left
  std::vector<HotSubpath> subpaths;  // by falling cost, then by first
};

// `parts` stand for consecutive parts of one stream, each with its own terminals; they must be
// grammars that Grammar::make takes. `facts` is asked once for each value of each part, and must
// answer the same for the same value. Fails (usage) on lengths that make no sense, and
// (unsupported) when the stream, its weight or what the options allow to hold is exceeded; the
// message says what to change.
Result<HotSubpathReport> find_hot_subpaths(
    std::span<const sequitur::PlainGrammar* const> parts,
    const std::function<TerminalFacts(uint64_t value)>& facts, const HotSubpathOptions& options);

}  // namespace vestige
