#include "query/paths/hot_subpaths.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "query/paths/grammar_stream.h"

namespace vestige {
namespace {

constexpr uint32_t kDead = UINT32_MAX;
constexpr uint32_t kMostLength = 4096;
// Room for one more symbol, however often it is written.
constexpr uint64_t kMostText = UINT32_MAX - 4 * uint64_t{kMostLength} * kMostLength;

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

// Numbers for pairs of numbers, in the order they come up.
class PairNumbers {
 public:
  // `next` when the pair is new.
  uint32_t number(uint32_t a, uint32_t b, uint32_t next) {
    if (2 * (size_t{used_} + 1) > slots_.size()) grow();
    Slot& slot = find(uint64_t{a} << 32 | b);
    if (slot.number == kDead) {
      slot = {uint64_t{a} << 32 | b, next};
      ++used_;
    }
    return slot.number;
  }
  // kDead when there is no such pair.
  uint32_t known(uint32_t a, uint32_t b) const {
    if (slots_.empty()) return kDead;
    return slots_[slot_of(uint64_t{a} << 32 | b)].number;
  }
  void clear() {
    slots_.clear();
    used_ = 0;
  }

 private:
  struct Slot {
    uint64_t pair = 0;
    uint32_t number = kDead;
  };
  size_t slot_of(uint64_t pair) const {
    const size_t mask = slots_.size() - 1;
    size_t at = static_cast<size_t>(pair * 0x9e3779b97f4a7c15 >> 32) & mask;
    while (slots_[at].number != kDead && slots_[at].pair != pair) at = (at + 1) & mask;
    return at;
  }
  Slot& find(uint64_t pair) { return slots_[slot_of(pair)]; }
  void grow() {
    std::vector<Slot> old(std::max<size_t>(64, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.number != kDead) find(slot.pair) = slot;
  }
  std::vector<Slot> slots_;
  uint32_t used_ = 0;
};

class Search {
 public:
  Search(GrammarStream& stream, const HotSubpathOptions& options)
      : stream_(stream), options_(options) {}

