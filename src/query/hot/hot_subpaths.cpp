#include "query/hot/hot_subpaths.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "query/hot/grammar_stream.h"
#include "query/hot/open_chains.h"

namespace vestige {
namespace {

constexpr uint32_t kDead = NumberMap::kFree;
constexpr uint32_t kMostLength = 4096;

// The most that one more terminal can add to the cost of something that occurs k times.
class MostAdded {
 public:
  struct Terminal {
    uint64_t occurrences, weight;
  };
  explicit MostAdded(std::vector<Terminal> terminals) : terminals_(std::move(terminals)) {
    std::ranges::sort(terminals_, {}, &Terminal::occurrences);
    rarer_.resize(terminals_.size() + 1, 0);
    heavier_.resize(terminals_.size() + 1, 0);
    for (size_t i = 0; i < terminals_.size(); ++i)
      rarer_[i + 1] = std::max(rarer_[i], terminals_[i].occurrences * terminals_[i].weight);
    for (size_t i = terminals_.size(); i-- > 0;)
      heavier_[i] = std::max(heavier_[i + 1], terminals_[i].weight);
  }
  uint64_t operator()(uint64_t k) const {
    const auto at = static_cast<size_t>(
        std::ranges::lower_bound(terminals_, k, {}, &Terminal::occurrences) - terminals_.begin());
    return std::max(rarer_[at], heavier_[at] == 0 ? 0 : k * heavier_[at]);
  }

 private:
  std::vector<Terminal> terminals_;  // by occurrences
  std::vector<uint64_t> rarer_;      // the greatest cost of the first i
  std::vector<uint64_t> heavier_;    // the greatest weight from the i-th on
};

class HotSearch {
 public:
  HotSearch(GrammarStream& stream, const HotSubpathOptions& options)
      : stream_(stream), options_(options) {}

  Result<HotSubpathReport> run(const std::function<TerminalFacts(uint64_t)>& facts) {
    if (auto weighed = weigh(facts); !weighed) return std::unexpected(weighed.error());
    open_terminals();
    if (options_.max_length > 1) {
      if (auto counted = count_pairs(); !counted) return std::unexpected(counted.error());
      if (auto grown = grow(); !grown) return std::unexpected(grown.error());
    }
    return answer();
  }

 private:
  // A sequence that is open, or hot: the one without its last terminal, and that.
  struct Link {
    uint32_t before = kDead, last = 0;
  };
  // One of the length that is being counted.
  struct Sequence {
    uint32_t link_before = kDead, last = 0;
    uint64_t occurrences = 0, first = UINT64_MAX, weight = 0;
    uint32_t link = kDead;  // where it is kept, while it is open
  };
  // A terminal that was read, and the symbol of a body it belongs to.
  struct Read {
    uint64_t symbol = 0;
    uint64_t occurrences = 0;  // of the symbol
    uint64_t place = 0;        // in the stream, at the first of them
  };
  struct Found {
    uint32_t link;
    uint64_t occurrences, first, weight;
  };

  Result<void> weigh(const std::function<TerminalFacts(uint64_t)>& facts);
  void open_terminals();
  Result<void> count_pairs();
  Result<void> grow();
  void read_body(uint32_t n, std::span<const GrammarStream::Item> items, uint64_t occurrences,
                 uint64_t first);
  void read_symbol(uint32_t n, const OpenChains::Ends& ends, uint64_t length, uint64_t occurrences,
                   uint64_t first);
  void read_pending(uint32_t n, std::span<const uint32_t> front);
  void read_terminal(uint32_t n, uint32_t open, const Read& read);
  void count(uint32_t a, uint32_t b, uint64_t occurrences, uint64_t first);
  Result<void> settle(uint32_t n);
  // The new number of each sequence; kDead: it is not open.
  std::vector<uint32_t> judge(uint32_t n);
  HotSubpathReport answer() const;
  bool hot(uint32_t n, uint64_t occurrences, uint64_t weight) const {
    return n >= options_.min_length && occurrences * weight >= threshold_;
  }

