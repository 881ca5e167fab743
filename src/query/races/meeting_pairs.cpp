#include "query/races/meeting_pairs.h"

#include <algorithm>
#include <tuple>

#include "query/races/lifetimes.h"

namespace vestige::races {

namespace {

// One access and run, with where it occurred: runs [first, end) of the strand, by segment.
struct RunGroup {
  Access access;
  StridedInterval where;
  uint32_t first = 0, end = 0;
  uint64_t begin_stamp = 0,
           death = 0;  // of its first segment; when all its memory was handed out anew
};

struct Grouped {
  const std::vector<AccessRun>* runs = nullptr;
  std::vector<RunGroup> groups;  // by start
  std::vector<uint64_t> before;  // by run: occurrences in the runs before, of all groups
};

Grouped group(std::vector<AccessRun>& runs, const ThreadOrder& order, const Lifetimes& lifetimes) {
  std::ranges::sort(runs, {}, [](const AccessRun& run) {
    return std::tuple(run.where, run.access, run.segment, run.first_time);
  });
  Grouped grouped;
  grouped.runs = &runs;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < runs.size(); ++i) {
    grouped.before.push_back(sum);
    sum += runs[i].times;
    if (i == 0 || runs[i].access != runs[i - 1].access || runs[i].where != runs[i - 1].where)
      grouped.groups.push_back({runs[i].access, runs[i].where, i, i});
    grouped.groups.back().end = i + 1;
  }
  grouped.before.push_back(sum);
  for (RunGroup& one : grouped.groups) {
    const Segment& last = order.segments[runs[one.end - 1].segment];
    one.begin_stamp = order.segments[runs[one.first].segment].first_stamp;
    one.death = lifetimes.next(one.where.start, one.where.last(), last.last_stamp);
  }
  return grouped;
}

bool can_race(const Access& a, const Access& b) {
  return (a.writes || b.writes) && !(a.atomic && b.atomic);
}

void add_saturated(uint64_t& sum, uint64_t a, uint64_t b, uint64_t c) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || __builtin_mul_overflow(product, c, &product) ||
      __builtin_add_overflow(sum, product, &sum))
    sum = UINT64_MAX;
}

// Two strands of one process.
class TwoStrands {
 public:
  TwoStrands(const HappensBefore& order, const Lifetimes& lifetimes, const Share& share, uint32_t a,
             uint32_t b, const Grouped& of_a, const Grouped& of_b, Pairs& pairs)
      : order_(order),
        lifetimes_(lifetimes),
        share_(share),
        a_(a),
        b_(b),
        of_a_(of_a),
        of_b_(of_b),
        pairs_(pairs) {}

  // Sweeps over both lists by start; those whose stretch is not over wait.
  void find() {
    concurrent_ = order_.concurrent(a_, b_);
    std::vector<Waiting> waiting_a, waiting_b;
    size_t i = 0, j = 0;
    const auto& mine = of_a_.groups;
    const auto& others = of_b_.groups;
    while (i < mine.size() || j < others.size()) {
      const bool take_a =
          j == others.size() || (i < mine.size() && mine[i].where.start <= others[j].where.start);
      if (take_a) {
        const Waiting now = of_a(static_cast<uint32_t>(i));
        each(waiting_b, mine[i].where.start, now,
             [&](uint32_t g) { meet(mine[now.group], others[g]); });
        waiting_a.push_back(now);
        ++i;
      } else {
        const Waiting now = of_b(static_cast<uint32_t>(j));
        each(waiting_a, others[j].where.start, now,
             [&](uint32_t g) { meet(mine[g], others[now.group]); });
        waiting_b.push_back(now);
        ++j;
      }
    }
  }

 private:
  // What is looked at first, side by side. Segments are those of b: a group of a has those that are
  // concurrent with its first to its last one.
  struct Waiting {
    uint64_t last = 0;  // address
    uint32_t group = 0;
    uint32_t first_segment = 0, end_segment = 0;
    uint64_t begin_stamp = 0, death = 0;
    bool writes = false;
  };
  Waiting of_a(uint32_t g) const {
    const RunGroup& group = of_a_.groups[g];
    return {group.where.last(),
            g,
            concurrent_[(*of_a_.runs)[group.first].segment].first,
            concurrent_[(*of_a_.runs)[group.end - 1].segment].end,
            group.begin_stamp,
            group.death,
            group.access.writes};
  }
  Waiting of_b(uint32_t g) const {
    const RunGroup& group = of_b_.groups[g];
    return {group.where.last(),
            g,
            (*of_b_.runs)[group.first].segment,
            (*of_b_.runs)[group.end - 1].segment + 1,
            group.begin_stamp,
            group.death,
            group.access.writes};
  }

  // Drops those that end before `start`, and visits the others that may race with `now`.
  template <class Visit>
  static void each(std::vector<Waiting>& waiting, uint64_t start, const Waiting& now,
                   const Visit& visit) {
    size_t kept = 0;
    for (size_t i = 0; i < waiting.size(); ++i) {
      const Waiting one = waiting[i];
      if (one.last < start) continue;
      waiting[kept++] = one;
      if ((one.writes || now.writes) && one.first_segment < now.end_segment &&
          now.first_segment < one.end_segment && one.death > now.begin_stamp &&
          now.death > one.begin_stamp)
        visit(one.group);
    }
    waiting.resize(kept);
  }

