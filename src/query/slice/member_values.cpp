#include "query/slice/member_values.h"

#include <algorithm>
#include <map>

#include "query/row_source.h"
#include "query/transfer_source.h"
#include "vestige/values.h"

namespace vestige {

namespace {

// Where a member reads, when it is no library call.
struct ReadAt {
  uint64_t address = 0;
  bool known = false;
};

// Of the members of one thread.
class MemberValues {
 public:
  // `mine`: their places, by rising time.
  MemberValues(const Trace& trace, const Windows& windows,
               const std::vector<SliceStatement>& statements, SpillArray<SliceInstance>& members,
               uint32_t thread, SpillArray<uint32_t>& mine, SpillArray<ReadAt>& read_at)
      : trace_(trace),
        windows_(windows),
        members_(members),
        thread_(thread),
        mine_(mine),
        set_(trace, refs_of(statements)),
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
  static std::vector<StatementRef> refs_of(const std::vector<SliceStatement>& statements) {
    std::vector<StatementRef> refs;
    for (const SliceStatement& s : statements) refs.push_back(s.statement);
    return refs;
  }
  uint64_t time(uint64_t i) { return members_.at(mine_.at(i)).time; }

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
    for (uint64_t i = next_; i < mine_.size() && time(i) == row.time; ++i) {
      const uint32_t place = mine_.at(i);
      if (members_.at(place).statement != ref) continue;
      SliceInstance& member = members_[place];
      member.instance = instance;
      if (row.has_value) member.value = row.value;
      if (!refers) continue;
      if (row.has_address) member.address = row.address;
      if (row.has_source)
        read_at_[place] = {row.source, true};
      else if (row.has_address)
        read_at_[place] = {row.address, true};
    }
  }

  const Trace& trace_;
  const Windows& windows_;
  SpillArray<SliceInstance>& members_;
  const uint32_t thread_;
  SpillArray<uint32_t>& mine_;
  const StatementSet set_;
  std::vector<uint64_t> executed_;  // by statement id
  SpillArray<ReadAt>& read_at_;     // by member
  uint64_t next_ = 0;
};

// What the library calls among the members read. Calls that come back much later are left out.
class CallReads {
 public:
  CallReads(const SliceGround& ground, const Windows& windows, uint32_t thread)
      : ground_(ground), windows_(windows), thread_(thread), source_(ground.trace, windows) {}

  // All that are wanted, by rising time.
  Result<void> read(const std::vector<uint64_t>& call_times) {
    if (ground_.dependences.stored()) return read_stored(call_times);
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

  // From the blocks of a trace that keeps them.
  Result<void> read_stored(const std::vector<uint64_t>& call_times) {
    BlockCursor cursor(ground_, thread_);
    const BlockPlaces& places = cursor.places();
    size_t at = 0;
    for (size_t number = cursor.block_at(call_times.front()); number < places.size(); ++number) {
      while (at < call_times.size() && call_times[at] + kSoon < places[number].first_time) ++at;
      if (at == call_times.size()) break;
      if (call_times[at] >= places[number].end_time()) continue;
      if (auto gone = cursor.go_to(number); !gone) return gone;
      const DependenceBlock& block = cursor.block();
      for (size_t path = 0; path < block.steps.size(); ++path)
        for (const CallEffect& effect : block.effects_of(path))
          if (effect.reads_memory() &&
              std::ranges::binary_search(call_times, block.steps[path].before_time))
            ranges_[block.steps[path].before_time].emplace_back(effect.from, effect.length);
    }
    return {};
  }

  const SliceGround& ground_;
  const Windows& windows_;
  const uint32_t thread_;
  TransferSource source_;
  std::map<uint64_t, std::vector<std::pair<uint64_t, uint64_t>>> ranges_;
};

}  // namespace

Result<void> add_values(const SliceGround& ground, const Windows& windows, bool forward,
                        const std::vector<SliceStatement>& statements,
                        SpillArray<SliceInstance>& members, SpillArray<uint32_t>& order) {
  const Trace& trace = ground.trace;
  SpillArray<ReadAt> read_at;
  std::map<uint32_t, SpillArray<uint32_t>> by_thread;
  for (uint64_t i = 0; i < order.size(); ++i) {
    read_at.append({});
    by_thread[members.at(order.at(i)).thread].append(order.at(i));
  }
  for (auto& [thread, mine] : by_thread) {
    MemberValues values(trace, windows, statements, members, thread, mine, read_at);
    if (auto added = values.add(); !added) return added;
  }
  // Who read the memory that a member is in the slice for.
  const auto reader = [&](uint32_t i) { return forward ? i : members.at(i).of; };
  const auto is_call = [&](const SliceInstance& member) {
    return has_library_ranges(trace.functions()[member.statement.function],
                              member.statement.statement);
  };
  std::map<uint32_t, std::vector<uint64_t>> call_times;  // by thread
  for (uint32_t i = 0; i < members.size(); ++i) {
    if (members.at(i).reason != SliceReason::memory) continue;
    const SliceInstance& by = members.at(reader(i));
    if (is_call(by)) call_times[by.thread].push_back(by.time);
  }
  std::map<uint32_t, CallReads> calls;
  for (auto& [thread, times] : call_times) {
    std::ranges::sort(times);
    const auto [first, last] = std::ranges::unique(times);
    times.erase(first, last);
    CallReads& of = calls.try_emplace(thread, ground, windows, thread).first->second;
    if (auto read = of.read(times); !read) return read;
  }
  for (uint32_t i = 0; i < members.size(); ++i) {
    const uint64_t offset = members.at(i).reason_address;
    uint64_t address = 0;
    if (members.at(i).reason == SliceReason::memory) {
      const uint32_t who = reader(i);
      const SliceInstance by = members.at(who);
      if (is_call(by))
        address = calls.at(by.thread).place(by.time, offset).value_or(0);
      else if (const ReadAt from = read_at.at(who); from.known)
        address = from.address + offset;
    }
    if (address != offset) members[i].reason_address = address;
  }
  return {};
}

}  // namespace vestige
