// SEQUITUR on-line: symbols in, a grammar with both invariants out (growing_grammar.h).
//
// Idea. The classic algorithm makes a rule for every pair it meets again, lengthens it symbol by
// symbol by making the next rule and inlining the one before, and so rewrites the grammar two or
// three times for each symbol it already knows. Here a repetition is *followed* instead: once the
// last symbol and the next one form a pair that stands somewhere, the input is compared with what
// follows that pair, down into rules and up again, and nothing is changed until the input departs
// (one comparison per symbol on the way). Only then the part that was followed becomes a rule, if
// it is not one already; rules entered halfway have their followed beginnings made rules likewise.
// That is the grammar the classic steps would have reached.
//
// Runs. A run of equal terminals enters as one symbol when it ends. After a rule R has been
// recognised at the end of the start rule, the input is followed through R again, so that R^n grows
// without touching the grammar, however large R or n.
//
// The state between two appends is a grammar plus what is being followed; finish() settles it.
// The invariants hold for what finish() would give after any symbol.
//
// Cost: linear in the input; a lookup in the digram table for each symbol that departs from what
// is followed, a comparison for each that does not. Memory: about 13 bytes for each symbol of the
// grammar (4 the symbol, 7 the digram table, the rest rules), and 8 … 16 for each different
// terminal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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
    follow,  // last_ and what followed it are compared with the body at followed_
    repeat,  // open_rule_^open_count_ ends the start rule; the input is compared with the rule
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
  // Each gives false when the symbol has to be offered again, after what is in the queue.
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
