#include "query/slice/member_values.h"

#include <algorithm>
#include <map>

#include "query/row_source.h"
#include "query/transfer_source.h"
#include "vestige/values.h"

namespace vestige {

namespace {

class MemberValues {
 public:
  MemberValues(const Trace& trace, const Windows& windows, Slice& slice)
      : trace_(trace),
        windows_(windows),
        slice_(slice),
        set_(trace, statements_of(slice)),
        executed_(set_.bits().size()),
        read_at_(slice.instances.size()) {}

  Result<void> add() {
    const std::span<const Window> all = windows_.of(slice_.thread);
    std::vector<SliceInstance>& members = slice_.instances;
    for (size_t window = 0; window < all.size() && next_ < members.size(); ++window) {
      const bool inside = members[next_].time <= all[window].last_time;
      if (auto done = inside ? read(window) : count(window); !done) return done;
    }
    return {};
  }
  // Where the member reads memory, when it is no library call.
  const std::optional<uint64_t>& read_at(size_t member) const { return read_at_[member]; }

 private:
  static std::vector<StatementRef> statements_of(const Slice& slice) {
    std::vector<StatementRef> statements;
    for (const SliceStatement& s : slice.statements) statements.push_back(s.statement);
    return statements;
  }

  Result<void> count(size_t window) {
    for (const StatementSet::OfFunction& part : set_.functions()) {
      const auto counts =
          windows_.executions(slice_.thread, window, part.function, part.statements);
      if (!counts) return std::unexpected(counts.error());
      const uint64_t first = trace_.functions()[part.function].first_statement;
      for (size_t i = 0; i < counts->size(); ++i)
        executed_[first + part.statements[i]] += (*counts)[i];
    }
    return {};
  }

  Result<void> read(size_t window) {
    const Window& here = windows_.of(slice_.thread)[window];
    RowRange range{.thread = slice_.thread, .first_window = window};
    range.first_time = here.first_time;
    range.last_time = std::min(here.last_time, slice_.instances.back().time);
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
    while (next_ < slice_.instances.size() && slice_.instances[next_].time <= here.last_time)
      ++next_;
    return {};
  }

  void take(const Observation& row) {
    const StatementRef ref{row.function, row.statement};
    const uint64_t instance = ++executed_[statement_id(trace_, ref)];
    const bool refers = has_address(trace_.functions()[row.function], row.statement);
    std::vector<SliceInstance>& members = slice_.instances;
    while (next_ < members.size() && members[next_].time < row.time) ++next_;
    for (size_t i = next_; i < members.size() && members[i].time == row.time; ++i) {
      if (members[i].statement != ref) continue;
      members[i].instance = instance;
      if (row.has_value) members[i].value = row.value;
      if (!refers) continue;
      if (row.has_address) members[i].address = read_at_[i] = row.address;
      if (row.has_source) read_at_[i] = row.source;
    }
  }

  const Trace& trace_;
  const Windows& windows_;
  Slice& slice_;
  const StatementSet set_;
  std::vector<uint64_t> executed_;                // by statement id
  std::vector<std::optional<uint64_t>> read_at_;  // by member
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
  MemberValues values(trace, windows, slice);
  if (auto added = values.add(); !added) return added;
  std::vector<SliceInstance>& members = slice.instances;
  // Who read the memory that a member is in the slice for.
  const auto reader = [&](size_t i) { return forward ? i : size_t{members[i].of}; };
  const auto is_call = [&](size_t i) {
    return has_library_ranges(trace.functions()[members[i].statement.function],
                              members[i].statement.statement);
  };
  std::vector<uint64_t> call_times;
  for (size_t i = 0; i < members.size(); ++i)
    if (members[i].reason == SliceReason::memory && is_call(reader(i)))
      call_times.push_back(members[reader(i)].time);
  std::ranges::sort(call_times);
  const auto [first, last] = std::ranges::unique(call_times);
  call_times.erase(first, last);
  CallReads calls(trace, windows, slice.thread);
  if (!call_times.empty())
    if (auto read = calls.read(call_times); !read) return read;
  for (size_t i = 0; i < members.size(); ++i) {
    const uint64_t offset = std::exchange(members[i].reason_address, 0);
    if (members[i].reason != SliceReason::memory) continue;
    const SliceInstance& by = members[reader(i)];
    if (is_call(reader(i)))
      members[i].reason_address = calls.place(by.time, offset).value_or(0);
    else if (const std::optional<uint64_t> from = values.read_at(reader(i)))
      members[i].reason_address = *from + offset;
  }
  return {};
}

}  // namespace vestige
