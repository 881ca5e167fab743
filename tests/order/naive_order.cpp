// What the order of accesses (vestige/order.h) promises, checked the plain way on a trace that was
// recorded with it.
//
//     naive_order TRACE SEED       one line: edges=N accesses=N checked=N wrong=N free_wrong=N implied=N
//                                  named=N unordered=N misnamed=N misowned=N by_locks=N
//
// All accesses and stamps are put in a row so that the promise holds, choosing by chance among the
// threads that may go on, and memory is played through: each load must give what the trace says it
// gave. `wrong` counts loads that do not, over several such rows; `free_wrong` the same for two
// rows that leave the edges out: first thread first, and last thread first. `implied` counts edges
// that the rest implies, by a search for another way. The last are bytes that loads read, as the
// index of dependences has them: named as other threads' writes, called unordered, those with the
// name of another thread's write that was not the last, and of the thread's own that was not.
//
//     naive_order --shuffle TRACE OUT SEED     a copy with another order of the accesses, one that chance chose among
//                                              those that stamps allow; for programs that do not see the difference
//
// Written apart from src/query/replay, src/trace/verify/order_check.cpp and src/record/collect.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "base/sort_stably.h"
#include "copy_trace.h"
#include "program/library.h"
#include "query/dependences/block.h"
#include "query/dependences/call_names.h"
#include "query/dependences/dependences.h"
#include "query/rows/row_source.h"
#include "query/rows/statement_set.h"
#include "vestige/order.h"
#include "vestige/query.h"
#include "vestige/sync.h"
#include "vestige/values.h"

using namespace vestige;

