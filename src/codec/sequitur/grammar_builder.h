// SEQUITUR on-line: symbols in, a grammar with both invariants out (growing_grammar.h).
//
// Idea. The classic algorithm makes a rule for every pair it meets again, lengthens it symbol by
// symbol by making the next rule and inlining the one before, and so rewrites the grammar two or
// three times for each symbol it already knows. Here a repetition is *followed* instead: once the
// last symbol and the next one form a pair that stands somewhere, the input is compared with what
// follows that pair, down into rules and up again, and nothing is changed until the input departs
// (one comparison per symbol on the way). Only then the part that was followed becomes a rule, if
// it is not one already, and so do the followed beginnings of rules that were entered. Each of
// these is a repetition that digram uniqueness makes a rule of in any case.
//
// Guessing. Where the last symbol was found in a body before, with a rule behind it, and the input
// begins like that rule, it is followed into the rule without a lookup. If it departs there, the
// parts that were followed are taken symbol by symbol as usual; nothing is lost.
//
// Runs. A run of equal terminals enters as one symbol when it ends. After a rule R has been
// recognised at the end of the start rule, the input is followed through R again, so that R^n grows
// without touching the grammar, however large R or n. That also keeps equal neighbours apart: what
// comes after R^n never begins with all of R.
//
// The state between two appends is a grammar plus what is being followed; finish() settles it. The
// invariants hold for what finish() would give after any symbol.
//
// Departures from Nevill-Manning and Witten (1997): runs are symbols, following in the place of
// single steps, guessing, and pairs at the very end of the start rule that wait for a few symbols
// before they enter the digram table. The grammar is not the classic one, but obeys the same
// invariants, and tends to be smaller.
//
// Cost: linear in the input; a lookup in the digram table for each symbol that departs from what
// is followed, a comparison for each that does not. Memory: about 13 bytes for each symbol of the
// grammar (4 the symbol, 6 the digram table, the rest rules and slack), and about 18 for each
// different terminal.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <span>

#include "codec/sequitur/growing_grammar.h"

namespace vestige::sequitur {

class GrammarBuilder {
 public:
  GrammarBuilder() = default;
  GrammarBuilder(const GrammarBuilder& other);
  GrammarBuilder(GrammarBuilder&&) = default;
  GrammarBuilder& operator=(const GrammarBuilder&) = delete;
  GrammarBuilder& operator=(GrammarBuilder&&) = default;

  void append(std::span<const uint64_t> values);
  uint64_t size() const { return size_; }
  uint64_t symbols() const { return grammar_.symbols(); }
  size_t bytes() const;
  // The grammar of everything appended; the builder starts over, empty.
  PlainGrammar finish();
  // The same, of a copy.
  PlainGrammar so_far() const { return GrammarBuilder(*this).finish(); }

 private:
  using Place = GrowingGrammar::Place;
  static constexpr Place kNone = GrowingGrammar::kNone;

  enum class State : uint8_t {
    idle,    // everything is in the start rule
    follow,  // taken_ and the input behind it have been found at followed_, up to at_
    repeat,  // open_rule_^open_count_ ends the start rule; the input goes through the rule again
  };
  // A rule inside what is being followed.
  struct Frame {
    const Symbol* from;   // the symbol in the body outside that stands for this rule
    const Symbol* begin;  // its body
    uint64_t done;        // how often the rule has been followed to its end,
    uint64_t count;       // of how often in all
  };
  // What of a frame was followed, when the input departs: whole repetitions, then a beginning.
  struct Followed {
    Symbol whole;
    uint64_t done;
    Place begin, end;
  };

  void take_run();
  void take(Symbol s);
  // Each gives false when the symbol has to be offered again, after what is in the queue. `fresh`:
  // it comes from the input, not from there.
  bool step(Symbol s, bool fresh);
  bool step_idle(Symbol s, bool fresh);
  bool step_following(Symbol s);
  void leave();
  void depart();
  void drain();
  void put_back(Symbol s);
  void complete();
  void recognise(Symbol rule);
  void close_run();
  Symbol beginning(Place begin, Place end);

  GrowingGrammar grammar_;
  State state_ = State::idle;
  const Symbol* at_ = nullptr;     // the next symbol to compare with, while following
  const Symbol* begin_ = nullptr;  // where what is followed begins: a place, or the rule's body
  Pool<Frame> frames_;             // the rules around at_ inside of that, the innermost last
  Place followed_ = kNone;         // where the pair that is followed stands
  Symbol taken_ = 0;               // the first symbol of what is followed, taken off the start rule
  Symbol open_rule_ = 0;
  uint64_t open_count_ = 0;
  Pool<Symbol> queue_;  // symbols to take before the input goes on, the next one last
  Pool<Followed> followed_parts_;
  uint64_t run_value_ = 0, run_count_ = 0;  // the run of equal values that is going on
  uint64_t size_ = 0;
};

}  // namespace vestige::sequitur
