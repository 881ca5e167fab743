#include "query/slice/member_values.h"

#include <algorithm>
#include <map>

#include "query/row_source.h"
#include "query/transfer_source.h"
#include "vestige/values.h"

namespace vestige {

namespace {

// Of the members of one thread.
class MemberValues {
 public:
  // `mine`: their numbers, by rising time.
  MemberValues(const Trace& trace, const Windows& windows, Slice& slice, uint32_t thread,
               std::vector<uint32_t> mine, std::vector<std::optional<uint64_t>>& read_at)
      : trace_(trace),
        windows_(windows),
        slice_(slice),
        thread_(thread),
        mine_(std::move(mine)),
        set_(trace, statements_of(slice)),
        executed_(set_.bits().size()),
        read_at_(read_at) {}

  Result<void> add() {
    const std::span<const Window> all = windows_.of(thread_);
    for (size_t window = 0; window < all.size() && next_ < mine_.size(); ++window) {
      const bool inside = time(next_) <= all[window].last_time;
      if (auto done = inside ? read(window) : count(window); !done) return done;
    }
    return {};
  }

 private:
  static std::vector<StatementRef> statements_of(const Slice& slice) {
    std::vector<StatementRef> statements;
    for (const SliceStatement& s : slice.statements) statements.push_back(s.statement);
    return statements;
  }
  uint64_t time(size_t i) const { return slice_.instances[mine_[i]].time; }

  Result<void> count(size_t window) {
    for (const StatementSet::OfFunction& part : set_.functions()) {
      const auto counts = windows_.executions(thread_, window, part.function, part.statements);
      if (!counts) return std::unexpected(counts.error());
      const uint64_t first = trace_.functions()[part.function].first_statement;
      for (size_t i = 0; i < counts->size(); ++i)
        executed_[first + part.statements[i]] += (*counts)[i];
    }
    return {};
  }

  Result<void> read(size_t window) {
    const Window& here = windows_.of(thread_)[window];
    RowRange range{.thread = thread_, .first_window = window};
    range.first_time = here.first_time;
    range.last_time = std::min(here.last_time, time(mine_.size() - 1));
    range.horizon = kWalkHorizon;
    auto source = open_rows(trace_, windows_, set_, range);
    if (!source) return std::unexpected(std::move(source.error()));
    std::vector<Observation> rows;
    while (true) {
      rows.clear();
      const auto read = (*source)->read(rows);
      if (!read) return std::unexpected(read.error());
      if (!*read) break;
      for (const Observation& row : rows) take(row);
    }
    while (next_ < mine_.size() && time(next_) <= here.last_time) ++next_;
    return {};
  }

  void take(const Observation& row) {
    const StatementRef ref{row.function, row.statement};
    const uint64_t instance = ++executed_[statement_id(trace_, ref)];
    const bool refers = has_address(trace_.functions()[row.function], row.statement);
    while (next_ < mine_.size() && time(next_) < row.time) ++next_;
    for (size_t i = next_; i < mine_.size() && time(i) == row.time; ++i) {
      SliceInstance& member = slice_.instances[mine_[i]];
      if (member.statement != ref) continue;
      member.instance = instance;
      if (row.has_value) member.value = row.value;
      if (!refers) continue;
      if (row.has_address) member.address = read_at_[mine_[i]] = row.address;
      if (row.has_source) read_at_[mine_[i]] = row.source;
    }
  }

  const Trace& trace_;
  const Windows& windows_;
  Slice& slice_;
  const uint32_t thread_;
  const std::vector<uint32_t> mine_;
  const StatementSet set_;
  std::vector<uint64_t> executed_;  // by statement id
  std::vector<std::optional<uint64_t>>&
      read_at_;  // by member: where it reads, when it is no library call
  size_t next_ = 0;
};

// What the library calls among the members read. Calls that come back much later are left out.
class CallReads {
 public:
  CallReads(const Trace& trace, const Windows& windows, uint32_t thread)
      : windows_(windows), thread_(thread), source_(trace, windows) {}