namespace {

using Name = std::tuple<uint32_t, uint64_t, uint32_t>;  // thread, time, statement

// An access, or a stamp.
struct Event {
  uint64_t stamp = 0;
  Name name;
  enum class Kind { load, store, modify, copy, fill, read_range, write_range } kind = Kind::load;
  uint64_t address = 0, bytes = 0, source = 0, value = 0;
  bool has_value = false;
  // Where it stands in its path: calls that came back, plain accesses, the stamp of an atomic
  // operation, that operation, other stamps.
  int rank = 0;
  uint64_t time = 0;
};

struct Run {
  std::vector<std::vector<Event>> threads;
  std::map<Name, std::vector<Name>> before;  // edges, by where they lead
  // Those that lead to whole paths, by thread and time.
  std::vector<std::map<uint64_t, std::vector<Name>>> before_path;
  std::vector<uint64_t> stamps;  // all, rising
  std::vector<uint32_t> parent;
  std::vector<uint64_t> parent_time;
  uint64_t edges = 0, accesses = 0;
};

[[noreturn]] void give_up(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  std::exit(3);
}

bool is_atomic_statement(const Statement& s) {
  if (s.op == Op::cmpxchg || s.op == Op::atomic_rmw) return true;
  return (s.op == Op::load || s.op == Op::store) && s.attributes.size() > 3 && s.attributes[3] != 0;
}

void read_accesses(const Trace& trace, const Windows& windows, uint32_t t,
                   std::vector<Event>& out) {
  const std::vector<StatementRef> statements = all_addresses(trace);
  const StatementSet set(trace, statements);
  std::vector<Transfer> transfers;
  auto rows = open_rows(trace, windows, set, {.thread = t, .transfers = &transfers});
  if (!rows) give_up(rows.error());
  std::vector<Observation> all;
  for (;;) {
    const auto more = (*rows)->read(all);
    if (!more) give_up(more.error());
    if (!*more) break;
  }
  for (const Transfer& transfer : transfers) {
    Event event;
    event.name = {t, transfer.time, transfer.statement};
    event.time = transfer.time;
    event.rank = 0;
    event.bytes = transfer.has_length ? transfer.length : 0;
    if (transfer.has_to) {
      event.kind = Event::Kind::write_range;
      event.address = transfer.to;
    } else {
      event.kind = Event::Kind::read_range;
      event.address = transfer.from;
    }
    out.push_back(event);
  }
  for (const Observation& row : all) {
    const Function& function = trace.functions()[row.function];
    const Statement& statement = function.statements[row.statement];
    Event event;
    event.name = {t, row.time, row.statement};
    event.time = row.time;
    event.rank = is_atomic_statement(statement) ? 3 : 1;
    event.address = row.address;
    event.bytes = row.has_length ? row.length : access_bytes(function, row.statement);
    event.value = row.value;
    event.has_value = row.has_value && event.bytes <= 8;
    if (!row.has_address) continue;
    if (statement.op == Op::load) event.kind = Event::Kind::load;
    if (statement.op == Op::store) event.kind = Event::Kind::store;
    if (statement.op == Op::cmpxchg || statement.op == Op::atomic_rmw)
      event.kind = Event::Kind::modify;
    if (statement.op == Op::call) {
      event.kind = row.has_source ? Event::Kind::copy : Event::Kind::fill;
      event.source = row.source;
    }
    out.push_back(event);
  }
}

Run read_run(const Trace& trace) {
  Run run;
  auto windows = Windows::open(trace);
  if (!windows) give_up(windows.error());
  run.threads.resize(trace.threads().size());
  run.before_path.resize(trace.threads().size());
  for (uint32_t t = 0; t < run.threads.size(); ++t) {
    if (!windows->of(t).empty()) read_accesses(trace, *windows, t, run.threads[t]);
    run.accesses += run.threads[t].size();
    run.parent.push_back(trace.threads()[t].parent);
    run.parent_time.push_back(trace.threads()[t].parent_time);
    auto edges = OrderCursor::open(trace, t);
    if (!edges) give_up(edges.error());
    for (; edges->next(); ++run.edges) {
      const OrderEdge& edge = edges->edge();
      auto& before = edge.after.statement == OrderedAccess::kWholePath
                         ? run.before_path[t][edge.after.time]
                         : run.before[{t, edge.after.time, edge.after.statement}];
      before.push_back({edge.before.thread, edge.before.time, edge.before.statement});
    }
    if (edges->error()) give_up(*edges->error());
  }
  auto order = SyncOrderCursor::open_with_memory(trace);
  if (!order) give_up(order.error());
  while (order->next()) {
    const SyncOperation& operation = order->operation();
    Event event;
    event.stamp = operation.stamp;
    event.time = operation.time;
    event.rank = is_atomic(operation.kind) ? 2 : 4;
    run.threads[operation.thread].push_back(event);
    run.stamps.push_back(operation.stamp);
  }
  for (auto& events : run.threads)
    sort_stably(events, [](const Event& a, const Event& b) {
      return std::tie(a.time, a.rank, a.stamp) < std::tie(b.time, b.rank, b.stamp);
    });
  return run;
}

class Memory {
 public:
  uint64_t checked = 0, wrong = 0;
  std::map<Name, std::vector<Name>>
      read_from;      // by load: who wrote each byte last; thread kNone: nobody
  bool says = false;  // which loads are wrong
  void play(const Event& event) {
    if (event.kind == Event::Kind::load)
      for (uint64_t i = 0; i < event.bytes && event.bytes <= 64; ++i) {
        const auto at = writers_.find(event.address + i);
        read_from[event.name].push_back(at == writers_.end() ? Name{kNone, 0, 0} : at->second);
      }
    if (event.kind != Event::Kind::load && event.kind != Event::Kind::read_range)
      for (uint64_t i = 0; i < event.bytes; ++i) writers_[event.address + i] = event.name;
    switch (event.kind) {
      case Event::Kind::load:
        return load(event);
      case Event::Kind::modify:  // what it wrote is not looked at
        load(event);
        return forget(event.address, event.bytes);
      case Event::Kind::store:
        if (!event.has_value) return forget(event.address, event.bytes);
        for (uint64_t i = 0; i < event.bytes; ++i)
          bytes_[event.address + i] = static_cast<uint8_t>(event.value >> (8 * i));
        return;
      case Event::Kind::copy: {
        std::vector<std::pair<bool, uint8_t>> read;
        for (uint64_t i = 0; i < event.bytes; ++i) {
          const auto at = bytes_.find(event.source + i);
          read.emplace_back(at != bytes_.end(), at != bytes_.end() ? at->second : 0);
        }
        forget(event.address, event.bytes);
        for (uint64_t i = 0; i < event.bytes; ++i)
          if (read[i].first) bytes_[event.address + i] = read[i].second;
        return;
      }
      case Event::Kind::fill:
      case Event::Kind::write_range:
        return forget(event.address, event.bytes);
      case Event::Kind::read_range:
        return;
    }
  }

 private:
  void load(const Event& event) {
    if (!event.has_value) return;
    bool same = true;
    for (uint64_t i = 0; i < event.bytes; ++i) {
      const auto byte = static_cast<uint8_t>(event.value >> (8 * i));
      // What was there before anything was seen to be written is what is read first.
      same &= bytes_.try_emplace(event.address + i, byte).first->second == byte;
      bytes_[event.address + i] = byte;
    }
    ++checked;
    wrong += !same;
    if (!same && says)
      std::fprintf(stderr, "thread %u time %lu statement %u: %lu bytes at %lx, value %lx\n",
                   std::get<0>(event.name), std::get<1>(event.name), std::get<2>(event.name),
                   event.bytes, event.address, event.value);
  }
  void forget(uint64_t address, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; ++i) bytes_.erase(address + i);
  }
  std::map<uint64_t, uint8_t> bytes_;
  std::map<uint64_t, Name> writers_;
};

