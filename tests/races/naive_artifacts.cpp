// The plain twin of which races are artifacts: every execution, every dependence, every pair of
// executions that race, and event control by closure.
//
//     naive_artifacts TRACE    one line per racing pair of statements: #ID kind #ID kind, and "first" or
//                              the number of the race it follows from
//
// Written apart from src/query/races, straight from docs/threads.md; the dependences are those of
// tests/query/slice. Traces of one process, and small ones: it takes (races × writes) steps and bits.
#include <cstdio>
#include <deque>
#include <unordered_map>

#include "../query/slice/slice_twin.h"
#include "naive_order.h"
#include "query/rows/reference_source.h"

using namespace vestige;

namespace {

constexpr uint32_t kNobody = UINT32_MAX;

// An execution that accesses memory.
struct Seen {
  uint64_t id = 0, first = 0, last = 0, time = 0;
  uint32_t thread = 0;
  bool reads = false, writes = false, atomic = false;
  const State* state = nullptr;
  size_t number = 0;  // in its thread
  uint32_t execution = kNobody;
  auto key() const { return std::tuple(id, writes, atomic); }
  auto place() const { return std::tuple(state->begin, number); }
};

bool ordered(const Seen& a, const Seen& b) {
  return b.state->clock[a.state->who] >= a.state->clock[a.state->who];
}

// Without accesses of tasks to memory that is their thread's own; or those alone.
std::vector<Seen> read_all(const Trace& trace, const Twin& twin, bool own) {
  std::vector<Seen> all;
  auto source = ReferenceSource::open(trace);
  std::vector<TimedReference> piece;
  for (const uint32_t t : source->threads()) {
    if (trace.threads()[t].handler || !source->seek(t, 0)) continue;
    const size_t begin = all.size();
    while (source->read(piece) && !piece.empty()) {
      for (const TimedReference& timed : piece) {
        const Reference& r = timed.reference;
        if (r.bytes == 0) continue;
        Seen seen;
        seen.id = r.statement_id;
        seen.first = r.address;
        seen.last = r.address + r.bytes - 1;
        seen.time = timed.time;
        seen.thread = t;
        seen.writes = r.kind != Reference::Kind::read;
        seen.reads = r.kind != Reference::Kind::write;
        const auto ref = *statement_by_id(trace, r.statement_id);
        const Statement& statement = trace.functions()[ref.function].statements[ref.statement];
        seen.atomic = r.kind == Reference::Kind::modify ||
                      (statement.op != Op::call && statement.attributes.size() > 3 &&
                       statement.attributes[3] != 0);
        if (seen.atomic) {
          const auto found = twin.atomics.find({t, timed.time});
          if (found == twin.atomics.end()) continue;
          seen.writes = found->second.second;
          seen.state = &found->second.first;
        } else {
          seen.state = &*std::ranges::lower_bound(twin.states[t], timed.time, {}, &State::until);
        }
        if (twin.uses_own(t, *seen.state, seen.first, seen.last) == own) {
          seen.number = all.size();
          all.push_back(seen);
        }
      }
    }
    std::sort(
        all.begin() + static_cast<ptrdiff_t>(begin), all.end(), [](const Seen& a, const Seen& b) {
          return std::tuple(a.time, a.atomic, a.number) < std::tuple(b.time, b.atomic, b.number);
        });
    for (size_t i = begin; i < all.size(); ++i) all[i].number = i - begin;
  }
  return all;
}

// Two executions that race.
struct Pair {
  size_t a = 0, b = 0;
  size_t race = 0;
};

bool race(const Twin& twin, const Seen& a, const Seen& b) {
  if (a.state->who == b.state->who || !(a.writes || b.writes) || (a.atomic && b.atomic) ||
      ordered(a, b) || ordered(b, a))
    return false;
  const uint64_t first = std::max(a.first, b.first), last = std::min(a.last, b.last);
  return first <= last && std::ranges::none_of(twin.memory, [&](const Memory& m) {
           if (m.first > last || m.end <= first) return false;
           return (a.state->end <= m.stamp && m.stamp <= b.state->begin) ||
                  (b.state->end <= m.stamp && m.stamp <= a.state->begin);
         });
}

class Control {
 public:
  Control(const Trace& trace, const SliceTwin& slices, std::vector<Seen>& all,
          const std::vector<Pair>& pairs)
      : trace_(trace), slices_(slices), all_(all), rivals_(all.size()) {
    std::map<std::tuple<uint32_t, uint64_t, uint64_t>, uint32_t> executions;
    for (uint32_t e = 0; e < slices.executions().size(); ++e) {
      const auto& execution = slices.executions()[e];
      executions[{execution.thread, execution.time, statement_id(trace, execution.statement)}] = e;
    }
    for (size_t i = 0; i < all.size(); ++i) {
      const auto found = executions.find({all[i].thread, all[i].time, all[i].id});
      if (found == executions.end()) continue;
      all[i].execution = found->second;
      if (all[i].writes) writers_[found->second] = i;
    }
    for (const Pair& pair : pairs) {
      rivals_[pair.a].push_back(pair.b);
      rivals_[pair.b].push_back(pair.a);
    }
    uses_.resize(slices.nodes().size());
    for (uint32_t node = 0; node < uses_.size(); ++node)
      for (const SliceTwin::Edge& edge : slices.nodes()[node].needs) uses_[edge.to].push_back(node);
  }

