#include "vestige/slice.h"

#include <algorithm>

#include "query/row_source.h"
#include "query/slice/backward.h"
#include "query/slice/forward.h"

namespace vestige {

namespace {

// Instance numbers and values, by reading the histories of the statements up to the last member.
Result<void> add_values(const Trace& trace, const Windows& windows, Slice& slice) {
  std::vector<StatementRef> statements;
  for (const SliceStatement& s : slice.statements) statements.push_back(s.statement);
  const StatementSet set(trace, statements);
  RowRange range{.thread = slice.thread};
  range.last_time = slice.instances.back().time;
  auto source = open_rows(trace, windows, set, range);
  if (!source) return std::unexpected(std::move(source.error()));
  std::vector<uint64_t> executed(set.bits().size());
  std::vector<Observation> rows;
  size_t next = 0;
  while (true) {
    rows.clear();
    const auto read = (*source)->read(rows);
    if (!read) return std::unexpected(read.error());
    if (!*read) return {};
    for (const Observation& row : rows) {
      const StatementRef ref{row.function, row.statement};
      const uint64_t instance = ++executed[statement_id(trace, ref)];
      while (next < slice.instances.size() && slice.instances[next].time < row.time) ++next;
      for (size_t i = next; i < slice.instances.size() && slice.instances[i].time == row.time;
           ++i) {
        SliceInstance& member = slice.instances[i];
        if (member.statement != ref) continue;
        member.instance = instance;
        if (row.has_value) member.value = row.value;
        if (row.has_address) member.address = row.address;
      }
    }
  }
}

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

Result<Slice> slice(const Trace& trace, const SliceOptions& options) {
  auto windows = Windows::open(trace);
  if (!windows) return std::unexpected(std::move(windows.error()));
  const CallNames names(trace);
  auto place = find_criterion(trace, *windows, names, options);
  if (!place) return std::unexpected(std::move(place.error()));
  SliceMembers members(trace, options);
  const auto make = options.forward ? slice_forwards : slice_backwards;
  const auto made = make(trace, *windows, names, options, *place, members);
  if (!made) return std::unexpected(made.error());
  Slice slice;
  slice.thread = place->thread;
  members.finish(slice);
  if (options.instances) {
    sort_members(options.forward, slice.instances);
    if (auto added = add_values(trace, *windows, slice); !added)
      return std::unexpected(std::move(added.error()));
    for (const SliceInstance& member : slice.instances)
      if (member.reason == SliceReason::criterion) slice.criterion = member;
  }
  slice.criterion.statement = options.statement;
  slice.criterion.time = place->time;
  slice.criterion.instance = place->instance;
  return slice;
}

}  // namespace vestige
