// The search on the grammar that schemes 2 and 4 share: ranges of the start rules, one after the
// other, each passed over, or walked by the summaries of its symbols.
//
// Hits are found by going down: a symbol whose summary adds nothing in the states that are now
// known is passed over whole, whatever it stands for, and the n-th hit is found by subtracting what
// symbols add. Nothing recurses.
//
// A search belongs to one thread; the grammar and the pattern do not change, and searches share
// them.
#pragma once

#include <optional>
#include <vector>

#include "query/paths/rule_summaries.h"
#include "query/paths/scheme.h"

namespace vestige {

class GrammarSearch : public Scheme {
 public:
  struct Range {
    uint32_t part, begin, end;  // places of the part's start rule
    bool held;                  // the function runs in it
    Extent extent;              // where it does not
  };
  // `eager`: summaries of all rules are made before the first is used.
  GrammarSearch(const SearchSpace& space, std::vector<Range> ranges, bool eager);

  Result<uint64_t> count() override;
  Result<bool> next(Hit& hit) override;
  Result<uint64_t> skip(uint64_t count) override;

 private:
  struct Frame {
    uint32_t place, end;
    uint64_t repetition;  // of the symbol at `place`, done already
  };
  Result<void> enter_part(uint32_t part);
  Result<void> too_much() const;
  // Goes on until the next hit is in hits_, or the end; `skip` hits are left out.
  Result<void> advance(uint64_t& skip);
  void step(uint64_t& skip);
  void skim(Frame& frame, uint64_t& skip);

  const SearchSpace space_;
  const std::vector<Range> ranges_;
  const bool eager_;
  std::optional<RuleSummaries> summaries_;
  uint32_t part_ = kNone;
  size_t next_range_ = 0;
  Levels levels_;
  uint64_t time_;  // of the next path
  std::vector<Frame> frames_;
  std::vector<Hit> hits_;
  size_t next_hit_ = 0;
};

}  // namespace vestige
