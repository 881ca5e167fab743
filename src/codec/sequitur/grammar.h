// A grammar to ask questions of: immutable, checked, with the length of every rule.
//
// Its expansion is never made: a grammar of a hundred symbols may stand for 2^60 values. Cursors
// (grammar_cursor.h) and sums (rule_sums.h) work on the rules.
//
// A stream too long for one grammar is several, one after the other; join() makes them one whose
// start rule lists theirs (the spine). So every algorithm sees one start rule. Digram uniqueness
// then holds within each of them, not across.
//
// Thread safety: const, so any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "codec/sequitur/plain_grammar.h"
#include "codec/sequitur/rule_sums.h"
#include "vestige/result.h"

namespace vestige::sequitur {

class Grammar {
 public:
  // Fails with `corrupt` unless every symbol stands for something earlier, no rule but the start
  // rule is empty, and the whole is shorter than 2^64.
  static Result<Grammar> make(PlainGrammar rules);

  uint64_t size() const { return lengths_.total(); }  // of the stream
  const PlainGrammar& rules() const { return *rules_; }
  const RuleSums& lengths() const { return lengths_; }
  uint64_t value(uint32_t terminal) const { return rules_->terminals[terminal]; }

 private:
  explicit Grammar(PlainGrammar rules);
  std::unique_ptr<const PlainGrammar> rules_;  // does not move: lengths_ refers to it
  RuleSums lengths_;
};

// One grammar whose start rule is the sequence of theirs. Equal values become one terminal.
PlainGrammar join(std::span<const PlainGrammar> parts);

}  // namespace vestige::sequitur
