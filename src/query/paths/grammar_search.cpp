#include "query/paths/grammar_search.h"

namespace vestige {

using namespace sequitur;

GrammarSearch::GrammarSearch(const SearchSpace& space, std::vector<Range> ranges, bool eager)
    : space_(space),
      ranges_(std::move(ranges)),
      eager_(eager),
      levels_(Levels::concrete(space.pattern.strict())),
      time_(space.whole.first_time) {}

Result<void> GrammarSearch::too_much() const {
  return fail(ErrorKind::unsupported,
              "the pattern needs too much memory on the grammar; use --scheme 1");
}

Result<void> GrammarSearch::enter_part(uint32_t part) {
  if (part_ == part) return {};
  part_ = part;
  summaries_.emplace(space_.trace, space_.whole.parts[part], space_.pattern);
  if (eager_) summaries_->summarise_all();
  return summaries_->full() ? too_much() : Result<void>();
}

Result<uint64_t> GrammarSearch::count() {
  for (const Range& range : ranges_) {
    if (!range.held) {
      levels_.pass(range.extent);
      continue;
    }
    if (auto entered = enter_part(range.part); !entered) return std::unexpected(entered.error());
    summaries_->walk(range.begin, range.end, levels_);
    if (summaries_->full()) return std::unexpected(too_much().error());
  }
  return levels_.count();
}

Result<bool> GrammarSearch::next(Hit& hit) {
  uint64_t skip = 0;
  if (auto moved = advance(skip); !moved) return std::unexpected(moved.error());
  if (next_hit_ == hits_.size()) return false;
  hit = hits_[next_hit_++];
  return true;
}

Result<uint64_t> GrammarSearch::skip(uint64_t count) {
  uint64_t left = count;
  const uint64_t here = std::min<uint64_t>(left, hits_.size() - next_hit_);
  next_hit_ += here;
  left -= here;
  if (left > 0)
    if (auto moved = advance(left); !moved) return std::unexpected(moved.error());
  return count - left;
}

Result<void> GrammarSearch::advance(uint64_t& skip) {
  while (next_hit_ == hits_.size()) {
    if (!frames_.empty()) {
      step(skip);
      if (summaries_->full()) return too_much();
      continue;
    }
    if (next_range_ == ranges_.size()) return {};
    const Range& range = ranges_[next_range_++];
    if (!range.held) {
      levels_.pass(range.extent);
      time_ += range.extent.times;
      continue;
    }
    if (auto entered = enter_part(range.part); !entered) return entered;
    frames_.push_back({range.begin, range.end, 0});
  }
  return {};
}

// Passes over single symbols that hold nothing that is wanted: what a search mostly does.
void GrammarSearch::skim(Frame& frame, uint64_t& skip) {
  using Meaning = RuleSummaries::Meaning;
  RuleSummaries& summaries = *summaries_;
  const PathGrammar& grammar = summaries.grammar();
  Transforms& transforms = summaries.transforms();
  for (; frame.place < frame.end && frame.repetition == 0; ++frame.place) {
    const Symbol symbol = grammar.symbols[frame.place];
    if (is_run(symbol)) return;
    summaries.prefetch(frame.place, frame.end);
    if (summaries.passes(symbol, levels_)) {
      time_ += grammar.rules[rule_of(symbol)].times;
      continue;
    }
    const Meaning& meaning = summaries.find(symbol);
    const Extent extent = grammar.extent(symbol);
    if (meaning.kind == Meaning::nothing) {
      levels_.pass(extent);
    } else if (meaning.kind == Meaning::blocks) {
      const uint64_t gain = levels_.gain(meaning.made(), transforms);
      if (gain > skip) return;
      skip -= gain;
      levels_.apply(meaning.made(), transforms);
      levels_.pass(extent);
    } else {
      const LevelsView view = summaries.view(meaning);
      const uint64_t gain = levels_.gain(view, transforms);
      if (gain > skip) return;
      skip -= gain;
      levels_.apply(view, extent, transforms);
    }
    time_ += extent.times;
    if (summaries.full()) return;
  }
}

// One symbol, or some repetitions of it, or one level down.
void GrammarSearch::step(uint64_t& skip) {
  Frame& frame = frames_.back();
  skim(frame, skip);
  if (summaries_->full()) return;
  if (frame.place == frame.end) {
    frames_.pop_back();
    return;
  }
  RuleSummaries& summaries = *summaries_;
  const PathGrammar& grammar = summaries.grammar();
  const Run run = grammar.run(frame.place);
  const Extent one = grammar.extent(run.symbol);
  const auto done = [&](uint64_t repetitions) {
    time_ += one.times * repetitions;
    frame.repetition += repetitions;
    if (frame.repetition == run.count) {
      ++frame.place;
      frame.repetition = 0;
    }
  };
  const uint64_t left = run.count - frame.repetition;
  const RuleSummaries::Meaning meaning = summaries.find(run.symbol);
  Transforms& transforms = summaries.transforms();
  const bool blocks = meaning.kind == RuleSummaries::Meaning::blocks;
  if (meaning.kind == RuleSummaries::Meaning::nothing) {
    levels_.pass(repeated(one, left));
    done(left);
    return;
  }
  const auto gain_of_one = [&] {
    return blocks ? levels_.gain(meaning.made(), transforms)
                  : levels_.gain(summaries.view(meaning), transforms);
  };
  const auto apply_one = [&] {
    if (!blocks) return levels_.apply(summaries.view(meaning), one, transforms);
    levels_.apply(meaning.made(), transforms);
    levels_.pass(one);
  };
  uint64_t gain = gain_of_one();
  if (gain <= skip) {
    // As many repetitions as hold nothing that is wanted: powers of two, the largest first.
    uint64_t count = 1;
    std::optional<Levels> most;
    for (; left / 2 >= count; count *= 2) {
      Levels twice(space_.pattern.strict());
      summaries.power(run.symbol, count * 2, twice);
      if (summaries.full()) return;
      const uint64_t more = levels_.gain(twice.view(), transforms);
      if (more > skip) break;
      gain = more;
      most = std::move(twice);
    }
    if (most)
      levels_.apply(most->view(), most->extent(), transforms);
    else
      apply_one();
    skip -= gain;
    done(count);
    return;
  }
  if (is_rule(run.symbol)) {
    const uint32_t rule = rule_of(run.symbol);
    // The body takes time_ forward; the repetition counts as done when it is entered.
    if (++frame.repetition == run.count) {
      ++frame.place;
      frame.repetition = 0;
    }
    frames_.push_back({grammar.begin(rule), grammar.ends[rule], 0});
    return;
  }
  hits_.clear();
  next_hit_ = 0;
  hits_in(space_.trace, space_.pattern, grammar.terminals[run.symbol], levels_.innermost(), time_,
          hits_);
  apply_one();
  done(1);
  next_hit_ = std::min<uint64_t>(skip, hits_.size());
  skip -= next_hit_;
}

}  // namespace vestige