struct Named {
  uint64_t named = 0, unordered = 0, misnamed = 0, misowned = 0;
};

// What the index of dependences says of loads, against who wrote last.
Named compare_names(const Trace& trace, const std::map<Name, std::vector<Name>>& read_from) {
  Named result;
  const auto reader = open_dependences(trace);
  if (!reader) give_up(reader.error());
  const CallNames names(trace);
  for (uint32_t t = 0; t < trace.threads().size(); ++t)
    for (const BlockPlace& place : reader->of(t)) {
      BlockDecoder decoder(trace, names);
      DependenceBlock block;
      const auto columns = reader->columns(place);
      if (!columns) give_up(columns.error());
      if (auto ok = decoder.decode(*columns, place.first_time, place.paths, block); !ok)
        give_up(ok.error());
      for (size_t s = 0; s < block.steps.size(); ++s)
        for (const ShapeItem& item : block.shapes[s]->items) {
          if (item.kind != StepKind::load || item.label == kNone) continue;
          const auto known = read_from.find({t, block.steps[s].time, item.statement});
          if (known == read_from.end()) continue;
          const Label label = block.label(s, item);
          std::vector<LabelPart> parts;
          if (label.kind() != Label::Kind::parts)
            parts.push_back({.length = item.bytes, .label = label, .last = true});
          for (uint64_t i = label.kind() == Label::Kind::parts ? label.first_part() : UINT64_MAX;
               i < block.parts.size(); ++i) {
            parts.push_back(block.parts[i]);
            if (parts.back().last) break;
          }
          size_t byte = 0;
          for (const LabelPart& part : parts)
            for (uint64_t i = 0; i < part.length && byte < known->second.size(); ++i, ++byte) {
              result.unordered += part.label.kind() == Label::Kind::unordered;
              if (part.label.kind() != Label::Kind::one) continue;
              const uint32_t thread = part.foreign() ? part.thread : t;
              result.named += part.foreign();
              auto walk = trace.walk(thread);
              if (!walk || !walk->seek(part.label.time())) {
                ++result.misnamed;
                continue;
              }
              const PathShape& shape = decoder.shapes().of(walk->path());
              const auto& [by, time, statement] = known->second[byte];
              const bool effect = part.label.item() >= shape.items.size();
              if (by != thread || time != part.label.time() ||
                  (!effect && shape.items[part.label.item()].statement != statement))
                ++(part.foreign() ? result.misnamed : result.misowned);
            }
        }
    }
  return result;
}

// The atomic operation that took the stamp there; null: it was something else.
const Event* operation_of(const std::vector<Event>& events, size_t stamp) {
  if (events[stamp].rank != 2 || stamp + 1 == events.size()) return nullptr;
  const Event& next = events[stamp + 1];
  return next.rank == 3 && next.time == events[stamp].time ? &next : nullptr;
}

