#include "query/hot/grammar_stream.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>

namespace vestige {

using sequitur::PlainGrammar;

void GrammarStream::body(const Part& part, uint32_t rule, std::vector<Item>& items) const {
  items.clear();
  for (uint32_t place = part.grammar->begin(rule); place < part.grammar->ends[rule]; ++place) {
    const sequitur::Run run = part.grammar->run(place);
    if (sequitur::is_rule(run.symbol))
      items.push_back({true, part.first_rule + sequitur::rule_of(run.symbol), run.count});
    else
      items.push_back({false, part.terminals[run.symbol], run.count});
  }
}

Result<GrammarStream> GrammarStream::make(std::span<const PlainGrammar* const> parts) {
  GrammarStream stream;
  std::unordered_map<uint64_t, uint32_t> numbers;
  for (const PlainGrammar* grammar : parts) {
    Part& part = stream.parts_.emplace_back();
    part.grammar = grammar;
    part.first_rule = static_cast<uint32_t>(stream.rules_.size());
    for (const uint64_t value : grammar->terminals) {
      const auto number = static_cast<uint32_t>(stream.terminals_.size());
      const auto [at, added] = numbers.emplace(value, number);
      if (added) stream.terminals_.push_back({.value = value});
      part.terminals.push_back(at->second);
    }
    if (auto added = stream.add(*grammar); !added) return std::unexpected(added.error());
  }
  stream.self_.resize(stream.terminals_.size());
  std::iota(stream.self_.begin(), stream.self_.end(), 0);
  stream.count();
  return stream;
}

// The lengths of the newest part's rules.
Result<void> GrammarStream::add(const PlainGrammar& grammar) {
  std::vector<Item> items;
  for (uint32_t r = 0; r < grammar.rules(); ++r) {
    body(parts_.back(), r, items);
    Rule rule;
    for (const Item& item : items) {
      uint64_t length = 0;
      if (__builtin_mul_overflow(length_of(item), item.count, &length) ||
          __builtin_add_overflow(rule.length, length, &rule.length))
        return fail(ErrorKind::unsupported, "the stream has 2^64 terminals or more");
    }
    rules_.push_back(rule);
  }
  const auto start = static_cast<uint32_t>(rules_.size() - 1);
  if (__builtin_add_overflow(length_, rules_[start].length, &length_))
    return fail(ErrorKind::unsupported, "the stream has 2^64 terminals or more");
  if (rules_[start].length > 0) top_.push_back({true, start, 1});
  return {};
}

// Rules use earlier ones only, so from the last to the first each is complete before it is passed
// on. No sum exceeds the stream's length: a rule's occurrences do not overlap.
void GrammarStream::count() {
  const auto spread = [&](std::span<const Item> items, uint64_t occurrences, uint64_t first) {
    for (const Item& item : items) {
      const auto take = [&](auto& to) {
        to.occurrences += occurrences * item.count;
        to.first = std::min(to.first, first);
      };
      item.is_rule ? take(rules_[item.number]) : take(terminals_[item.number]);
      first += length_of(item) * item.count;
    }
  };
  spread(top_, 1, 0);
  std::vector<Item> items;
  for (const Part& part : parts_) {
    for (uint32_t r = part.grammar->rules(); r-- > 0;) {
      const Rule rule = rules_[part.first_rule + r];
      if (rule.occurrences == 0) continue;
      body(part, r, items);
      spread(items, rule.occurrences, rule.first);
    }
  }
}

Result<void> GrammarStream::keep_ends(uint64_t reach, size_t most) {
  reach_ = reach;
  ends_.clear();
  std::vector<Item> items;
  std::vector<uint32_t> tail;
  uint32_t rule = 0;
  for (const Part& part : parts_) {
    for (uint32_t r = 0; r < part.grammar->rules(); ++r, ++rule) {
      if (ends_.size() > most) {
        return fail(ErrorKind::unsupported, "the ends of rules have more than " +
                                                std::to_string(most) +
                                                " terminals (most_places); lower max_length");
      }
      body(part, r, items);
      const uint64_t length = rules_[rule].length;
      const size_t begin = rules_[rule].ends = ends_.size();
      const uint64_t front = length <= 2 * reach ? length : reach;
      for (const Item& item : items) {
        const size_t size = ends(item).size();
        for (uint64_t i = 0; i < item.count && ends_.size() - begin < front; ++i) {
          const size_t n = std::min<uint64_t>(size, front - (ends_.size() - begin));
          // By number: what the symbol's ends are kept in may move.
          for (size_t k = 0; k < n; ++k) ends_.push_back(ends(item)[k]);
        }
      }
      if (front == length) continue;
      tail.clear();
      for (size_t at = items.size(); at-- > 0 && tail.size() < reach;) {
        const auto symbol = ends(items[at]);
        for (uint64_t i = 0; i < items[at].count && tail.size() < reach; ++i)
          for (size_t k = symbol.size(); k-- > 0 && tail.size() < reach;) tail.push_back(symbol[k]);
      }
      ends_.insert(ends_.end(), tail.rbegin(), tail.rend());
    }
  }
  return {};
}

}  // namespace vestige