  // Which of these the write may choose.
  std::vector<bool> chosen(size_t write, const std::vector<size_t>& of) {
    std::vector<bool> reached(uses_.size()), passed(all_.size());
    std::deque<uint32_t> open;
    const auto reach = [&](uint32_t node) {
      if (!reached[node]) open.push_back(node);
      reached[node] = true;
    };
    const auto pass = [&](size_t w) {
      if (passed[w]) return;
      passed[w] = true;
      for (const size_t r : rivals_[w]) {
        const Seen& read = all_[r];
        if (!read.reads || read.execution == kNobody) continue;
        if (const auto* bytes = slices_.bytes_of(read.execution)) {
          const uint64_t first = std::max(read.first, all_[w].first);
          const uint64_t last = std::min(read.last, all_[w].last);
          for (uint64_t at = first; at <= last; ++at) reach((*bytes)[at - read.first]);
        } else {
          reach(slices_.node_of(read.execution));
        }
      }
    };
    pass(write);
    while (!open.empty()) {
      const uint32_t node = open.front();
      open.pop_front();
      for (const uint32_t next : uses_[node]) reach(next);
      const auto writer = writers_.find(slices_.nodes()[node].execution);
      if (writer != writers_.end()) pass(writer->second);
    }
    std::vector<bool> result;
    for (const size_t i : of) {
      bool found = false;
      if (all_[i].execution != kNobody)
        for (const SliceTwin::Edge& edge :
             slices_.nodes()[slices_.node_of(all_[i].execution)].needs)
          found |= reached[edge.to] && (edge.control || places(all_[i], edge.operand));
      result.push_back(found);
    }
    return result;
  }

 private:
  // Whether the operand says where it accesses, or how much.
  bool places(const Seen& seen, uint32_t operand) const {
    const auto ref = *statement_by_id(trace_, seen.id);
    const Statement& statement = trace_.functions()[ref.function].statements[ref.statement];
    if (operand == kNone) return false;
    if (statement.op == Op::store) return operand == 1;
    if (statement.op != Op::call) return operand == 0;
    const bool set = !slices_.bytes_of(seen.execution);
    return operand == 2 || operand == (seen.writes || set ? 0u : 1u);
  }

  const Trace& trace_;
  const SliceTwin& slices_;
  std::vector<Seen>& all_;
  std::vector<std::vector<size_t>> rivals_;       // by access
  std::unordered_map<uint32_t, size_t> writers_;  // accesses that write, by execution
  std::vector<std::vector<uint32_t>> uses_;       // by node
};

}  // namespace

