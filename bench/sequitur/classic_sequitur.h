// SEQUITUR as Nevill-Manning and Witten (1997) have it: the yardstick beside our grammars, which
// have runs as symbols, follow repetitions and are entropy coded
// (codec/sequitur/grammar_builder.h). The papers used this one.
//
// Bodies are rings of cells through a guard that stands for the rule itself; a table knows where
// each pair of neighbours stands. Two pairs that overlap (three equal symbols) may stand beside
// each other, as in the paper's program.
//
// Invariants after each append: no pair occurs twice without overlap; every rule but the start rule
// is used at least twice. Cost: amortized constant time a symbol, 20 bytes a cell and up to 8 a
// slot of the table.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace vestige::bench {

class ClassicSequitur {
 public:
  ClassicSequitur() : table_(1024, kNone) { new_rule(); }

  void append(uint64_t value) {
    const auto [at, fresh] = numbers_.try_emplace(value, static_cast<uint32_t>(terminals_.size()));
    if (fresh) terminals_.push_back(value);
    const Cell last = prev(guard(0));
    insert_after(last, at->second);
    check(last);
  }

  uint64_t symbols() const { return cells_.size() - free_.size() - rules(); }
  uint64_t rules() const { return guards_.size() - free_rules_.size(); }
  uint64_t terminals() const { return terminals_.size(); }
  // The bodies, each with a word at its end; what stands for a terminal has `width` bytes in a
  // list.
  uint64_t bytes(uint64_t width) const { return 4 * (symbols() + rules()) + width * terminals(); }

  // use(value) for all that was appended, in order.
  template <class Use>
  void expand(const Use& use) const {
    std::vector<Cell> stack = {next(guard(0))};
    while (!stack.empty()) {
      const Cell at = stack.back();
      if (is_guard(at)) {
        stack.pop_back();
        continue;
      }
      stack.back() = next(at);
      if (is_rule(symbol(at)))
        stack.push_back(next(guard(rule_of(symbol(at)))));
      else
        use(terminals_[symbol(at)]);
    }
  }
  // Whether both invariants hold.
  bool sound() const {
    std::unordered_map<uint64_t, Cell> seen;
    std::vector<uint32_t> uses(guards_.size());
    for (uint32_t rule = 0; rule < guards_.size(); ++rule) {
      if (guards_[rule] == kNone) continue;
      for (Cell at = next(guard(rule)); !is_guard(at); at = next(at)) {
        if (is_rule(symbol(at))) ++uses[rule_of(symbol(at))];
        if (is_guard(next(at))) continue;
        const auto [found, fresh] = seen.try_emplace(pair(at), at);
        if (!fresh && next(found->second) != at) return false;
        found->second = at;
      }
    }
    for (uint32_t rule = 1; rule < guards_.size(); ++rule)
      if (guards_[rule] != kNone && (uses[rule] < 2 || uses[rule] != uses_[rule])) return false;
    return true;
  }

 private:
  using Cell = uint32_t;
  using Symbol = uint32_t;
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr Symbol kRule = 1u << 30, kGuard = 1u << 31;
  struct Links {
    Symbol symbol;
    Cell prev, next;
  };

  static bool is_rule(Symbol s) { return (s & kRule) != 0 && (s & kGuard) == 0; }
  static uint32_t rule_of(Symbol s) { return s & ~(kRule | kGuard); }
  Symbol symbol(Cell at) const { return cells_[at].symbol; }
  Cell prev(Cell at) const { return cells_[at].prev; }
  Cell next(Cell at) const { return cells_[at].next; }
  Cell guard(uint32_t rule) const { return guards_[rule]; }
  bool is_guard(Cell at) const { return (symbol(at) & kGuard) != 0; }
  uint64_t pair(Cell at) const { return uint64_t{symbol(at)} << 32 | symbol(next(at)); }

  Cell new_cell(Symbol s) {
    Cell at = static_cast<Cell>(cells_.size());
    if (free_.empty()) {
      cells_.push_back({});
    } else {
      at = free_.back();
      free_.pop_back();
    }
    cells_[at] = {s, at, at};
    return at;
  }
  uint32_t new_rule() {
    uint32_t rule = static_cast<uint32_t>(guards_.size());
    if (free_rules_.empty()) {
      guards_.push_back(kNone);
      uses_.push_back(0);
    } else {
      rule = free_rules_.back();
      free_rules_.pop_back();
    }
    guards_[rule] = new_cell(kGuard | rule);
    uses_[rule] = 0;
    return rule;
  }

  // ---- the table of pairs: open addressing, holes closed by moving up ----