  Result<HotSubpathReport> run(const std::function<TerminalFacts(uint64_t)>& facts) {
    if (auto weighed = weigh(facts); !weighed) return std::unexpected(weighed.error());
    open_terminals();
    if (options_.max_length > 1) {
      if (auto counted = count_pairs(); !counted) return std::unexpected(counted.error());
      if (!sequences_.empty())
        if (auto written = write_bodies(); !written) return std::unexpected(written.error());
      for (uint32_t n = 3; n <= options_.max_length && !places_.empty(); ++n)
        if (auto grown = grow(n); !grown) return std::unexpected(grown.error());
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
  // A symbol of a body, written out.
  struct Written {
    uint64_t occurrences = 0;
    uint64_t end = 0;         // where it ends in the text
    uint64_t stream_end = 0;  // the same in the stream, at its first occurrence
  };
  struct Symbol {
    Written written;
    uint32_t number = kDead;  // in written_, once a place of it is kept
  };
  struct Place {
    uint32_t at = 0;        // in the text
    uint32_t sequence = 0;  // that begins there
    uint32_t symbol = 0;    // written_
  };
  struct Found {
    uint32_t link;
    uint64_t occurrences, first, weight;
  };

  Result<void> weigh(const std::function<TerminalFacts(uint64_t)>& facts);
  void open_terminals();
  Result<void> count_pairs();
  Result<void> count_pair(uint32_t a, uint32_t b, uint64_t occurrences, uint64_t first,
                          std::vector<Sequence>& pairs);
  Result<void> too_many(uint32_t n) const;
  void find_quiet_rules();
  Result<void> write_bodies();
  Result<void> write_body(std::span<const GrammarStream::Item> items, uint64_t occurrences,
                          uint64_t first);
  void write_symbol(const GrammarStream::Item& item, uint64_t occurrences, uint64_t stream_end);
  void write_terminal(uint32_t open, uint64_t at, Symbol& home);
  // The number of the open pair, or kDead.
  uint32_t open_pair(uint32_t a, uint32_t b) const {
    if (a == kDead || b == kDead) return kDead;
    const uint32_t number = pairs_.known(a, b);
    return number == kDead ? kDead : open_pairs_[number];
  }
  Result<void> grow(uint32_t n);
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
  std::vector<Written> written_;
  std::vector<Place> places_;
  uint64_t text_ = 0;  // its length so far
  PairNumbers pairs_;
  std::vector<uint32_t> open_pairs_;  // by number in pairs_: the sequence
  std::vector<bool> quiet_;           // per rule: no open pair inside
  Symbol before_, now_;               // the symbols written last
  uint32_t last_ = kDead;             // the terminal written last, if it is open
  uint64_t last_at_ = 0;
  std::vector<Found> found_;
};

Result<void> Search::weigh(const std::function<TerminalFacts(uint64_t)>& facts) {
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
void Search::open_terminals() {
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

Result<void> Search::too_many(uint32_t n) const {
  return fail(ErrorKind::unsupported,
              "more than " + std::to_string(options_.most_candidates) + " sequences of up to " +
                  std::to_string(n) +
                  " terminals would have to be counted (most_candidates); raise the threshold or "
                  "lower max_length");
}

Result<void> Search::count_pair(uint32_t a, uint32_t b, uint64_t occurrences, uint64_t first,
                                std::vector<Sequence>& pairs) {
  if (a == kDead || b == kDead) return {};
  const uint32_t number = pairs_.number(a, b, static_cast<uint32_t>(pairs.size()));
  if (number == pairs.size()) {
    if (links_.size() + pairs.size() >= options_.most_candidates) return too_many(2);
    Sequence& pair = pairs.emplace_back();
    pair.link_before = sequences_[a].link;
    pair.last = sequences_[b].last;
    pair.weight = sequences_[a].weight + sequences_[b].weight;
  }
  pairs[number].occurrences += occurrences;
  pairs[number].first = std::min(pairs[number].first, first);
  return {};
}

// Sequences of two need no text: each stands where one symbol of a body ends and the next begins.
Result<void> Search::count_pairs() {
  if (auto kept = stream_.keep_ends(1, SIZE_MAX); !kept) return kept;
  std::vector<Sequence> pairs;
  Result<void> done;
  stream_.each_body([&](std::span<const GrammarStream::Item> items, uint64_t occurrences,
                        uint64_t first) {
    if (!done || occurrences == 0) return;
    uint32_t before = kDead;
    for (const GrammarStream::Item& item : items) {
      const auto ends = stream_.ends(item);
      const uint32_t front = open_[ends.front()], back = open_[ends.back()];
      const uint64_t length = stream_.length_of(item);
      done = count_pair(before, front, occurrences, first - 1, pairs);
      if (done && item.count > 1)
        done = count_pair(back, front, occurrences * (item.count - 1), first + length - 1, pairs);
      if (!done) return;
      before = back;
      first += item.count * length;
    }
  });
  if (!done) return done;
  sequences_ = std::move(pairs);
  open_pairs_ = judge(2);
  return {};
}

// Of most rules nothing but the ends has to be looked at.
void Search::find_quiet_rules() {
  quiet_.assign(stream_.rules().size() + 1, true);  // and the parts in a row
  size_t rule = 0;
  stream_.each_body([&](std::span<const GrammarStream::Item> items, uint64_t, uint64_t) {
    uint32_t before = kDead;
    for (const GrammarStream::Item& item : items) {
      const auto ends = stream_.ends(item);
      const uint32_t front = open_[ends.front()], back = open_[ends.back()];
      if ((item.is_rule && !quiet_[item.number]) || open_pair(before, front) != kDead ||
          (item.count > 1 && open_pair(back, front) != kDead))
        quiet_[rule] = false;
      before = back;
    }
    ++rule;
  });
}

Result<void> Search::write_bodies() {
  find_quiet_rules();
  if (auto kept = stream_.keep_ends(options_.max_length - 1, options_.most_places); !kept)
    return kept;
  Result<void> done;
  stream_.each_body(
      [&](std::span<const GrammarStream::Item> items, uint64_t occurrences, uint64_t first) {
        if (done && occurrences > 0) done = write_body(items, occurrences, first);
      });
  return done;
}

Result<void> Search::write_body(std::span<const GrammarStream::Item> items, uint64_t occurrences,
                                uint64_t first) {
  const uint64_t reach = options_.max_length - 1;
  for (const GrammarStream::Item& item : items) {
    const uint64_t length = stream_.length_of(item);
    // What begins in a repetition with so many behind it stays in the run.
    const uint64_t last = std::min(item.count - 1, (reach + length - 1) / length);
    const uint64_t alike = item.count - last;
    write_symbol(item, occurrences * alike, first + length);
    for (uint64_t i = 0; i < last; ++i)
      write_symbol(item, occurrences, first + (alike + i + 1) * length);
    first += item.count * length;
    if (places_.size() > options_.most_places || text_ > kMostText) {
      return fail(ErrorKind::unsupported,
                  "more than " + std::to_string(options_.most_places) +
                      " terminals would have to be written out (most_places); raise the threshold "
                      "or lower max_length");
    }
  }
  ++text_;  // nothing goes on behind a body
  return {};
}

void Search::write_symbol(const GrammarStream::Item& item, uint64_t occurrences,
                          uint64_t stream_end) {
  const uint64_t reach = options_.max_length - 1;
  const auto terminals = stream_.ends(item);
  const bool cut = stream_.length_of(item) > 2 * reach;  // the middle is left out
  const uint64_t end = text_ + terminals.size() + cut;
  before_ = now_;
  now_ = {{occurrences, end, stream_end}};
  write_terminal(open_[terminals.front()], text_, before_);
  if (item.is_rule && quiet_[item.number]) {
    last_ = open_[terminals.back()];
    last_at_ = end - 1;
  } else {
    for (size_t i = 1; i < terminals.size(); ++i)
      write_terminal(open_[terminals[i]], text_ + i + (cut && i >= reach), now_);
  }
  text_ = end;
}

// The place before it, which is in `home`, is kept when an open pair begins there.
void Search::write_terminal(uint32_t open, uint64_t at, Symbol& home) {
  const uint32_t pair = last_at_ + 1 == at ? open_pair(last_, open) : kDead;
  if (pair != kDead) {
    if (home.number == kDead) {
      home.number = static_cast<uint32_t>(written_.size());
      written_.push_back(home.written);
    }
    places_.push_back({static_cast<uint32_t>(last_at_), pair, home.number});
  }
  last_ = open;
  last_at_ = at;
}

// From sequences of n − 1 terminals to those of n.
Result<void> Search::grow(uint32_t n) {
  std::vector<Sequence> next;
  pairs_.clear();
  size_t kept = 0;
  for (size_t i = 0; i + 1 < places_.size(); ++i) {
    const Place place = places_[i], behind = places_[i + 1];
    if (behind.at != place.at + 1) continue;
    const uint32_t number =
        pairs_.number(place.sequence, behind.sequence, static_cast<uint32_t>(next.size()));
    if (number == next.size()) {
      if (links_.size() + next.size() >= options_.most_candidates) return too_many(n);
      Sequence& sequence = next.emplace_back();
      sequence.link_before = sequences_[place.sequence].link;
      sequence.last = sequences_[behind.sequence].last;
      sequence.weight = sequences_[place.sequence].weight + facts_[sequence.last].weight;
    }
    places_[kept++] = {place.at, number, place.symbol};
    const Written& symbol = written_[place.symbol];
    if (uint64_t{place.at} + n <= symbol.end)
      continue;  // counted at home, in the symbol's own rule
    next[number].occurrences += symbol.occurrences;
    next[number].first = std::min(next[number].first, symbol.stream_end - (symbol.end - place.at));
  }
  places_.resize(kept);
  sequences_ = std::move(next);
  const std::vector<uint32_t> number = judge(n);
  kept = 0;
  for (const Place& place : places_)
    if (number[place.sequence] != kDead)
      places_[kept++] = {place.at, number[place.sequence], place.symbol};
  places_.resize(kept);
  return {};
}

// Of the sequences just counted, hot ones are found and open ones go on.
std::vector<uint32_t> Search::judge(uint32_t n) {
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

HotSubpathReport Search::answer() const {
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
  return Search(*stream, options).run(facts);
}

}  // namespace vestige
