#include "query/dependences/interleaving.h"

#include <algorithm>
#include <tuple>

#include "query/dependences/label.h"
#include "query/dependences/ordered_runs.h"
#include "trace/state.h"

namespace vestige {

namespace {

// When a thread's last run was over at the latest: someone joined it.
uint64_t joined(const Trace& trace, const races::HappensBefore& order, uint32_t thread) {
  const uint32_t own = order.of(thread).segments.back().own;
  uint64_t stamp = UINT64_MAX;
  for (uint32_t other = 0; other < trace.threads().size(); ++other) {
    const races::ThreadOrder& of = order.of(other);
    if (other == thread || of.segments.empty()) continue;
    // Clocks only grow.
    const auto knows = std::ranges::partition_point(
        of.segments, [&](const races::Segment& s) { return of.clocks[s.known].of(thread) < own; });
    if (knows != of.segments.end()) stamp = std::min(stamp, knows->first_stamp);
  }
  return stamp;
}

}  // namespace

Interleaving::Interleaving(size_t threads, std::vector<ThreadRun> runs)
    : runs_(std::move(runs)), of_thread_(threads) {
  uint64_t order = runs_.empty() ? 1 : runs_.front().first_time;
  for (uint32_t i = 0; i < runs_.size(); ++i) {
    runs_[i].first_order = order;
    order += runs_[i].paths;
    of_thread_[runs_[i].thread].push_back(i);
  }
}

Interleaving Interleaving::make(const Trace& trace, const std::vector<uint32_t>& threads,
                                const races::HappensBefore& order) {
  struct Stamped {
    uint64_t stamp = 0;
    ThreadRun run;
  };
  std::vector<Stamped> stamped;
  for (const uint32_t thread : threads) {
    const auto& chunks = trace.state().chunks[thread];
    if (chunks.empty()) continue;
    uint64_t first = trace.threads()[thread].first_time;
    const uint64_t end = chunks.back().end_time();
    for (const races::Segment& segment : order.of(thread).segments) {
      const uint64_t behind = segment.last_time < end ? segment.last_time + 1 : end;
      if (behind <= first) continue;
      const bool last = segment.last_stamp == UINT64_MAX;
      stamped.push_back({last ? joined(trace, order, thread) : segment.last_stamp,
                         {thread, first, behind - first, 0}});
      first = behind;
    }
  }
  std::ranges::sort(stamped, {}, [](const Stamped& s) {
    return std::tuple(s.stamp, s.run.thread, s.run.first_time);
  });
  std::vector<ThreadRun> runs;
  for (const Stamped& s : stamped) {
    if (!runs.empty() && runs.back().thread == s.run.thread)
      runs.back().paths += s.run.paths;
    else
      runs.push_back(s.run);
  }
  return Interleaving(trace.threads().size(), std::move(runs));
}

Interleaving Interleaving::make(size_t threads, OrderedRuns runs) {
  Interleaving made(threads, std::move(runs.runs));
  made.ordered_ = true;
  const uint64_t base = made.runs_.empty() ? 1 : made.runs_.front().first_order;
  std::vector<Doubt> doubts;
  for (const OrderedRuns::Early& early : runs.early) {
    made.early_.push_back(base + early.path);
    doubts.push_back({base + early.path, base + std::max(early.settled, early.path + 1) - 1});
  }
  std::ranges::sort(made.early_);
  std::ranges::sort(doubts, {}, &Doubt::first);
  for (const Doubt& doubt : doubts) {
    if (!made.doubts_.empty() && doubt.first <= made.doubts_.back().last)
      made.doubts_.back().last = std::max(made.doubts_.back().last, doubt.last);
    else
      made.doubts_.push_back(doubt);
  }
  return made;
}

bool Interleaving::trusts(uint64_t reader, uint64_t writer) const {
  if (!ordered_ || writer >= reader || std::ranges::binary_search(early_, reader)) return false;
  const auto behind = std::ranges::upper_bound(doubts_, writer, {}, &Doubt::first);
  return behind == doubts_.begin() || writer > behind[-1].last;
}

uint64_t Interleaving::order(uint32_t thread, uint64_t time) const {
  const std::vector<uint32_t>& mine = of_thread_[thread];
  const auto behind =
      std::ranges::upper_bound(mine, time, {}, [&](uint32_t run) { return runs_[run].first_time; });
  if (behind == mine.begin()) return 0;
  const ThreadRun& run = runs_[behind[-1]];
  return time < run.end_time() ? run.first_order + (time - run.first_time) : 0;
}

const ThreadRun* Interleaving::run_of(uint64_t order) const {
  const auto behind = std::ranges::upper_bound(runs_, order, {}, &ThreadRun::first_order);
  if (behind == runs_.begin() || order >= behind[-1].end_order()) return nullptr;
  return &behind[-1];
}

void put_runs(const Interleaving& order, size_t threads, ByteWriter& out) {
  out.varint(order.runs().size());
  std::vector<uint64_t> ends(threads, 0);
  for (const ThreadRun& run : order.runs()) {
    out.varint(run.thread);
    out.varint(run.first_time - ends[run.thread]);
    out.varint(run.paths);
    ends[run.thread] = run.end_time();
  }
}

std::optional<Interleaving> take_runs(ByteReader& in, size_t threads) {
  std::vector<ThreadRun> runs(in.count(3));
  std::vector<uint64_t> ends(threads, 0);
  uint64_t order = 0;
  for (ThreadRun& run : runs) {
    const uint64_t thread = in.varint(), skipped = in.varint();
    run.paths = in.varint();
    if (in.failed() || thread >= ends.size() || skipped >= Label::kEndOfTime ||
        run.paths >= Label::kEndOfTime)
      return std::nullopt;
    run.thread = static_cast<uint32_t>(thread);
    run.first_time = ends[thread] + skipped;
    ends[thread] = run.end_time();
    if (run.first_time == 0 || ends[thread] > Label::kEndOfTime ||
        (order += run.paths) > Label::kEndOfTime)
      return std::nullopt;
  }
  return Interleaving(threads, std::move(runs));
}

}  // namespace vestige