// Calls `choose` with the threads that may go on, and plays the next event of the one it gives.
template <class Memory, class Choose>
bool play(const Run& run, bool with_edges, Memory& memory, const Choose& choose) {
  const size_t count = run.threads.size();
  std::vector<size_t> at(count);
  size_t next_stamp = 0;
  std::map<Name, uint64_t> left;  // accesses of a name that are not done yet
  for (const auto& events : run.threads)
    for (const Event& event : events)
      if (event.stamp == 0) ++left[event.name];
  const auto may_go = [&](size_t t) {
    const auto& events = run.threads[t];
    if (at[t] == events.size()) return false;
    const uint32_t parent = run.parent[t];
    if (at[t] == 0 && parent < count && at[parent] < run.threads[parent].size() &&
        run.threads[parent][at[parent]].time <= run.parent_time[t] &&
        run.threads[parent][at[parent]].stamp == 0)
      return false;
    const Event& event = events[at[t]];
    if (event.stamp != 0 && event.stamp != run.stamps[next_stamp]) return false;
    if (!with_edges) return true;
    const auto open = [&](const auto& self, const Name& name) -> bool {
      const auto& [thread, time, statement] = name;
      const auto found = left.find(name);
      if (statement != OrderedAccess::kWholePath) return found != left.end() && found->second != 0;
      const auto& others = run.threads[thread];
      if (at[thread] < others.size() && others[at[thread]].time <= time) return true;
      // Paths that have no accesses may wait, too.
      const auto& paths = run.before_path[thread];
      for (auto path = paths.upper_bound(at[thread] == 0 ? 0 : others[at[thread] - 1].time);
           path != paths.end() && path->first <= time; ++path)
        for (const Name& before : path->second)
          if (self(self, before)) return true;
      return false;
    };
    const auto is_open = [&](const Name& name) { return open(open, name); };
    for (const auto& [time, names] : run.before_path[t])
      if (time <= event.time && std::any_of(names.begin(), names.end(), is_open)) return false;
    // An atomic operation takes place at its stamp.
    const Event* access = event.stamp == 0 ? &event : operation_of(events, at[t]);
    if (!access) return true;
    const auto before = run.before.find(access->name);
    if (before == run.before.end()) return true;
    return std::none_of(before->second.begin(), before->second.end(), is_open);
  };
  for (;;) {
    std::vector<size_t> ready;
    bool any = false;
    for (size_t t = 0; t < count; ++t) {
      any |= at[t] < run.threads[t].size();
      if (may_go(t)) ready.push_back(t);
    }
    if (!any) return true;
    if (ready.empty()) return false;
    const size_t t = choose(ready);
    const Event& event = run.threads[t][at[t]++];
    const Event* access = event.stamp == 0 ? &event : operation_of(run.threads[t], at[t] - 1);
    if (event.stamp != 0) {
      ++next_stamp;
      at[t] += access != nullptr;
    }
    if (access) {
      --left[access->name];
      memory.play(*access);
    }
  }
}

// Edges that another way leads along. Of long runs that is not looked for.
uint64_t count_implied(const Run& run) {
  constexpr uint64_t kMostEdges = 3000;
  if (run.edges > kMostEdges) return 0;
  std::map<Name, std::pair<size_t, size_t>> first, last;  // thread, event
  std::map<uint64_t, std::pair<size_t, size_t>> stamped;
  for (size_t t = 0; t < run.threads.size(); ++t)
    for (size_t i = 0; i < run.threads[t].size(); ++i) {
      const Event& event = run.threads[t][i];
      if (event.stamp != 0) {
        stamped[event.stamp] = {t, i};
        continue;
      }
      first.try_emplace(event.name, t, i);
      last[event.name] = {t, i};
    }
  std::map<std::pair<size_t, size_t>, std::vector<std::pair<size_t, size_t>>> ways;
  std::vector<std::pair<std::pair<size_t, size_t>, std::pair<size_t, size_t>>> edges;
  // Whole paths lead on, but nobody promises that their edges do not follow from others.
  const auto add = [&](const Name& from, std::pair<size_t, size_t> to) {
    const auto& [thread, time, statement] = from;
    if (statement == OrderedAccess::kWholePath) {
      const auto& events = run.threads[thread];
      const auto behind =
          std::upper_bound(events.begin(), events.end(), time,
                           [](uint64_t wanted, const Event& event) { return wanted < event.time; });
      if (behind != events.begin())
        ways[{thread, static_cast<size_t>(behind - events.begin()) - 1}].push_back(to);
    } else if (last.contains(from)) {
      ways[last[from]].push_back(to);
    }
  };
  for (const auto& [to, froms] : run.before)
    for (const Name& from : froms)
      if (first.contains(to)) {
        add(from, first[to]);
        if (last.contains(from)) edges.push_back({last[from], first[to]});
      }
  for (size_t t = 0; t < run.threads.size(); ++t)
    for (const auto& [time, froms] : run.before_path[t]) {
      const auto& events = run.threads[t];
      const auto at =
          std::lower_bound(events.begin(), events.end(), time,
                           [](const Event& event, uint64_t wanted) { return event.time < wanted; });
      for (const Name& from : froms)
        if (at != events.end()) add(from, {t, static_cast<size_t>(at - events.begin())});
    }
  const auto leads = [&](std::pair<size_t, size_t> from, std::pair<size_t, size_t> to) {
    std::set<std::pair<size_t, size_t>> seen = {from};
    std::vector<std::pair<size_t, size_t>> open = {from};
    bool direct = true;  // the edge itself does not count
    while (!open.empty()) {
      const auto at = open.back();
      open.pop_back();
      std::vector<std::pair<size_t, size_t>> next;
      if (at.second + 1 < run.threads[at.first].size()) next.emplace_back(at.first, at.second + 1);
      // The next stamp is behind an atomic operation that stands at this one.
      const auto& events = run.threads[at.first];
      const size_t i = at.second;
      const Event& event =
          events[i].rank == 3 && i > 0 && operation_of(events, i - 1) ? events[i - 1] : events[i];
      if (event.stamp != 0)
        if (const auto behind = stamped.upper_bound(event.stamp); behind != stamped.end())
          next.push_back(behind->second);
      for (const auto& way : ways[at]) {
        if (at == from && way == to && std::exchange(direct, false)) continue;
        next.push_back(way);
      }
      for (const auto& one : next) {
        if (one == to) return true;
        if (seen.insert(one).second) open.push_back(one);
      }
    }
    return false;
  };
  uint64_t implied = 0;
  for (const auto& [from, to] : edges) implied += leads(from, to);
  return implied;
}

