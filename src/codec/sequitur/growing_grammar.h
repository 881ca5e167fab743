// A grammar while it is being built: rule bodies that can be cut, joined and replaced, the table of
// all digrams, and the restructuring that keeps the two invariants of SEQUITUR (Nevill-Manning and
// Witten, 1997) true.
//
// Bodies are arrays of 32-bit symbols, not linked lists: four bytes for each symbol instead of
// twelve or more, and following a body is reading on in memory. The start rule's body is an array
// of its own that grows at its end; all others lie in one arena, each behind a word that names its
// rule. Where a pair was replaced by one symbol a hole stays, skipped by the length written in it,
// until sweep() closes the holes.
//
// Runs: equal neighbours are always merged, so x x never stands in a body; x^n does (symbol.h).
// A digram can therefore not overlap itself, the classic special case `aaa` does not arise, and
// x^(2^k) is one symbol and no rule.
//
// Invariants, between two calls:
//   1. No two neighbours in a body have the same base (x next to x, x^n or x^m).
//   2. Digram uniqueness: no pair of neighbouring symbols occurs twice in all bodies; each is in
//      the table with its place, or young. (x^2 y and x^3 y are different pairs.)
//   3. Rule utility: every rule but the start rule is used at least twice, a run counting as two
//      and a use held outside the bodies (hold()) as one.
//   4. Every rule but the start rule has at least two symbols; no rule reaches itself.
// The caller sees to it that no pair is pushed that stands elsewhere, and calls restore() when a
// rule has taken the place of something that ended the start rule.
//
// Thread safety: none; one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "codec/sequitur/digram_table.h"
#include "codec/sequitur/plain_grammar.h"
#include "codec/sequitur/pool.h"
#include "codec/sequitur/symbol.h"
#include "codec/sequitur/symbol_tables.h"

namespace vestige::sequitur {

class GrowingGrammar {
 public:
  // The place of a symbol: an index into the arena, or, with kInStart, into the start rule's body.
  using Place = DigramTable::Place;
  static constexpr Place kNone = DigramTable::kNone;
  static constexpr Place kInStart = 1u << 31;

  GrowingGrammar();

  // ----- symbols
  NumberTable<uint64_t> terminals;
  Symbol base(Symbol s) const { return is_run(s) ? runs_[s - kRunBase].symbol : s; }
  uint64_t count(Symbol s) const { return is_run(s) ? runs_[s - kRunBase].count : 1; }
  // x^n as a symbol; n ≥ 1.
  Symbol power(Symbol base, uint64_t count) {
    return count == 1 ? base : kRunBase | runs_.add({base, count});
  }
  // The terminal, or run of a terminal, that the expansion begins with.
  Symbol first_terminal(Symbol s) const {
    s = base_unless_terminal(s);
    return is_rule(s) ? rules_[rule_of(s)].first_terminal : s;
  }

  // ----- bodies
  const Symbol* body(uint32_t rule) const { return arena_.data() + rules_[rule].begin; }
  const Symbol* at(Place place) const {
    return (place & kInStart ? start_.data() : arena_.data()) + (place & ~kInStart);
  }
  Place arena_place(const Symbol* symbol) const {
    return static_cast<Place>(symbol - arena_.data());
  }
  Place start_place(const Symbol* symbol) const {
    return kInStart | static_cast<Place>(symbol - start_.data());
  }
  // Neighbours in the same body; kNone at its ends.
  Place next(Place place) const {
    const Symbol* s = skip(at(place) + 1);
    return is_symbol(*s) ? place + static_cast<Place>(s - at(place)) : kNone;
  }
  Place prev(Place place) const {
    const Symbol* s = at(place) - 1;
    if (is_hole(*s)) s -= *s - kHoleBase;
    return is_symbol(*s) ? place - static_cast<Place>(at(place) - s) : kNone;
  }
  static const Symbol* skip(const Symbol* s) { return is_hole(*s) ? s + (*s - kHoleBase) : s; }

  // ----- the end of the start rule
  bool start_empty() const { return start_.size() == 2; }
  Symbol last() const { return *at(last_); }  // not when it is empty
  // Appends a symbol whose pair with last() is not in the grammar.
  void push(Symbol s);
  // Takes the last symbol off together with the pair it ends.
  Symbol pop() {
    const Symbol s = take();
    forget_taken(s);
    return s;
  }
  // The two halves of pop(): in between, the symbol is gone but its pair is still in the table, and
  // it can be put back.
  Symbol take();
  void forget_taken(Symbol s);
  void untake(Symbol s);

  // Where the pair (last(), s) stands already; kNone if nowhere.
  Place find_after_last(Symbol s) const { return find(last(), s); }
  // A place where last() stands with something behind it: the one noted last, if it still does.
  Place seen_last() const {
    const Symbol s = last();
    if (is_run(s)) return kNone;
    const Place place = is_rule(s) ? rules_[rule_of(s)].seen
                                   : (s < terminals_seen_.size() ? terminals_seen_[s] : kNone);
    const size_t size = place & kInStart ? start_.size() : arena_.size();
    if ((place & ~kInStart) + 1 >= size || *at(place) != s || place == last_) return kNone;
    return place;
  }
  void note_last(Place place) {
    const Symbol s = last();
    if (is_run(s)) return;
    if (is_rule(s)) {
      rules_[rule_of(s)].seen = place;
    } else {
      while (terminals_seen_.size() <= s) terminals_seen_.push_back(kNone);
      terminals_seen_[s] = place;
    }
  }
  // Has the pair's place in the table brought near.
  void expect(Symbol left, Symbol right) const {
    digrams_.prefetch(DigramTable::hash(left, right));
  }

