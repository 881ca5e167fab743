#include "codec/sequitur/rule_sums.h"

namespace vestige::sequitur {

RuleSums::RuleSums(const PlainGrammar& grammar,
                   const std::function<uint64_t(uint32_t)>& of_terminal)
    : grammar_(&grammar) {
  terminals_.reserve(grammar.terminals.size());
  for (uint32_t t = 0; t < grammar.terminals.size(); ++t) terminals_.push_back(of_terminal(t));
  rules_.reserve(grammar.rules());
  samples_.reserve(grammar.symbols.size() / kEvery + 1);
  for (uint32_t rule = 0; rule < grammar.rules(); ++rule) {
    uint64_t sum = 0;
    for (uint32_t place = grammar.begin(rule); place < grammar.ends[rule]; ++place) {
      if (place % kEvery == 0) samples_.push_back(sum);
      const Run run = grammar.run(place);
      uint64_t all = 0;
      overflowed_ |= __builtin_mul_overflow(of(run.symbol), run.count, &all);
      overflowed_ |= __builtin_add_overflow(sum, all, &sum);
    }
    rules_.push_back(sum);
  }
}

uint64_t RuleSums::at(uint32_t place) const {
  const Run run = grammar_->run(place);
  return of(run.symbol) * run.count;
}

uint64_t RuleSums::before(uint32_t begin, uint32_t place) const {
  uint32_t from = place / kEvery * kEvery;
  uint64_t sum = 0;
  if (from > begin)
    sum = samples_[from / kEvery];
  else
    from = begin;
  for (; from < place; ++from) sum += at(from);
  return sum;
}

uint32_t RuleSums::find(uint32_t begin, uint32_t end, uint64_t& target) const {
  // The last sample within the body that is not beyond the target.
  uint32_t low = begin / kEvery, high = (end - 1) / kEvery;
  while (low < high) {
    const uint32_t middle = low + (high - low + 1) / 2;
    if (samples_[middle] <= target)
      low = middle;
    else
      high = middle - 1;
  }
  uint32_t place = begin;
  if (low * kEvery > begin) {
    place = low * kEvery;
    target -= samples_[low];
  }
  for (;; ++place) {
    const uint64_t here = at(place);
    if (target < here || place + 1 == end) return place;
    target -= here;
  }
}

}  // namespace vestige::sequitur
