#include "codec/sequitur/grammar_cursor.h"

#include <algorithm>

namespace vestige::sequitur {

GrammarCursor::GrammarCursor(const Grammar& grammar)
    : rules_(grammar.rules()), lengths_(grammar.lengths()) {
  if (grammar.size() == 0) return;
  enter(rules_.start(), false);
  descend(false);
}

void GrammarCursor::enter(uint32_t rule, bool right) {
  const uint32_t begin = rules_.begin(rule), end = rules_.ends[rule];
  const uint32_t place = right ? end - 1 : begin;
  path_.push_back({place, begin, end, right ? rules_.run(place).count - 1 : 0});
}

// Down to the first terminal of what the path ends with, or to the last one.
void GrammarCursor::descend(bool right) {
  for (;;) {
    const Run run = rules_.run(path_.back().place);
    if (is_terminal(run.symbol)) {
      terminal_ = run.symbol;
      count_ = run.count;
      return;
    }
    enter(rule_of(run.symbol), right);
  }
}

// All repetitions of the path's last symbol have gone by.
void GrammarCursor::advance() {
  for (;;) {
    Step& step = path_.back();
    if (++step.place < step.end) {
      step.repetition = 0;
      break;
    }
    path_.pop_back();
    if (path_.empty()) return;
    Step& outer = path_.back();
    if (++outer.repetition < rules_.run(outer.place).count) break;
  }
  descend(false);
}

// To the terminal before, which there is.
void GrammarCursor::retreat() {
  if (path_.empty()) {
    enter(rules_.start(), true);
    descend(true);
    return;
  }
  for (;;) {
    Step& step = path_.back();
    if (step.repetition > 0) {
      --step.repetition;
      break;
    }
    if (step.place > step.begin) {
      --step.place;
      step.repetition = rules_.run(step.place).count - 1;
      break;
    }
    path_.pop_back();
  }
  descend(true);
}

size_t GrammarCursor::read(std::span<uint64_t> out) {
  size_t done = 0;
  while (done < out.size() && !path_.empty()) {
    Step& step = path_.back();
    const size_t some = std::min<uint64_t>(count_ - step.repetition, out.size() - done);
    std::fill_n(out.begin() + static_cast<ptrdiff_t>(done), some, rules_.terminals[terminal_]);
    done += some;
    step.repetition += some;
    if (step.repetition == count_) advance();
  }
  position_ += done;
  return done;
}

size_t GrammarCursor::read_back(std::span<uint64_t> out) {
  size_t done = 0;
  uint32_t terminal = 0;
  for (; done < out.size() && prev(terminal); ++done) out[done] = rules_.terminals[terminal];
  return done;
}

void GrammarCursor::to_end() {
  path_.clear();
  position_ = lengths_.total();
}

bool GrammarCursor::seek(uint64_t position) {
  if (position > lengths_.total()) return false;
  if (position == lengths_.total())
    to_end();
  else
    seek(lengths_, position);
  return true;
}

uint64_t GrammarCursor::seek(const RuleSums& sums, uint64_t target) {
  path_.clear();
  position_ = 0;
  uint32_t rule = rules_.start();
  for (;;) {
    const uint32_t begin = rules_.begin(rule), end = rules_.ends[rule];
    const uint32_t place = sums.find(begin, end, target);
    const Run run = rules_.run(place);
    const uint64_t each = sums.of(run.symbol);
    const uint64_t repetition = each == 0 ? 0 : std::min(target / each, run.count - 1);
    target -= repetition * each;
    path_.push_back({place, begin, end, repetition});
    position_ += lengths_.before(begin, place) + repetition * lengths_.of(run.symbol);
    if (is_terminal(run.symbol)) {
      terminal_ = run.symbol;
      count_ = run.count;
      return target;
    }
    rule = rule_of(run.symbol);
  }
}

uint64_t GrammarCursor::before(const RuleSums& sums) const {
  if (path_.empty()) return position_ == 0 ? 0 : sums.total();
  uint64_t sum = 0;
  for (const Step& step : path_)
    sum += sums.before(step.begin, step.place) +
           step.repetition * sums.of(rules_.run(step.place).symbol);
  return sum;
}

}  // namespace vestige::sequitur
