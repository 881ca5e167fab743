#include "query/replay/interleave.h"

#include <algorithm>

namespace vestige {

namespace {

struct Running {
  InterleavedThread thread;
  std::vector<ThreadFeed::Placed> batch;
  size_t at = 0;
  bool started = false, ended = false;
  std::optional<ThreadFeed::Mark> mark;
  std::optional<ThreadFeed::Edge> edge;
  uint64_t done_time = 0;      // the path of the last reference given …
  std::vector<uint32_t> done;  // … and the statements of it that were

  // Whether a reference stands at `at`.
  Result<bool> fill() {
    if (at < batch.size()) return true;
    if (ended) return false;
    at = 0;
    if (auto read = thread.feed->read(batch); !read) return std::unexpected(read.error());
    ended = batch.empty();
    return !ended;
  }
  // The place of what comes next: all before it is done.
  uint64_t next_place() const {
    return at < batch.size() ? batch[at].place : ended ? UINT64_MAX : 0;
  }
  Result<void> pass_mark() {
    auto next = thread.feed->next_mark();
    if (!next) return std::unexpected(next.error());
    mark = *next;
    return {};
  }
  Result<void> pass_edge() {
    auto next = thread.feed->next_edge();
    if (!next) return std::unexpected(next.error());
    edge = *next;
    return {};
  }
  // The reference that stands at `at`, given.
  const Reference& give() {
    const ThreadFeed::Placed& placed = batch[at++];
    if (placed.time != done_time) done.clear();
    done_time = placed.time;
    if (done.empty() || done.back() != placed.statement) done.push_back(placed.statement);
    return placed.reference;
  }
  // Whether all of this access was given. Something stands at `at`, unless the thread has ended.
  bool has_done(const ThreadFeed::Edge& of) const {
    if (of.from_statement == kNone)
      return next_place() > of.from_place && (!mark || mark->place > of.from_place) &&
             (!edge || edge->to_time > of.from_time);
    if (at >= batch.size()) return ended;
    const ThreadFeed::Placed& next = batch[at];
    if (next.time != of.from_time) return next.time > of.from_time;
    if (done_time == of.from_time && next.statement != of.from_statement &&
        std::ranges::find(done, of.from_statement) != done.end())
      return true;
    return thread.feed->comes_first(of.from_statement, next);
  }
  // Whether the edge is to be passed before the reference that stands at `at`. Edges of a path come
  // in the order of its accesses: one to another statement is of a later one.
  bool reaches_edge() const {
    const ThreadFeed::Placed& next = batch[at];
    if (edge->to_time != next.time) return edge->to_time < next.time;
    return edge->to_statement == kNone || edge->to_statement == next.statement ||
           thread.feed->comes_first(edge->to_statement, next);
  }
};

class TurnInterleaving {
 public:
  TurnInterleaving(std::vector<InterleavedThread> threads, uint64_t turn,
                   const std::function<bool(const Reference&)>& take)
      : turn_(turn), take_(take) {
    for (InterleavedThread& thread : threads) {
      all_.emplace_back();
      all_.back().thread = std::move(thread);
    }
  }

  Result<void> run() {
    for (Running& one : all_) {
      if (auto passed = one.pass_mark(); !passed) return passed;
      if (auto passed = one.pass_edge(); !passed) return passed;
      if (auto filled = one.fill(); !filled) return std::unexpected(filled.error());
    }
    while (true) {
      bool moved = false, left = false;
      for (Running& one : all_) {
        if (!one.started && !may_start(one)) {
          left = true;
          continue;
        }
        one.started = true;
        const auto went = go(one);
        if (!went) return std::unexpected(went.error());
        if (stopped_) return {};
        moved |= *went;
        left |= !one.ended || one.mark;
      }
      if (!left) return {};
      // Only a thread whose beginning, or next access, depends on something that never comes: it
      // goes on anyhow.
      if (!moved)
        if (auto released = release(); !released) return released;
    }
  }

 private:
  bool may_start(const Running& one) const {
    const uint32_t parent = one.thread.parent;
    if (parent >= all_.size()) return true;
    return all_[parent].started && all_[parent].next_place() > one.thread.parent_place;
  }
  Result<void> release() {
    for (Running& one : all_)
      if (!one.started) {
        one.started = true;
        return {};
      }
    for (Running& one : all_)
      if (one.edge && one.at < one.batch.size() && one.reaches_edge()) return one.pass_edge();
    return {};
  }
  // Whether the next reference of a thread must wait for another's.
  Result<bool> waits(Running& one) {
    while (one.edge && one.reaches_edge()) {
      const uint32_t from = one.edge->from;
      if (from < all_.size() && &all_[from] != &one && !all_[from].has_done(*one.edge)) return true;
      if (auto passed = one.pass_edge(); !passed) return std::unexpected(passed.error());
    }
    return false;
  }
  // A thread that cannot begin yet holds nobody up: what it waits for must be able to happen.
  bool is_next(const ThreadFeed::Mark& mark) const {
    return std::ranges::none_of(all_, [&](const Running& other) {
      return other.mark && other.mark->stamp < mark.stamp && (other.started || may_start(other));
    });
  }
  // A thread's turn. Whether it did anything.
  Result<bool> go(Running& one) {
    bool moved = false;
    for (uint64_t done = 0; done < turn_;) {
      const auto filled = one.fill();
      if (!filled) return std::unexpected(filled.error());
      if (one.mark && (!*filled || one.batch[one.at].place > one.mark->place)) {
        if (!is_next(*one.mark)) return moved;
        // What stands right behind it is what the operation itself accesses, and takes place with
        // it.
        if (*filled && one.batch[one.at].place == one.mark->place + 1) {
          const auto waiting = waits(one);
          if (!waiting) return std::unexpected(waiting.error());
          if (*waiting) return moved;
        }
        if (auto passed = one.pass_mark(); !passed) return std::unexpected(passed.error());
        moved = true;
        continue;
      }
      if (!*filled) return moved;
      const auto waiting = waits(one);
      if (!waiting) return std::unexpected(waiting.error());
      if (*waiting) return moved;
      moved = true;
      ++done;
      if (!take_(one.give())) {
        stopped_ = true;
        return true;
      }
    }
    // What is next must be known to those who wait for this thread.
    if (auto filled = one.fill(); !filled) return std::unexpected(filled.error());
    return moved;
  }

  const uint64_t turn_;
  const std::function<bool(const Reference&)>& take_;
  std::vector<Running> all_;
  bool stopped_ = false;
};

}  // namespace

Result<void> interleave(std::vector<InterleavedThread> threads, uint64_t turn,
                        const std::function<bool(const Reference&)>& take) {
  return TurnInterleaving(std::move(threads), std::max<uint64_t>(turn, 1), take).run();
}

}  // namespace vestige
