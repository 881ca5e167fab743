#include "query/slice/member_values.h"

#include <algorithm>

#include "query/rows/row_source.h"
#include "vestige/values.h"

namespace vestige {

namespace {

// Of the members of one thread.
class MemberValues {
 public:
  // `mine`: their places, in the order executed.
  MemberValues(const Trace& trace, const Windows& windows,
               const std::vector<SliceStatement>& statements, FoundMembers& members,
               uint32_t thread, MemberOrder& mine, MemberFactsFound& found)
      : trace_(trace),
        windows_(windows),
        members_(members),
        thread_(thread),
        mine_(mine),
        set_(trace, refs_of(statements)),
        executed_(set_.bits().size()),
        refers_(executed_.size()),
        calls_library_(executed_.size()),
        here_(executed_.size()),
        facts_(found.facts),
        call_times_(found.call_times[thread]) {
    for (const SliceStatement& s : statements) {
      const Function& function = trace.functions()[s.statement.function];
      const uint64_t id = statement_id(trace, s.statement);
      refers_[id] = has_address(function, s.statement.statement);
      calls_library_[id] = has_library_ranges(function, s.statement.statement);
    }
  }

  Result<void> add() {
    const std::span<const Window> all = windows_.of(thread_);
    for (size_t window = 0; window < all.size() && next_ < mine_.size(); ++window) {
      const bool inside = time(next_) <= all[window].last_time;
      if (auto done = inside ? read(window) : count(window); !done) return done;
    }
    while (next_ < mine_.size()) pass();
    call_times_.erase(std::ranges::unique(call_times_).begin(), call_times_.end());
    return {};
  }

 private:
  // A member of the path at hand.
  struct Here {
    uint64_t path = 0;  // path_ while there is one
    uint32_t place = 0;
  };

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
    while (next_ < mine_.size() && time(next_) <= here.last_time) pass();
    return {};
  }

  // Over the next member; gives its place.
  uint32_t pass() {
    const uint32_t place = mine_.at(next_++);
    const FoundMember& member = members_.at(place);
    if (calls_library_[member.statement]) call_times_.push_back(member.time);
    return place;
  }

  // The members of the path of this time.
  void go_to(uint64_t now) {
    ++path_;
    now_ = now;
    while (next_ < mine_.size() && time(next_) <= now) {
      const uint32_t place = pass();
      const FoundMember& member = members_.at(place);
      if (member.time == now) here_[member.statement] = {path_, place};
    }
  }

  void take(const Observation& row) {
    const uint64_t id = uint64_t{trace_.functions()[row.function].first_statement} + row.statement;
    const uint64_t instance = ++executed_[id];
    if (row.time != now_) go_to(row.time);
    if (here_[id].path != path_) return;
    MemberFacts& facts = facts_[here_[id].place];
    facts.instance = instance;
    if (row.has_value) {
      facts.has_value = true;
      facts.value = row.value;
    }
    if (!refers_[id]) return;
    if (row.has_address) {
      facts.has_address = true;
      facts.address = row.address;
    }
    if (row.has_source && !row.has_value) {
      facts.has_source = true;
      facts.value = row.source;
    }
  }

  const Trace& trace_;
  const Windows& windows_;
  FoundMembers& members_;
  const uint32_t thread_;
  MemberOrder& mine_;
  const StatementSet set_;
  std::vector<uint64_t> executed_;   // by statement id
  std::vector<bool> refers_;         // the same
  std::vector<bool> calls_library_;  // the same
  std::vector<Here> here_;           // the same
  MemberFactsArray& facts_;          // by place
  std::vector<uint64_t>& call_times_;
  uint64_t next_ = 0, path_ = 0, now_ = 0;
};

}  // namespace

Result<void> add_values(const Trace& trace, const Windows& windows,
                        const std::vector<SliceStatement>& statements, SliceMembers& members,
                        MemberOrder& order, MemberFactsFound& found) {
  found.facts.grow(members.found().size());
  const bool several = members.threads().size() > 1;
  for (const uint32_t thread : members.threads()) {
    MemberOrder part;
    if (several) part = MemberOrder::of_thread(order, members.found(), thread);
    MemberValues values(trace, windows, statements, members.found(), thread, several ? part : order,
                        found);
    if (auto added = values.add(); !added) return added;
    if (part.failed())
      return fail(ErrorKind::io, "the temporary file of the slice's members cannot be read");
  }
  return {};
}

}  // namespace vestige