  void meet(const RunGroup& a, const RunGroup& b) {
    if (!can_race(a.access, b.access)) return;
    if (share_.over_lower_border(a.where) && share_.over_lower_border(b.where)) return;
    const uint64_t count = meetings(a.where, b.where);
    if (count == 0) return;
    const uint64_t low = std::max(a.where.start, b.where.start);
    const uint64_t high = std::min(a.where.last(), b.where.last());
    const ResetStamps resets = lifetimes_.within(low, high);
    if (resets.partial) return meet_singly(a, b);
    count_segments(a, b, a.where, b.where, count, resets.stamps);
  }

  // Memory in the runs was handed out in pieces: each access for itself.
  void meet_singly(const RunGroup& a, const RunGroup& b) {
    const Hits of_a = hits(a.where, b.where.start, b.where.last());
    for (uint64_t i = of_a.begin; i < of_a.end; ++i) {
      const StridedInterval mine{a.where.start + i * a.where.stride, 0, 1, a.where.bytes};
      const Hits of_b = hits(b.where, mine.start, mine.last());
      for (uint64_t j = of_b.begin; j < of_b.end; ++j) {
        const StridedInterval other{b.where.start + j * b.where.stride, 0, 1, b.where.bytes};
        const uint64_t low = std::max(mine.start, other.start);
        const uint64_t high = std::min(mine.last(), other.last());
        count_segments(a, b, mine, other, 1, lifetimes_.within(low, high).stamps);
      }
    }
  }

  // Occurrences in concurrent segments. `resets`: when the memory was handed out anew.
  void count_segments(const RunGroup& a, const RunGroup& b, const StridedInterval& mine,
                      const StridedInterval& other, uint64_t count,
                      const std::vector<uint64_t>& resets) {
    const auto& runs_a = *of_a_.runs;
    const auto& runs_b = *of_b_.runs;
    const auto& segments_a = order_.of(a_).segments;
    const auto& segments_b = order_.of(b_).segments;
    const auto life = [&](const Segment& segment) { return lifetime_of(segment, resets); };
    PairFound* found = nullptr;
    uint32_t low = b.first, high = b.first;
    for (uint32_t i = a.first; i < a.end; ++i) {
      const auto range = concurrent_[runs_a[i].segment];
      const Lifetime mine_life = life(segments_a[runs_a[i].segment]);
      while (low < b.end && (runs_b[low].segment < range.first ||
                             life(segments_b[runs_b[low].segment]).last < mine_life.first))
        ++low;
      high = std::max(high, low);
      while (high < b.end && runs_b[high].segment < range.end &&
             life(segments_b[runs_b[high].segment]).first <= mine_life.last)
        ++high;
      if (low >= high) continue;
      if (!found) found = &pairs_[key(a.access, b.access)];
      const bool fresh = found->count == 0;
      add_saturated(found->count, count, runs_a[i].times, of_b_.before[high] - of_b_.before[low]);
      offer(fresh, *found, a.access, b.access, runs_a[i], runs_b[low], mine, other);
    }
  }

  static PairKey key(const Access& a, const Access& b) {
    return a <= b ? PairKey{a, b} : PairKey{b, a};
  }

  // Keeps the first meeting.
  void offer(bool fresh, PairFound& found, const Access& access_a, const Access& access_b,
             const AccessRun& a, const AccessRun& b, const StridedInterval& mine,
             const StridedInterval& other) const {
    const bool swapped = access_b < access_a;
    Meeting meeting;
    meeting.strand[swapped] = a_;
    meeting.strand[!swapped] = b_;
    meeting.segment[swapped] = a.segment;
    meeting.segment[!swapped] = b.segment;
    const auto place = [](const Meeting& m) {
      return std::tuple(m.strand[0], m.segment[0], m.strand[1], m.segment[1]);
    };
    const auto whole = [&](const Meeting& m) {
      return std::tuple(place(m), m.address, m.run[0].first_time, m.run[1].first_time,
                        m.run[0].last_time, m.run[1].last_time);
    };
    const Meeting& best = found.first;
    if (!fresh && place(meeting) > place(best)) return;
    meeting.address = *first_meeting(mine, other);
    meeting.run[swapped] = a;
    meeting.run[!swapped] = b;
    if (!fresh && whole(meeting) >= whole(best)) return;
    found.first = meeting;
  }

  const HappensBefore& order_;
  const Lifetimes& lifetimes_;
  const Share& share_;
  const uint32_t a_, b_;
  const Grouped& of_a_;
  const Grouped& of_b_;
  Pairs& pairs_;
  std::vector<HappensBefore::Range> concurrent_;
};

}  // namespace

void find_pairs(const Trace& trace, const HappensBefore& order, const Share& share,
                std::vector<ThreadRuns>& strands, Pairs& pairs) {
  std::vector<Lifetimes> lifetimes;
  for (uint32_t p = 0; p < trace.processes().size(); ++p) lifetimes.emplace_back(order, p);
  std::vector<Grouped> grouped;
  for (uint32_t strand = 0; strand < strands.size(); ++strand)
    grouped.push_back(
        group(strands[strand].runs, order.of(strand), lifetimes[order.process(strand)]));
  for (uint32_t a = 0; a < strands.size(); ++a) {
    for (uint32_t b = a + 1; b < strands.size(); ++b) {
      const uint32_t process = order.process(a);
      if (grouped[a].groups.empty() || grouped[b].groups.empty() || order.process(b) != process)
        continue;
      TwoStrands(order, lifetimes[process], share, a, b, grouped[a], grouped[b], pairs).find();
    }
  }
}

}  // namespace vestige::races
