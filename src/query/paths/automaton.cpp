#include "query/paths/automaton.h"

#include <map>

namespace vestige {

Result<Automaton> Automaton::make(const Expression& expression) {
  constexpr size_t kMostStates = 8192, kMostSteps = size_t{1} << 22;
  const size_t words = (expression.positions.size() + 63) / 64;
  Automaton out;
  out.classes_ = expression.classes;
  out.class_of_block_ = expression.class_of_block;
  out.class_of_callee_ = expression.class_of_callee;
  out.other_call_ = expression.other_call;

  Bits last(words), first(words);
  std::vector<Bits> follow(expression.positions.size(), Bits(words));
  std::vector<Bits> reads(expression.classes, Bits(words));  // positions that accept a class
  for (size_t p = 0; p < expression.positions.size(); ++p) {
    for (const uint32_t next : expression.positions[p].follow) put(follow[p], next);
    for (const uint16_t c : expression.positions[p].classes) put(reads[c], p);
  }
  for (const uint32_t p : expression.first) put(first, p);
  for (const uint32_t p : expression.last) put(last, p);
  std::vector<bool> call_class(expression.classes);
  for (const auto& [function, c] : expression.class_of_callee) call_class[c] = true;
  if (expression.other_call != 0) call_class[expression.other_call] = true;

  // A state is the set of positions that have just been read.
  std::map<Bits, uint16_t> numbers = {{Bits(words), 0}};
  std::vector<Bits> sets = {Bits(words)};
  for (size_t state = 0; state < sets.size(); ++state) {
    Bits hoped = first;
    for (size_t p = 0; p < expression.positions.size(); ++p)
      if (has(sets[state], p))
        for (size_t w = 0; w < words; ++w) hoped[w] |= follow[p][w];
    for (uint16_t c = 0; c < expression.classes; ++c) {
      Bits reached(words);
      bool accepts = false;
      for (size_t w = 0; w < words; ++w) {
        reached[w] = hoped[w] & reads[c][w];
        accepts |= (reached[w] & last[w]) != 0;
        if (call_class[c]) reached[w] |= sets[state][w];  // passed through
      }
      const auto [at, fresh] = numbers.try_emplace(reached, static_cast<uint16_t>(sets.size()));
      if (fresh) sets.push_back(reached);
      if (sets.size() > kMostStates || sets.size() * expression.classes > kMostSteps)
        return fail(ErrorKind::usage, "the pattern is too large: its automaton has more than " +
                                          std::to_string(sets.size() - 1) +
                                          " states; ask for less at once");
      out.next_.push_back(at->second);
      out.accepts_.push_back(accepts);
    }
  }
  out.states_ = static_cast<uint32_t>(sets.size());
  return out;
}

}  // namespace vestige