int main(int argc, char** argv) {
  auto trace = Trace::open(argc > 1 ? argv[1] : "");
  if (!trace) return 2;
  std::set<std::pair<uint32_t, uint64_t>> own_users;
  Twin first_twin(*trace, Orders::recorded, true);
  first_twin.run();
  for (const Seen& seen : read_all(*trace, first_twin, true))
    own_users.insert(first_twin.doers[seen.state->who].number);
  Twin twin(*trace, Orders::recorded, true, own_users);
  twin.run();
  const auto slices = SliceTwin::make(*trace);
  if (!slices) return 2;
  std::vector<Seen> all = read_all(*trace, twin, false);
  std::vector<size_t> by_address(all.size());
  for (size_t i = 0; i < all.size(); ++i) by_address[i] = i;
  std::ranges::sort(by_address, {}, [&](size_t i) { return all[i].first; });
  std::vector<Pair> pairs;
  using Key = std::tuple<uint64_t, bool, bool>;
  std::map<std::pair<Key, Key>, size_t> races;
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = i + 1; j < all.size(); ++j) {
      const Seen &a = all[by_address[i]], &b = all[by_address[j]];
      if (b.first > a.last) break;
      if (!race(twin, a, b)) continue;
      pairs.push_back({by_address[i], by_address[j]});
      races[std::minmax(a.key(), b.key())] = 0;
    }
  }
  size_t count = 0;
  for (auto& [key, number] : races) number = count++;
  std::set<size_t> writes, sides;
  for (Pair& pair : pairs) {
    pair.race = races[std::minmax(all[pair.a].key(), all[pair.b].key())];
    for (const size_t side : {pair.a, pair.b}) {
      sides.insert(side);
      if (all[side].writes) writes.insert(side);
    }
  }
  Control control(*trace, *slices, all, pairs);
  const std::vector<size_t> of(sides.begin(), sides.end());
  // By write: what it event-controls.
  std::map<size_t, std::vector<bool>> controls;
  for (const size_t w : writes) {
    std::vector<bool>& controlled = controls[w] = std::vector<bool>(all.size());
    const std::vector<bool> chosen = control.chosen(w, of);
    for (size_t i = 0; i < of.size(); ++i)
      controlled[of[i]] = chosen[i] || (all[of[i]].state->who == all[w].state->who &&
                                        all[w].place() < all[of[i]].place());
  }
  // Which races have a pair that follows from none, and which follow from which.
  std::map<size_t, std::set<size_t>> races_of;
  for (const Pair& pair : pairs)
    for (const size_t side : {pair.a, pair.b})
      if (all[side].writes) races_of[side].insert(pair.race);
  std::vector<bool> first(races.size());
  std::vector<std::set<size_t>> consequences(races.size());
  for (const Pair& pair : pairs) {
    bool follows = false;
    for (const size_t w : writes) {
      if (!controls[w][pair.a] || !controls[w][pair.b]) continue;
      follows = true;
      for (const size_t cause : races_of[w]) consequences[cause].insert(pair.race);
    }
    if (!follows) first[pair.race] = true;
  }
  std::vector<std::optional<size_t>> roots(races.size());
  for (size_t root = 0; root < races.size(); ++root) {
    if (!first[root]) continue;
    std::deque<size_t> open{root};
    while (!open.empty()) {
      const size_t cause = open.front();
      open.pop_front();
      for (const size_t next : consequences[cause])
        if (!first[next] && !roots[next]) {
          roots[next] = root;
          open.push_back(next);
        }
    }
  }
  size_t in_circles = 0;
  for (const auto& [key, number] : races) {
    const auto& [a, b] = key;
    std::printf("%lu %c %lu %c ", std::get<0>(a), std::get<1>(a) ? 'W' : 'R', std::get<0>(b),
                std::get<1>(b) ? 'W' : 'R');
    in_circles += !first[number] && !roots[number];
    if (roots[number])
      std::printf("%zu\n", *roots[number]);
    else
      std::printf("first\n");
  }
  std::fprintf(stderr, "%zu accesses that race, %zu pairs of them, %zu races in circles\n",
               sides.size(), pairs.size(), in_circles);
  return 0;
}
