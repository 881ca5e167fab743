#include "record/collect/order_log.h"

#include <algorithm>

#include "base/sort_stably.h"
#include "record/protocol.h"
#include "vestige/program.h"

namespace vestige {

namespace {

constexpr uint64_t kLast = protocol::kLastAccess;
constexpr size_t kChunkRows = 1 << 20;
constexpr uint64_t kMostEdges = 1 << 21, kMostClockWords = 1 << 24;

// A stamp stands behind the accesses of its path; an atomic operation, which has the last place, at
// it.
uint64_t position_of(uint64_t time, uint64_t ordinal) { return OrderPosition::at(time, ordinal); }

}  // namespace

void OrderLog::stamp(uint32_t thread, uint64_t time, uint64_t stamp) {
  if (thread >= threads_.size()) threads_.resize(size_t{thread} + 1);
  threads_[thread].items.push_back({position_of(time, kLast), stamp, 0, 0});
  ++stamp_count_;
}

void OrderLog::begin(uint32_t thread, uint32_t creator, uint64_t creator_time) {
  if (thread >= threads_.size()) threads_.resize(size_t{thread} + 1);
  threads_[thread].creator = creator;
  threads_[thread].creator_position = position_of(creator_time, kLast);
}

Result<void> OrderLog::write_some() {
  const uint64_t items = edges_.size() + stamp_count_;
  if (edges_.size() < kMostEdges && items * threads_.size() < kMostClockWords) return {};
  reduce();
  return write_kept();
}

Result<void> OrderLog::finish() {
  reduce();
  return write_kept();
}

// The edges as the trace's threads have them, without what was left.
std::vector<PlacedEdge> OrderLog::placed() {
  for (const Left& left : left_)
    if (const Moment at = find_(left.ring, left.time); at.thread != kNone)
      left_paths_.leave(at.thread, at.time, left.accesses);
  std::vector<PlacedEdge> edges;
  for (const TargetEdge& raw : edges_) {
    const Moment from = find_(raw.from_ring, raw.from_time), to = find_(raw.to_ring, raw.to_time);
    if (from.thread == kNone || to.thread == kNone || from.thread == to.thread) {
      ++lost_;
      continue;
    }
    edges.push_back({from.thread, to.thread, position_of(from.time, raw.from_ordinal),
                     position_of(to.time, raw.to_ordinal), raw.from_statement, raw.to_statement});
  }
  edges_.clear();
  left_.clear();
  return left_paths_.without(edges);
}

// Edges to the threads they lead to, and everything of a thread by position.
void OrderLog::sort_in() {
  for (const PlacedEdge& one : placed()) {
    const size_t most = std::max(one.from_thread, one.to_thread);
    if (most >= threads_.size()) threads_.resize(most + 1);
    Thread& thread = threads_[one.to_thread];
    const Edge edge{one.from,
                    one.from_thread,
                    {OrderPosition::time(one.to), one.to_statement, one.from_thread,
                     OrderPosition::time(one.from), one.from_statement}};
    thread.edges.push_back(edge);
    if (!thread.items.empty() && thread.items.back().stamp == 0 &&
        thread.items.back().position == one.to &&
        thread.edges[thread.items.back().first].row.to_statement == one.to_statement)
      thread.items.back().end = thread.edges.size();
    else
      thread.items.push_back({one.to, 0, thread.edges.size() - 1, thread.edges.size()});
  }
  stamps_.clear();
  for (Thread& thread : threads_) {
    // At one position: stamps by number, then the edges of the atomic operation that took the last.
    sort_stably(thread.items, [](const Item& a, const Item& b) {
      if (a.position != b.position) return a.position < b.position;
      return a.stamp != 0 && (b.stamp == 0 || a.stamp < b.stamp);
    });
    for (const Item& item : thread.items)
      if (item.stamp != 0) stamps_.push_back(item.stamp);
  }
  std::ranges::sort(stamps_);
  next_stamp_ = 0;
  stamp_count_ = 0;
}

void OrderLog::reduce() {
  sort_in();
  const size_t width = threads_.size();
  stamped_.resize(width);
  for (Thread& thread : threads_) {
    thread.clock.resize(width);
    thread.clocks.clear();
    if (!thread.positions.empty()) {
      thread.positions = {thread.positions.back()};
      thread.clocks.assign(thread.clock.begin(), thread.clock.end());
    }
    thread.next = 0;
  }
  for (bool left = true; left;) {
    bool moved = false;
    left = false;
    for (uint32_t t = 0; t < width; ++t) {
      Thread& thread = threads_[t];
      while (thread.next < thread.items.size() && is_ready(thread)) {
        take(t, thread);
        moved = true;
      }
      left |= thread.next < thread.items.size();
    }
    if (moved || !left) continue;
    // A circle, from accesses that lost their place. The lowest stamp goes on, or any.
    for (uint32_t t = 0; t < width; ++t)
      if (threads_[t].next < threads_[t].items.size()) {
        take(t, threads_[t]);
        break;
      }
  }
  for (Thread& thread : threads_) {
    thread.items.clear();
    thread.edges.clear();
  }
}

bool OrderLog::is_ready(const Thread& thread) const {
  const Item& item = thread.items[thread.next];
  const auto passed = [&](uint32_t other, uint64_t position) {
    const Thread& from = threads_[other];
    return from.next == from.items.size() || from.items[from.next].position > position;
  };
  if (!thread.begun && thread.creator < threads_.size() &&
      !passed(thread.creator, thread.creator_position))
    return false;
  if (item.stamp != 0 && next_stamp_ != stamps_.size() && item.stamp > stamps_[next_stamp_])
    return false;
  // An atomic operation stands at its stamp, and the edges that lead to it do, too.
  for (size_t i = thread.next; i < thread.items.size() && thread.items[i].position == item.position;
       ++i) {
    if (i != thread.next && thread.items[i].stamp != 0) break;
    for (size_t e = thread.items[i].first; e < thread.items[i].end; ++e)
      if (!passed(thread.edges[e].from_thread, thread.edges[e].from)) return false;
  }
  return true;
}

void OrderLog::begin(Thread& thread) {
  thread.begun = true;
  if (thread.creator >= threads_.size()) return;
  if (const uint64_t* known = clock_at(threads_[thread.creator], thread.creator_position))
    join(thread.clock, known);
  uint64_t& of_creator = thread.clock[thread.creator];
  of_creator = std::max(of_creator, thread.creator_position);
}

void OrderLog::take(uint32_t number, Thread& thread) {
  if (!thread.begun) begin(thread);
  const Item item = thread.items[thread.next++];
  if (item.stamp != 0) {
    // Of batches before, those with higher stamps are in `stamped_` already.
    if (item.stamp > last_stamp_) join(thread.clock, stamped_.data());
    last_stamp_ = std::max(last_stamp_, item.stamp);
    thread.clock[number] = item.position;
    while (thread.next < thread.items.size() && thread.items[thread.next].stamp == 0 &&
           thread.items[thread.next].position == item.position)
      take_edges(thread, thread.items[thread.next++]);
    join(stamped_, thread.clock.data());
    while (next_stamp_ < stamps_.size() && stamps_[next_stamp_] <= item.stamp) ++next_stamp_;
  } else {
    take_edges(thread, item);
  }
  remember(thread, item.position);
}

void OrderLog::take_edges(Thread& thread, const Item& item) {
  const auto covers = [&](const uint64_t* clock, const Edge& edge) {
    return clock && clock[edge.from_thread] >= edge.from;
  };
  const Clock before = thread.clock;
  for (size_t e = item.first; e < item.end; ++e) {
    const Edge& edge = thread.edges[e];
    bool follows = covers(before.data(), edge);
    for (size_t o = item.first; o < item.end && !follows; ++o) {
      const Edge& other = thread.edges[o];
      if (o == e) continue;
      if (other.from_thread == edge.from_thread)
        follows = other.from > edge.from || (other.from == edge.from && o < e);
      else
        follows = covers(clock_at(threads_[other.from_thread], other.from), edge);
    }
    if (!follows) thread.kept.push_back(edge.row);
    if (const uint64_t* known = clock_at(threads_[edge.from_thread], edge.from))
      join(thread.clock, known);
    uint64_t& of_source = thread.clock[edge.from_thread];
    of_source = std::max(of_source, edge.from);
  }
}

void OrderLog::join(Clock& clock, const uint64_t* other) const {
  for (size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

const uint64_t* OrderLog::clock_at(const Thread& thread, uint64_t position) const {
  const auto behind = std::ranges::upper_bound(thread.positions, position);
  if (behind == thread.positions.begin()) return nullptr;
  return thread.clocks.data() +
         static_cast<size_t>(behind - thread.positions.begin() - 1) * threads_.size();
}

void OrderLog::remember(Thread& thread, uint64_t position) {
  if (thread.positions.empty() || thread.positions.back() != position) {
    thread.positions.push_back(position);
    thread.clocks.insert(thread.clocks.end(), thread.clock.begin(), thread.clock.end());
  } else {
    std::ranges::copy(thread.clock, thread.clocks.end() - static_cast<ptrdiff_t>(threads_.size()));
  }
}

Result<void> OrderLog::write_kept() {
  for (uint32_t t = 0; t < threads_.size(); ++t) {
    std::vector<OrderRow>& kept = threads_[t].kept;
    for (size_t first = 0; first < kept.size(); first += kChunkRows) {
      OrderChunk chunk;
      chunk.thread = t;
      chunk.rows.assign(
          kept.begin() + static_cast<ptrdiff_t>(first),
          kept.begin() + static_cast<ptrdiff_t>(std::min(first + kChunkRows, kept.size())));
      written_ += chunk.rows.size();
      if (auto ok = writer_.append(chunk); !ok) return ok;
    }
    kept.clear();
  }
  return {};
}

}  // namespace vestige