  GrammarStream& stream_;
  const HotSubpathOptions& options_;
  std::vector<TerminalFacts> facts_;  // per terminal
  uint64_t weight_ = 0, threshold_ = 0;
  MostAdded most_added_{{}};
  std::vector<uint32_t> open_;       // per terminal: its sequence
  std::vector<Sequence> sequences_;  // of the current length; open ones only, behind judge()
  std::vector<Link> links_;
  std::vector<Sequence> next_;  // of the length that is being counted
  NumberMap numbers_;           // of those
  bool too_many_ = false;
  std::vector<NumberMap> levels_;  // by length: the open ones
  OpenChains chains_;
  std::span<const uint32_t> pending_;  // the back of the symbol before, not read yet
  Read pending_read_;                  // its first terminal
  uint64_t symbols_ = 0;               // read so far
  uint64_t terminals_ = 0;             // the same
  std::vector<Read> window_;           // the last ones, by number modulo its size, a power of two
  uint32_t alive_ = 0;                 // up to this length, what ends at the last terminal is open:
  std::vector<uint32_t> ending_;       // by length, its number
  std::vector<uint32_t> ending_next_;
  std::vector<Found> found_;
};

Result<void> HotSearch::weigh(const std::function<TerminalFacts(uint64_t)>& facts) {
  facts_.reserve(stream_.terminals().size());
  for (const GrammarStream::Terminal& terminal : stream_.terminals()) {
    facts_.push_back(facts(terminal.value));
    uint64_t cost = 0;
    // No bound computed later exceeds 2 × max_length × the stream's weight.
    if (__builtin_mul_overflow(facts_.back().weight, terminal.occurrences, &cost) ||
        __builtin_add_overflow(weight_, cost, &weight_) ||
        weight_ > UINT64_MAX / (2 * uint64_t{options_.max_length}))
      return fail(ErrorKind::unsupported, "the stream's weight is too large; give smaller weights");
  }
  const double share = std::ceil(options_.share * static_cast<double>(weight_));
  threshold_ = options_.cost != 0 ? options_.cost
               : share >= 0x1p63  ? uint64_t{1} << 63
                                  : static_cast<uint64_t>(share);
  threshold_ = std::max<uint64_t>(threshold_, 1);
  return {};
}

// Sequences of one terminal: hot ones are found, open ones go on. Each round knows better which
// terminals can still add cost; a few are enough, and any number is right.
void HotSearch::open_terminals() {
  const auto& terminals = stream_.terminals();
  std::vector<bool> open(terminals.size());
  size_t count = 0;
  for (uint32_t t = 0; t < terminals.size(); ++t) {
    const bool is_hot = hot(1, terminals[t].occurrences, facts_[t].weight);
    open[t] = !facts_[t].breaks && !is_hot && terminals[t].occurrences > 0;
    count += open[t];
    if (!is_hot || facts_[t].breaks) continue;
    links_.push_back({kDead, t});
    found_.push_back({static_cast<uint32_t>(links_.size() - 1), terminals[t].occurrences,
                      terminals[t].first, facts_[t].weight});
  }
  for (size_t before = SIZE_MAX, round = 0; before != count && round < 8; ++round) {
    before = count;
    std::vector<MostAdded::Terminal> adding;
    for (uint32_t t = 0; t < terminals.size(); ++t)
      if (open[t]) adding.push_back({terminals[t].occurrences, facts_[t].weight});
    most_added_ = MostAdded(std::move(adding));
    for (uint32_t t = 0; t < terminals.size(); ++t) {
      if (!open[t]) continue;
      const uint64_t occurrences = terminals[t].occurrences;
      const uint64_t most =
          occurrences * facts_[t].weight + (options_.max_length - 1) * most_added_(occurrences);
      if (most >= threshold_) continue;
      open[t] = false;
      --count;
    }
  }
  open_.assign(terminals.size(), kDead);
  for (uint32_t t = 0; t < terminals.size(); ++t) {
    if (!open[t]) continue;
    open_[t] = static_cast<uint32_t>(sequences_.size());
    Sequence& sequence = sequences_.emplace_back();
    sequence.weight = facts_[t].weight;
    sequence.last = t;
    sequence.link = static_cast<uint32_t>(links_.size());
    links_.push_back({kDead, t});
  }
}

// The sequence that is open sequence `a` and the last terminal of open sequence `b`, which begins
// one later.
void HotSearch::count(uint32_t a, uint32_t b, uint64_t occurrences, uint64_t first) {
  if (a == kDead || b == kDead || too_many_) return;
  const uint32_t number = numbers_.at(pair_key(a, b), static_cast<uint32_t>(next_.size()));
  if (number == next_.size()) {
    too_many_ = links_.size() + next_.size() >= options_.most_candidates;
    Sequence& sequence = next_.emplace_back();
    sequence.link_before = sequences_[a].link;
    sequence.last = sequences_[b].last;
    sequence.weight = sequences_[a].weight + facts_[sequence.last].weight;
  }
  next_[number].occurrences += occurrences;
  next_[number].first = std::min(next_[number].first, first);
}

// What was counted is judged.
Result<void> HotSearch::settle(uint32_t n) {
  if (too_many_)
    return fail(ErrorKind::unsupported,
                "more than " + std::to_string(options_.most_candidates) + " sequences of up to " +
                    std::to_string(n) +
                    " terminals would have to be counted (most_candidates); raise the threshold or "
                    "lower max_length");
  sequences_ = std::move(next_);
  next_.clear();
  numbers_.renumber([open = judge(n)](uint32_t number) { return open[number]; });
  levels_.resize(n + 1);
  levels_[n] = std::move(numbers_);
  numbers_ = {};
  return {};
}

// Sequences of two stand where one symbol of a body ends and the next begins.
Result<void> HotSearch::count_pairs() {
  if (auto kept = stream_.keep_ends(1, SIZE_MAX); !kept) return kept;
  stream_.each_body(
      [&](std::span<const GrammarStream::Item> items, uint64_t occurrences, uint64_t first) {
        if (occurrences == 0) return;
        uint32_t before = kDead;
        for (const GrammarStream::Item& item : items) {
          const auto ends = stream_.ends(item);
          const uint32_t front = open_[ends.front()], back = open_[ends.back()];
          const uint64_t length = stream_.length_of(item);
          count(before, front, occurrences, first - 1);
          if (item.count > 1)
            count(back, front, occurrences * (item.count - 1), first + length - 1);
          before = back;
          first += item.count * length;
        }
      });
  return settle(2);
}

// Longer ones, length by length.
Result<void> HotSearch::grow() {
  if (sequences_.empty()) return {};
  auto chains =
      OpenChains::make(stream_, open_, levels_[2], options_.max_length - 1, options_.most_places);
  if (!chains) return std::unexpected(std::move(chains.error()));
  chains_ = std::move(*chains);
  ending_.resize(options_.max_length + 1);
  ending_next_.resize(options_.max_length + 1);
  for (uint32_t n = 3; n <= options_.max_length && !sequences_.empty(); ++n) {
    window_.assign(std::bit_ceil(n), {});
    stream_.each_body(
        [&](std::span<const GrammarStream::Item> items, uint64_t occurrences, uint64_t first) {
          if (occurrences > 0 && !too_many_) read_body(n, items, occurrences, first);
        });
    if (auto settled = settle(n); !settled) return settled;
  }
  return {};
}

void HotSearch::read_body(uint32_t n, std::span<const GrammarStream::Item> items,
                          uint64_t occurrences, uint64_t first) {
  alive_ = 0;
  pending_ = {};
  for (const GrammarStream::Item& item : items) {
    const uint64_t length = stream_.length_of(item);
    const OpenChains::Ends ends = chains_.of(item);
    // What begins in a repetition with so many behind it stays in the run.
    const uint64_t last = item.count == 1 ? 0 : std::min(item.count - 1, (n + length - 2) / length);
    const uint64_t alike = item.count - last;
    read_symbol(n, ends, length, occurrences * alike, first);
    for (uint64_t i = 0; i < last; ++i)
      read_symbol(n, ends, length, occurrences, first + (alike + i) * length);
    first += item.count * length;
  }
}

void HotSearch::read_symbol(uint32_t n, const OpenChains::Ends& ends, uint64_t length,
                            uint64_t occurrences, uint64_t first) {
  ++symbols_;
  read_pending(n, ends.front);
  const bool whole = ends.whole && length < n;
  // Without anything that goes on from before, the front of a symbol ends nothing.
  if (whole || alive_ > 0)
    for (size_t i = 0; i < std::min<size_t>(ends.front.size(), n - 1); ++i)
      read_terminal(n, ends.front[i], {symbols_, occurrences, first + i});
  if (whole) return;
  alive_ = 0;
  pending_ = ends.back.last(std::min<size_t>(ends.back.size(), n - 1));
  pending_read_ = {symbols_, occurrences, first + length - pending_.size()};
}

// The back of a symbol is read when what follows goes on with it.
void HotSearch::read_pending(uint32_t n, std::span<const uint32_t> front) {
  if (pending_.empty()) return;
  const auto back = std::exchange(pending_, {});
  if (front.empty() || levels_[2].get(pair_key(back.back(), front[0])) == kDead) return;
  for (size_t i = 0; i < back.size(); ++i)
    read_terminal(n, back[i],
                  {pending_read_.symbol, pending_read_.occurrences, pending_read_.place + i});
}

// Extends what is open and ends before it, from the shortest on, to what ends here.
void HotSearch::read_terminal(uint32_t n, uint32_t open, const Read& read) {
  const uint64_t mask = window_.size() - 1;
  window_[terminals_ & mask] = read;
  ending_next_[1] = open;
  uint32_t alive = 1;
  for (uint32_t k = 2; k <= alive_ + 1 && k < n; ++k) {
    const uint32_t number = levels_[k].get(pair_key(ending_[k - 1], ending_next_[k - 1]));
    if (number == kDead) break;
    ending_next_[k] = number;
    alive = k;
  }
  ++terminals_;
  if (alive == n - 1 && alive_ == n - 1) {
    const Read& begin = window_[(terminals_ - n) & mask];
    // What lies inside of one symbol is counted at home, in the symbol's own rule.
    if (begin.symbol != read.symbol)
      count(ending_[n - 1], ending_next_[n - 1], begin.occurrences, begin.place);
  }
  alive_ = alive;
  ending_.swap(ending_next_);
}

// Of the sequences just counted, hot ones are found and open ones go on.
std::vector<uint32_t> HotSearch::judge(uint32_t n) {
  std::vector<uint32_t> number(sequences_.size(), kDead);
  uint32_t open = 0;
  for (uint32_t s = 0; s < sequences_.size(); ++s) {
    Sequence& sequence = sequences_[s];
    const bool is_hot = hot(n, sequence.occurrences, sequence.weight);
    const uint64_t most = sequence.occurrences * sequence.weight +
                          (options_.max_length - n) * most_added_(sequence.occurrences);
    const bool is_open = !is_hot && n < options_.max_length && most >= threshold_;
    if (!is_hot && !is_open) continue;
    const auto link = static_cast<uint32_t>(links_.size());
    links_.push_back({sequence.link_before, sequence.last});
    if (is_hot) {
      found_.push_back({link, sequence.occurrences, sequence.first, sequence.weight});
    } else {
      sequence.link = link;
      number[s] = open;
      sequences_[open++] = sequence;
    }
  }
  sequences_.resize(open);
  return number;
}

HotSubpathReport HotSearch::answer() const {
  HotSubpathReport report;
  report.length = stream_.length();
  report.weight = weight_;
  report.threshold = threshold_;
  report.found = found_.size();
  std::vector<Found> order = found_;
  const size_t shown = std::min(options_.top, order.size());
  const auto key = [](const Found& f) {
    return std::tuple(std::numeric_limits<uint64_t>::max() - f.occurrences * f.weight, f.first,
                      f.link);
  };
  std::ranges::partial_sort(order, order.begin() + static_cast<ptrdiff_t>(shown), {}, key);
  for (size_t i = 0; i < shown; ++i) {
    const Found& found = order[i];
    HotSubpath& subpath = report.subpaths.emplace_back();
    for (uint32_t link = found.link; link != kDead; link = links_[link].before)
      subpath.terminals.push_back(stream_.terminals()[links_[link].last].value);
    std::ranges::reverse(subpath.terminals);
    subpath.occurrences = found.occurrences;
    subpath.weight = found.weight;
    subpath.cost = found.occurrences * found.weight;
    subpath.first = found.first;
  }
  return report;
}

}  // namespace

Result<HotSubpathReport> find_hot_subpaths(std::span<const sequitur::PlainGrammar* const> parts,
                                           const std::function<TerminalFacts(uint64_t)>& facts,
                                           const HotSubpathOptions& options) {
  if (options.min_length == 0 || options.min_length > options.max_length)
    return fail(ErrorKind::usage,
                "subpaths have at least one terminal, and min_length may not exceed max_length");
  if (options.max_length > kMostLength)
    return fail(ErrorKind::usage, "subpaths of more than " + std::to_string(kMostLength) +
                                      " terminals cannot be searched for");
  if (options.cost == 0 && !(options.share > 0 && options.share <= 1))
    return fail(ErrorKind::usage, "the share must be above 0 and at most 1");
  auto stream = GrammarStream::make(parts);
  if (!stream) return std::unexpected(stream.error());
  return HotSearch(*stream, options).run(facts);
}

}  // namespace vestige