  size_t slot_of(uint64_t pair) const {
    pair *= 0x9e3779b97f4a7c15;
    return (pair ^ pair >> 29) * 0xbf58476d1ce4e5b9 >> 20 & (table_.size() - 1);
  }
  // Where the pair at this cell is, or would be.
  size_t find(uint64_t pair_sought) const {
    size_t slot = slot_of(pair_sought);
    while (table_[slot] != kNone && pair(table_[slot]) != pair_sought)
      slot = (slot + 1) & (table_.size() - 1);
    return slot;
  }
  void know(Cell at) {
    const size_t slot = find(pair(at));
    if (table_[slot] == kNone && ++known_ * 2 > table_.size()) {
      std::vector<Cell> old(table_.size() * 2, kNone);
      old.swap(table_);
      for (const Cell cell : old)
        if (cell != kNone) table_[find(pair(cell))] = cell;
      table_[find(pair(at))] = at;
      return;
    }
    table_[slot] = at;
  }
  // The pair at this cell is about to go. Of three equal symbols only one of both pairs is known:
  // the other one takes its place, unless it goes as well.
  void forget(Cell at, Cell going) {
    if (is_guard(at) || is_guard(next(at))) return;
    const size_t slot = find(pair(at));
    if (table_[slot] != at) return;
    erase(slot);
    if (symbol(at) != symbol(next(at))) return;
    for (const Cell twin : {prev(at), next(at)})
      if (twin != going && !is_guard(twin) && !is_guard(next(twin)) && pair(twin) == pair(at))
        know(twin);
  }
  void erase(size_t hole) {
    const size_t mask = table_.size() - 1;
    --known_;
    for (size_t slot = (hole + 1) & mask; table_[slot] != kNone; slot = (slot + 1) & mask) {
      const size_t home = slot_of(pair(table_[slot]));
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      table_[hole] = table_[slot];
      hole = slot;
    }
    table_[hole] = kNone;
  }

  // ---- bodies ----

  void link(Cell left, Cell right) {
    cells_[left].next = right;
    cells_[right].prev = left;
  }
  // The pair with the cell before is not looked at yet, that with the one behind neither.
  void insert_after(Cell at, Symbol s) {
    const Cell made = new_cell(s);
    if (is_rule(s)) ++uses_[rule_of(s)];
    link(made, next(at));
    link(at, made);
  }
  void remove(Cell at) {
    const Cell before = prev(at), behind = next(at);
    forget(before, at);
    forget(at, before);
    link(before, behind);
    if (is_rule(symbol(at))) --uses_[rule_of(symbol(at))];
    free_.push_back(at);
  }

  // ---- the invariants ----

  // Looks at the pair that begins here; true when it was replaced.
  bool check(Cell at) {
    if (is_guard(at) || is_guard(next(at))) return false;
    const Cell found = table_[find(pair(at))];
    if (found == kNone) know(at);
    if (found == kNone || found == at || next(found) == at || next(at) == found) return false;
    match(at, found);
    return true;
  }
  void match(Cell fresh, Cell found) {
    uint32_t rule = 0;
    if (is_guard(prev(found)) && is_guard(next(next(found)))) {
      rule = rule_of(symbol(prev(found)));
      substitute(fresh, rule);
    } else {
      rule = new_rule();
      insert_after(guard(rule), symbol(fresh));
      insert_after(next(guard(rule)), symbol(next(fresh)));
      substitute(found, rule);
      substitute(fresh, rule);
      know(next(guard(rule)));
    }
    const Cell first = next(guard(rule));
    if (is_rule(symbol(first)) && uses_[rule_of(symbol(first))] == 1) inline_rule(first);
  }
  void substitute(Cell at, uint32_t rule) {
    const Cell before = prev(at);
    remove(next(before));
    remove(next(before));
    insert_after(before, kRule | rule);
    if (!check(before)) check(next(before));
  }
  // The only use of a rule, at the beginning of another one, becomes its body.
  void inline_rule(Cell at) {
    const uint32_t rule = rule_of(symbol(at));
    const Cell before = prev(at), behind = next(at), ring = guard(rule), last = prev(ring);
    forget(at, kNone);
    link(before, next(ring));
    link(last, behind);
    know(last);
    free_.push_back(at);
    free_.push_back(ring);
    guards_[rule] = kNone;
    free_rules_.push_back(rule);
  }

  std::vector<Links> cells_;
  std::vector<Cell> free_, guards_, table_;
  std::vector<uint32_t> uses_, free_rules_;
  uint64_t known_ = 0;
  std::unordered_map<uint64_t, uint32_t> numbers_;
  std::vector<uint64_t> terminals_;
};

}  // namespace vestige::bench