  // ----- restructuring
  // Makes a rule of the symbols from `first` to `last_place` of one body (two at least, not all of
  // it) and puts the rule in their stead.
  Symbol make_rule(Place first, Place last_place);
  // The rule whose whole body is from `first` to `last`; kHeadBase if there is none. The start
  // rule's body is never whole: it goes on.
  Symbol whole_rule(const Symbol* first, const Symbol* last) const {
    const Symbol head = first[-1];
    return is_head(head) && head != kHeadBase && is_head(*skip(last + 1))
               ? rule_symbol(head - kHeadBase)
               : kHeadBase;
  }
  // After `rule` took the place of its like at the end of the start rule: if its first symbol is a
  // rule that is now used nowhere else, inlines that. The pair this brings together is new: the
  // inlined rule stood in one body only since it was made, so what follows it there followed it
  // before it was a rule.
  void restore(uint32_t rule) {
    if (used_once(*body(rule))) inline_first(rule);
  }
  // A use from outside, by someone who will put the symbol into a body or drop it.
  void hold(Symbol s) { add_use(s); }
  void drop(Symbol s) { remove_use(s); }
  // Closes holes and makes room in the table when it is time to. Places change.
  bool wants_sweep() const;
  void sweep();

  uint64_t symbols() const { return symbols_; }  // in all bodies
  uint32_t rules() const { return live_rules_; }
  size_t bytes() const;
  PlainGrammar plain() const;

 private:
  struct Rule {
    uint32_t begin = 0;  // the place of its first symbol
    uint32_t uses = 0;
    Symbol first_terminal = 0;
    Place seen = kNone;  // where it was last found in a body; may be out of date
  };
  static constexpr uint32_t kFreeBlock = kHoleBase - kHeadBase - 1;  // in place of a rule's number
  static constexpr uint32_t kSmallBlocks = 32;
  static constexpr uint32_t kYoungWords = 4;

  Symbol base_unless_terminal(Symbol s) const {
    if (!is_run(s)) return s;
    const Symbol of = runs_[s - kRunBase].symbol;
    return is_rule(of) ? of : s;
  }
  Symbol* word(Place place) {
    return const_cast<Symbol*>(static_cast<const GrowingGrammar*>(this)->at(place));
  }
  Place find(Symbol left, Symbol right) const {
    const Place place = digrams_.find(DigramTable::hash(left, right), [&](Place place) {
      const Symbol* s = at(place);
      return *s == left && *skip(s + 1) == right;
    });
    if (place != kNone) return place;
    const Symbol* const end = at(last_);
    for (const Symbol* s = at(young_); s < end;) {
      const Symbol* const right_of = skip(s + 1);
      if (*s == left && *right_of == right) return start_place(s);
      s = right_of;
    }
    return kNone;
  }
  void add_use(Symbol s) {
    if (is_terminal(s)) return;
    if (is_rule(s))
      ++rules_[rule_of(s)].uses;
    else if (const Symbol of = runs_[s - kRunBase].symbol; is_rule(of))
      rules_[rule_of(of)].uses += 2;
  }
  void remove_use(Symbol s) {
    if (is_terminal(s)) return;
    if (is_rule(s))
      --rules_[rule_of(s)].uses;
    else if (const Symbol of = runs_[s - kRunBase].symbol; is_rule(of))
      rules_[rule_of(of)].uses -= 2;
  }
  bool used_once(Symbol s) const { return is_rule(s) && rules_[rule_of(s)].uses == 1; }

  void enter_pair(Place left, Symbol x, Symbol y) {
    if (left < young_) digrams_.insert(DigramTable::hash(x, y), left);
  }
  void erase_pair(Place left, Place right) {
    if (left < young_ && right != kNone)
      digrams_.erase(DigramTable::hash(*at(left), *at(right)), left);
  }
  void move_pair(Symbol x, Symbol y, Place from, Place to) {
    if (from >= young_)
      digrams_.insert(DigramTable::hash(x, y), to);
    else
      digrams_.move(DigramTable::hash(x, y), from, to);
  }
  // Every word of a hole says that it is one: a place that is out of date never reads a symbol
  // where there is none.
  void make_hole(Symbol* begin, Symbol* end);

  uint32_t allocate(uint32_t symbols);  // the place of the first symbol
  void release(uint32_t begin);         // the block of a body
  uint32_t new_rule(uint32_t begin, Symbol first_terminal);
  void inline_first(uint32_t rule);
  uint32_t size_of(uint32_t rule) const;
  Place move_body(Place body, Place to);

  NumberTable<Run> runs_;
  Pool<Symbol> arena_;
  Pool<Symbol> start_;
  Pool<Rule> rules_;
  Pool<Place> terminals_seen_;  // as Rule::seen
  DigramTable digrams_;
  std::vector<uint32_t> free_rules_;
  uint32_t free_blocks_[kSmallBlocks] = {};  // by size; the first of a list, 0: none
  Place last_ = kInStart;                    // the last symbol of the start rule
  // The last few pairs of the start rule, those with their left symbol here or later, are not in
  // the table: most are gone after the next symbols, and looking through a few words is cheap.
  Place young_ = kInStart;
  uint64_t symbols_ = 0;
  uint32_t live_rules_ = 1;
};

}  // namespace vestige::sequitur
