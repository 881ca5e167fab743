#include "vestige/slice.h"

#include <algorithm>
#include <filesystem>

#include "query/dependences/dependences.h"
#include "query/row_source.h"
#include "query/slice/backward.h"
#include "query/slice/forward.h"
#include "vestige/dependences.h"

namespace vestige {

namespace {

// Instance numbers and values. Windows without members are only counted.
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

  // Until now reasons say where in what was read the bytes are.
  void place_reasons(bool forward) {
    std::vector<SliceInstance>& members = slice_.instances;
    for (size_t i = 0; i < members.size(); ++i) {
      SliceInstance& member = members[i];
      if (member.reason != SliceReason::memory) {
        member.reason_address = 0;
        continue;
      }
      const std::optional<uint64_t> from = read_at_[forward ? i : member.of];
      member.reason_address = from ? *from + member.reason_address : 0;
    }
  }

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
    std::vector<SliceInstance>& members = slice_.instances;
    while (next_ < members.size() && members[next_].time < row.time) ++next_;
    for (size_t i = next_; i < members.size() && members[i].time == row.time; ++i) {
      if (members[i].statement != ref) continue;
      members[i].instance = instance;
      if (row.has_value) members[i].value = row.value;
      if (row.has_address) members[i].address = read_at_[i] = row.address;
      if (row.has_source) read_at_[i] = row.source;
    }
  }

  const Trace& trace_;
  const Windows& windows_;
  Slice& slice_;
  const StatementSet set_;
  std::vector<uint64_t> executed_;                // by statement id
  std::vector<std::optional<uint64_t>> read_at_;  // by member: where it reads memory
  size_t next_ = 0;
};

// In the order executed. Those of one path were found in that order, or backwards in the opposite
// one.
void sort_members(bool forward, std::vector<SliceInstance>& members) {
  std::vector<uint32_t> order(members.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
    if (members[a].time != members[b].time) return members[a].time < members[b].time;
    return forward ? a < b : a > b;
  });
  std::vector<uint32_t> place(members.size());
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<SliceInstance> sorted;
  sorted.reserve(members.size());
  for (const uint32_t i : order) {
    sorted.push_back(members[i]);
    if (sorted.back().of != kNone) sorted.back().of = place[sorted.back().of];
  }
  members = std::move(sorted);
}

}  // namespace

namespace {

Result<Slice> slice_with(const Trace& trace, const Windows& windows,
                         const DependenceReader& dependences, const CriterionPlace& place,
                         const SliceOptions& options) {
  const CallNames names(trace);
  BlockCursor cursor(trace, names, dependences, place.thread);
  if (cursor.places().empty()) return impossible_dependence();
  SliceMembers members(trace, options);
  const auto made = options.forward ? slice_forwards(cursor, options, place, members)
                                    : slice_backwards(cursor, options, place, members);
  if (!made) return std::unexpected(made.error());
  Slice slice;
  slice.thread = place.thread;
  members.finish(slice);
  if (options.instances) {
    sort_members(options.forward, slice.instances);
    MemberValues values(trace, windows, slice);
    if (auto added = values.add(); !added) return std::unexpected(std::move(added.error()));
    values.place_reasons(options.forward);
    for (const SliceInstance& member : slice.instances)
      if (member.reason == SliceReason::criterion) slice.criterion = member;
  }
  slice.criterion.statement = options.statement;
  slice.criterion.time = place.time;
  slice.criterion.instance = place.instance;
  return slice;
}

}  // namespace

Result<Slice> slice(const Trace& trace, const SliceOptions& options) {
  auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(std::move(windows.error()));
  const auto place = find_criterion(trace, *windows, options);
  if (!place) return std::unexpected(place.error());
  auto dependences = open_dependences(trace);
  if (!dependences) return std::unexpected(std::move(dependences.error()));
  auto found = slice_with(trace, *windows, *dependences, *place, options);
  if (found || found.error().kind != ErrorKind::corrupt || dependences->file().empty())
    return found;
  // A file that is damaged goes, and what it said is made again.
  std::error_code ignored;
  std::filesystem::remove(dependences->file(), ignored);
  (void)build_dependences(trace);  // where it cannot be written it is made in memory
  dependences = open_dependences(trace);
  if (!dependences) return std::unexpected(std::move(dependences.error()));
  return slice_with(trace, *windows, *dependences, *place, options);
}

}  // namespace vestige