// Notes of each access which conflicting ones of other threads came before it: of each thread the
// last.
struct Conflicts {
  std::map<uint64_t, std::map<uint32_t, Name>> writes, reads;  // by granule and thread: the last
  std::vector<std::pair<Name, Name>> edges;
  void play(const Event& event) {
    const bool reads_only =
        event.kind == Event::Kind::load || event.kind == Event::Kind::read_range;
    const uint32_t t = std::get<0>(event.name);
    for (uint64_t g = event.address / 8;
         event.bytes != 0 && g <= (event.address + event.bytes - 1) / 8; ++g) {
      for (const auto& [by, name] : writes[g])
        if (by != t) edges.emplace_back(name, event.name);
      if (!reads_only)
        for (const auto& [by, name] : reads[g])
          if (by != t) edges.emplace_back(name, event.name);
      (reads_only ? reads : writes)[g][t] = event.name;
    }
  }
};

int shuffle(const Trace& trace, const char* from, const char* to, uint64_t seed) {
  const Run run = read_run(trace);
  std::mt19937_64 chance(seed);
  Conflicts conflicts;
  // Long and short turns.
  size_t last = 0;
  play(run, false, conflicts, [&](const std::vector<size_t>& ready) {
    if (chance() % 4 != 0 && std::find(ready.begin(), ready.end(), last) != ready.end())
      return last;
    return last = ready[chance() % ready.size()];
  });
  return copy_trace(from, to, [&](StoreWriter& writer, const OrderChunk* chunk) {
    if (chunk) return true;
    for (uint32_t t = 0; t < run.threads.size(); ++t) {
      OrderChunk mine;
      mine.thread = t;
      for (const auto& [before, after] : conflicts.edges)
        if (std::get<0>(after) == t)
          mine.rows.push_back({std::get<1>(after), std::get<2>(after), std::get<0>(before),
                               std::get<1>(before), std::get<2>(before)});
      if (!writer.append(mine)) return false;
    }
    return true;
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "--shuffle") {
    const auto trace = Trace::open(argv[2]);
    if (!trace) give_up(trace.error());
    return shuffle(*trace, argv[2], argv[3], std::strtoull(argv[4], nullptr, 10));
  }
  if (argc != 3) return 2;
  const auto trace = Trace::open(argv[1]);
  if (!trace) give_up(trace.error());
  if (!has_order(*trace)) {
    std::fprintf(stderr, "%s has no order\n", argv[1]);
    return 3;
  }
  const Run run = read_run(*trace);
  std::mt19937_64 chance(std::strtoull(argv[2], nullptr, 10));
  Memory memory;
  std::map<Name, std::vector<Name>> read_from;
  for (int i = 0; i < 4; ++i) {
    Memory one;
    one.says = true;
    const bool whole = play(run, true, one, [&](const std::vector<size_t>& ready) {
      return ready[chance() % ready.size()];
    });
    if (!whole) {
      std::fprintf(stderr, "%s: the order goes round in a circle\n", argv[1]);
      return 1;
    }
    read_from = std::move(one.read_from);
    memory.checked += one.checked;
    memory.wrong += one.wrong;
  }
  Memory forward, backward;
  play(run, false, forward, [](const std::vector<size_t>& ready) { return ready.front(); });
  play(run, false, backward, [](const std::vector<size_t>& ready) { return ready.back(); });
  std::printf("edges=%lu accesses=%lu checked=%lu wrong=%lu free_wrong=%lu implied=%lu ", run.edges,
              run.accesses, memory.checked, memory.wrong, forward.wrong + backward.wrong,
              count_implied(run));
  const Named named = compare_names(*trace, read_from);
  std::printf("named=%lu unordered=%lu misnamed=%lu misowned=%lu by_locks=%d\n", named.named,
              named.unordered, named.misnamed, named.misowned, trace->meta("order") == "by locks");
  return 0;
}
