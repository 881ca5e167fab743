// The ends of rules' expansions, as far as a hot subpath may reach into them: up to `reach`
// terminals, and not past a pair of neighbours that is not open (hot_subpaths.h). Most rules have
// a short chain at each end and nothing else that matters.
//
// Not changed after it is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/open_map.h"
#include "query/hot/grammar_stream.h"

namespace vestige {

class OpenChains {
 public:
  struct Ends {
    std::span<const uint32_t> front, back;  // numbers of open terminals
    bool whole = false;                     // one chain is everything
  };

  // `open`: the number of each terminal, kNone where it is not open. `pairs`: the open ones. The
  // stream and `open` must outlive this. Fails (unsupported) when more than `most` terminals would
  // have to be kept.
  static Result<OpenChains> make(const GrammarStream& stream, const std::vector<uint32_t>& open,
                                 const NumberMap& pairs, uint64_t reach, size_t most);

  Ends of(const GrammarStream::Item& item) const {
    if (!item.is_rule) {
      const bool is_open = (*open_)[item.number] != NumberMap::kFree;
      const std::span<const uint32_t> self(&(*open_)[item.number], is_open ? 1 : 0);
      return {self, self, is_open};
    }
    const Rule& rule = rules_[item.number];
    const auto kept = std::span(chains_).subspan(rule.begin);
    if (rule.whole) return {kept.first(rule.front), kept.first(rule.front), true};
    return {kept.first(rule.front), kept.subspan(rule.front, rule.back), false};
  }

 private:
  struct Rule {
    size_t begin = 0;  // in chains_: the front, then the back
    uint32_t front = 0, back = 0;
    bool whole = false;
  };
  void add(std::span<const GrammarStream::Item> items, const NumberMap& pairs, uint64_t reach);

  const std::vector<uint32_t>* open_ = nullptr;
  std::vector<uint32_t> chains_;
  std::vector<Rule> rules_;
  std::vector<uint32_t> front_, back_;  // of the rule that is added; the back from its end
};

}  // namespace vestige