  // All that are wanted, by rising time.
  Result<void> read(const std::vector<uint64_t>& call_times) {
    const std::span<const Window> all = windows_.of(thread_);
    size_t at = 0;
    for (size_t window = 0; window < all.size() && at < call_times.size(); ++window) {
      if (call_times[at] > all[window].last_time) continue;
      size_t end = at;
      while (end < call_times.size() && call_times[end] <= all[window].last_time) ++end;
      source_.begin(thread_, window);
      const uint64_t last = call_times[end - 1] + kSoon;
      std::vector<Transfer> transfers;
      while (true) {
        const auto read = source_.read(transfers, last);
        if (!read) return std::unexpected(read.error());
        if (!*read) break;
        for (const Transfer& t : transfers)
          if (std::ranges::binary_search(call_times, t.call_time)) add(t);
      }
      at = end;
    }
    return {};
  }
  // Nothing: it is not known.
  std::optional<uint64_t> place(uint64_t call_time, uint64_t offset) const {
    const auto found = ranges_.find(call_time);
    if (found == ranges_.end()) return std::nullopt;
    for (const auto& [from, length] : found->second) {
      if (offset < length) return from + offset;
      offset -= length;
    }
    return std::nullopt;
  }

 private:
  static constexpr uint64_t kSoon = 1 << 12;  // paths

  // The same that the index counts: dependences/build.cpp.
  void add(const Transfer& t) {
    if (!t.has_from || !t.has_length) return;
    if (t.kind == LibraryRange::Kind::read || (t.kind == LibraryRange::Kind::copy && t.has_to))
      ranges_[t.call_time].emplace_back(t.from, t.length);
  }

  const Windows& windows_;
  const uint32_t thread_;
  TransferSource source_;
  std::map<uint64_t, std::vector<std::pair<uint64_t, uint64_t>>> ranges_;
};

}  // namespace

Result<void> add_values(const Trace& trace, const Windows& windows, bool forward, Slice& slice) {
  std::vector<SliceInstance>& members = slice.instances;
  std::vector<std::optional<uint64_t>> read_at(members.size());
  std::map<uint32_t, std::vector<uint32_t>> by_thread;
  for (uint32_t i = 0; i < members.size(); ++i) by_thread[members[i].thread].push_back(i);
  for (auto& [thread, mine] : by_thread) {
    MemberValues values(trace, windows, slice, thread, std::move(mine), read_at);
    if (auto added = values.add(); !added) return added;
  }
  // Who read the memory that a member is in the slice for.
  const auto reader = [&](size_t i) { return forward ? i : size_t{members[i].of}; };
  const auto is_call = [&](size_t i) {
    return has_library_ranges(trace.functions()[members[i].statement.function],
                              members[i].statement.statement);
  };
  std::map<uint32_t, std::vector<uint64_t>> call_times;  // by thread
  for (size_t i = 0; i < members.size(); ++i)
    if (members[i].reason == SliceReason::memory && is_call(reader(i)))
      call_times[members[reader(i)].thread].push_back(members[reader(i)].time);
  std::map<uint32_t, CallReads> calls;
  for (auto& [thread, times] : call_times) {
    std::ranges::sort(times);
    const auto [first, last] = std::ranges::unique(times);
    times.erase(first, last);
    CallReads& of = calls.try_emplace(thread, trace, windows, thread).first->second;
    if (auto read = of.read(times); !read) return read;
  }
  for (size_t i = 0; i < members.size(); ++i) {
    const uint64_t offset = std::exchange(members[i].reason_address, 0);
    if (members[i].reason != SliceReason::memory) continue;
    const SliceInstance& by = members[reader(i)];
    if (is_call(reader(i)))
      members[i].reason_address = calls.at(by.thread).place(by.time, offset).value_or(0);
    else if (const std::optional<uint64_t> from = read_at[reader(i)])
      members[i].reason_address = *from + offset;
  }
  return {};
}

}  // namespace vestige
