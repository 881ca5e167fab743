#include "codec/sequitur/growing_grammar.h"

namespace vestige::sequitur {

GrowingGrammar::GrowingGrammar() {
  arena_.push_back(kHeadBase);
  start_.push_back(kHeadBase);
  start_.push_back(kHeadBase);
  rules_.push_back({});
}

void GrowingGrammar::push(Symbol s) {
  start_.back() = s;
  start_.push_back(kHeadBase);
  last_ = kInStart | static_cast<Place>(start_.size() - 2);
  if (last_ - young_ > kYoungWords) {
    const Symbol* const left = at(young_);
    const Symbol* const right = skip(left + 1);
    digrams_.insert(DigramTable::hash(*left, *right), young_);
    young_ = start_place(right);
  }
  add_use(s);
  ++symbols_;
}

Symbol GrowingGrammar::take() {
  const Symbol s = last();
  const Place before = prev(last_);
  last_ = before == kNone ? kInStart : before;
  start_.resize((last_ & ~kInStart) + 2);
  start_.back() = kHeadBase;
  --symbols_;
  return s;
}

void GrowingGrammar::untake(Symbol s) {
  start_.back() = s;
  start_.push_back(kHeadBase);
  last_ = kInStart | static_cast<Place>(start_.size() - 2);
  ++symbols_;
}

void GrowingGrammar::forget_taken(Symbol s) {
  if (last_ < young_) {
    if (!start_empty()) digrams_.erase(DigramTable::hash(last(), s), last_);
    young_ = last_;
  }
  remove_use(s);
}

uint32_t GrowingGrammar::allocate(uint32_t symbols) {
  const uint32_t size = symbols + 1;
  if (size < kSmallBlocks && free_blocks_[size] != 0) {
    const uint32_t block = free_blocks_[size];
    free_blocks_[size] = arena_[block + 2] - kHeadBase;
    return block + 1;
  }
  // The arena ends with a head, so that the last body ends too.
  const auto block = static_cast<uint32_t>(arena_.size() - 1);
  arena_.resize(arena_.size() + size);
  arena_.back() = kHeadBase;
  return block + 1;
}

// A free block is: a head with kFreeBlock, its size, the next free block of that size (or 0). All
// words look like heads, so that a stale place never reads them as symbols.
void GrowingGrammar::release(uint32_t begin) {
  uint32_t end = begin;
  while (!is_head(arena_[end])) arena_[end++] = kHeadBase | kFreeBlock;
  const uint32_t block = begin - 1, size = end - block;
  arena_[block] = kHeadBase | kFreeBlock;
  arena_[block + 1] = kHeadBase | size;
  if (size >= kSmallBlocks) return;
  arena_[block + 2] = kHeadBase | free_blocks_[size];
  free_blocks_[size] = block;
}

uint32_t GrowingGrammar::new_rule(uint32_t begin, Symbol first_terminal) {
  uint32_t rule = 0;
  if (free_rules_.empty()) {
    rule = static_cast<uint32_t>(rules_.size());
    rules_.push_back({});
  } else {
    rule = free_rules_.back();
    free_rules_.pop_back();
  }
  rules_[rule] = {begin, 0, first_terminal, kNone};
  arena_[begin - 1] = kHeadBase | rule;
  ++live_rules_;
  return rule;
}

void GrowingGrammar::make_hole(Symbol* begin, Symbol* end) {
  if (is_hole(*end)) end += *end - kHoleBase;
  if (begin == end) return;
  std::fill(begin, end, kHoleBase);
  *begin = end[-1] = kHoleBase | static_cast<Symbol>(end - begin);
}

Symbol GrowingGrammar::make_rule(Place first, Place last_place) {
  uint32_t symbols = 1;
  for (Place place = first; place != last_place; place = next(place)) ++symbols;
  const uint32_t begin = allocate(symbols);
  const Place before = prev(first), after = next(last_place);
  erase_pair(before, first);
  erase_pair(last_place, after);

  uint32_t to = begin;
  for (Place place = first;; ++to) {
    arena_[to] = *at(place);
    if (place == last_place) break;
    const Place following = next(place);
    move_pair(*at(place), *at(following), place, to);
    place = following;
  }
  const uint32_t rule = new_rule(begin, first_terminal(*at(first)));
  const Symbol symbol = rule_symbol(rule);
  *word(first) = symbol;
  make_hole(word(first) + 1, word(last_place) + 1);
  if (last_ == last_place) last_ = first;
  if (first < young_ && young_ <= last_place) young_ = first;
  add_use(symbol);
  ++symbols_;
  // The rule is new, so its pairs are.
  if (before != kNone) enter_pair(before, *at(before), symbol);
  if (after != kNone) enter_pair(first, symbol, *at(after));
  return symbol;
}

uint32_t GrowingGrammar::size_of(uint32_t rule) const {
  uint32_t symbols = 0;
  for (Place s = rules_[rule].begin; s != kNone; s = next(s)) ++symbols;
  return symbols;
}

// Copies the symbols from `body` to the end of its body, pairs included, and gives the place behind
// the copy.
GrowingGrammar::Place GrowingGrammar::move_body(Place body, Place to) {
  for (;; ++to) {
    *word(to) = *at(body);
    const Place following = next(body);
    if (following == kNone) return to + 1;
    move_pair(*at(body), *at(following), body, to);
    body = following;
  }
}

void GrowingGrammar::inline_first(uint32_t rule) {
  const Place first = rules_[rule].begin, second = next(first);
  const uint32_t inlined = rule_of(*at(first));
  erase_pair(first, second);
  const uint32_t begin = allocate(size_of(inlined) + size_of(rule) - 1);
  const Place seam = move_body(rules_[inlined].begin, begin);
  move_body(second, seam);
  enter_pair(seam - 1, *at(seam - 1), *at(seam));
  release(rules_[inlined].begin);
  release(first);
  rules_[rule].begin = begin;
  arena_[begin - 1] = kHeadBase | rule;
  free_rules_.push_back(inlined);
  --live_rules_;
  --symbols_;
}

bool GrowingGrammar::wants_sweep() const {
  if (digrams_.full()) return true;
  const uint64_t words = arena_.size() + start_.size();
  return (words - symbols_ - live_rules_) * 8 > words + 1024;
}

void GrowingGrammar::sweep() {
  const auto close = [](Pool<Symbol>& pool, size_t from, size_t to, auto&& begin_body) {
    while (from < pool.size()) {
      const Symbol s = pool[from];
      if (is_hole(s)) {
        from += s - kHoleBase;
      } else if (s == (kHeadBase | kFreeBlock)) {
        from += pool[from + 1] - kHeadBase;
      } else {
        if (is_head(s) && from + 1 < pool.size()) begin_body(s - kHeadBase, to + 1);
        pool[to++] = s;
        ++from;
      }
    }
    pool.resize(to);
  };
  close(start_, 0, 0, [](uint32_t, size_t) {});
  close(arena_, 0, 0,
        [&](uint32_t rule, size_t begin) { rules_[rule].begin = static_cast<uint32_t>(begin); });
  last_ = young_ = kInStart | static_cast<Place>(start_.size() - 2);
  std::fill(std::begin(free_blocks_), std::end(free_blocks_), 0);

  digrams_.reset(static_cast<uint32_t>(symbols_ - live_rules_));
  const auto enter = [&](const Pool<Symbol>& pool, Place in) {
    for (size_t i = 0; i + 1 < pool.size(); ++i)
      if (is_symbol(pool[i]) && is_symbol(pool[i + 1]))
        enter_pair(in | static_cast<Place>(i), pool[i], pool[i + 1]);
  };
  enter(arena_, 0);
  enter(start_, kInStart);
}

size_t GrowingGrammar::bytes() const {
  return sizeof *this + terminals.bytes() + runs_.bytes() + arena_.bytes() + start_.bytes() +
         rules_.bytes() + terminals_seen_.bytes() + digrams_.bytes() +
         free_rules_.capacity() * sizeof(uint32_t);
}

PlainGrammar GrowingGrammar::plain() const {
  PlainGrammar out;
  out.terminals.assign(terminals.data(), terminals.data() + terminals.size());
  out.symbols.reserve(symbols_);
  out.ends.clear();
  out.ends.reserve(live_rules_);
  constexpr uint32_t kUnseen = ~uint32_t{0};
  std::vector<uint32_t> rule_number(rules_.size(), kUnseen), run_number(runs_.size(), kUnseen);
  const auto write = [&](const Symbol* s) {
    for (s = skip(s); is_symbol(*s); s = skip(s + 1)) {
      const Symbol of = base(*s);
      const Symbol symbol = is_rule(of) ? rule_symbol(rule_number[rule_of(of)]) : of;
      if (!is_run(*s)) {
        out.symbols.push_back(symbol);
        continue;
      }
      uint32_t& number = run_number[*s - kRunBase];
      if (number == kUnseen) {
        number = static_cast<uint32_t>(out.runs.size());
        out.runs.push_back({symbol, count(*s)});
      }
      out.symbols.push_back(kRunBase | number);
    }
    out.ends.push_back(static_cast<uint32_t>(out.symbols.size()));
  };
  // Depth first; a rule is written when all it uses is.
  struct Frame {
    uint32_t rule;
    const Symbol* at;
  };
  std::vector<Frame> open = {{0, start_.data() + 1}};
  while (!open.empty()) {
    Frame& frame = open.back();
    frame.at = skip(frame.at);
    if (is_symbol(*frame.at)) {
      const Symbol of = base(*frame.at++);
      if (is_rule(of) && rule_number[rule_of(of)] == kUnseen)
        open.push_back({rule_of(of), body(rule_of(of))});
      continue;
    }
    rule_number[frame.rule] = static_cast<uint32_t>(out.ends.size());
    write(frame.rule == 0 ? start_.data() + 1 : body(frame.rule));
    open.pop_back();
  }
  return out;
}

}  // namespace vestige::sequitur
