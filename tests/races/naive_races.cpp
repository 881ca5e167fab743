// The plain twin of `vestige races`: a full vector clock for every access, every access against
// every other.
//
//     naive_races TRACE        one line per racing pair of statements: #ID kind #ID kind count
//
// Written apart from src/query/races, straight from docs/threads.md.
#include <cstdio>

#include "naive_order.h"
#include "query/rows/reference_source.h"

using namespace vestige;

namespace {

struct Seen {
  uint64_t id = 0, first = 0, last = 0;
  uint32_t thread = 0;
  bool writes = false, atomic = false;
  const State* state = nullptr;
  uint64_t times = 1;
  auto key() const { return std::tuple(id, writes, atomic); }
};

bool before(const Seen& a, const Seen& b) {
  return b.state->clock[a.state->who] >= a.state->clock[a.state->who];
}

bool read_all(const Trace& trace, const Twin& twin, std::vector<Seen>& all) {
  auto source = ReferenceSource::open(trace);
  if (!source) return false;
  std::vector<TimedReference> piece;
  for (const uint32_t t : source->threads()) {
    if (trace.threads()[t].handler) continue;
    if (!source->seek(t, 0)) return false;
    while (source->read(piece) && !piece.empty()) {
      for (const TimedReference& timed : piece) {
        const Reference& r = timed.reference;
        if (r.bytes == 0) continue;
        Seen seen{
            r.statement_id, r.address, r.address + r.bytes - 1, t, r.kind != Reference::Kind::read,
            false,          nullptr};
        const auto ref = *statement_by_id(trace, r.statement_id);
        const Statement& statement = trace.functions()[ref.function].statements[ref.statement];
        const bool atomic = r.kind == Reference::Kind::modify ||
                            (statement.op != Op::call && statement.attributes.size() > 3 &&
                             statement.attributes[3] != 0);
        if (atomic) {
          const auto found = twin.atomics.find({t, timed.time});
          if (found == twin.atomics.end()) continue;
          seen.atomic = true;
          seen.writes = found->second.second;
          seen.state = &found->second.first;
        } else {
          seen.state = &*std::ranges::lower_bound(twin.states[t], timed.time, {}, &State::until);
        }
        all.push_back(seen);
      }
    }
  }
  for (const LibraryUse& use : library_uses(trace)) {
    const State* state =
        &*std::ranges::lower_bound(twin.states[use.thread], use.time, {}, &State::until);
    all.push_back(
        {use.id, use.first, use.first + use.bytes - 1, use.thread, use.writes, false, state});
  }
  auto order = SyncOrderCursor::open_with_memory(trace);
  while (order->next()) {
    const SyncOperation& op = order->operation();
    const auto block = freed_block(trace, op);
    if (!block) continue;
    const State* state = &*std::ranges::find(twin.states[op.thread], op.stamp, &State::end);
    all.push_back(
        {block->id, block->first, block->first + block->bytes - 1, op.thread, true, false, state});
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  auto trace = Trace::open(argc > 1 ? argv[1] : "");
  if (!trace) return 2;
  // Tasks that use what is their thread's own are found first.
  std::set<std::pair<uint32_t, uint64_t>> own_users;
  Twin first_twin(*trace, Orders::recorded, true);
  first_twin.run();
  std::vector<Seen> all;
  if (!read_all(*trace, first_twin, all)) return 2;
  for (const Seen& seen : all)
    if (first_twin.uses_own(seen.thread, *seen.state, seen.first, seen.last))
      own_users.insert(first_twin.doers[seen.state->who].number);
  all.clear();
  Twin twin(*trace, Orders::recorded, true, own_users);
  twin.run();
  if (!read_all(*trace, twin, all)) return 2;
  std::erase_if(all, [&](const Seen& seen) {
    return twin.uses_own(seen.thread, *seen.state, seen.first, seen.last);
  });
  // The same access again and again, between the same operations, is one that counts so often.
  const auto whole = [](const Seen& s) {
    return std::tuple(s.first, s.last, s.thread, s.key(), s.state);
  };
  std::ranges::sort(all, {}, whole);
  size_t end = 0;
  for (const Seen& seen : all) {
    if (end > 0 && whole(all[end - 1]) == whole(seen))
      ++all[end - 1].times;
    else
      all[end++] = seen;
  }
  all.resize(end);
  std::map<std::tuple<uint64_t, bool, bool, uint64_t, bool, bool>, uint64_t> pairs;
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = i + 1; j < all.size(); ++j) {
      const Seen &a = all[i], &b = all[j];
      if (b.first > a.last) break;  // and so do all that follow
      if (a.state->who == b.state->who || twin.process(a.thread) != twin.process(b.thread))
        continue;
      if (!(a.writes || b.writes) || (a.atomic && b.atomic) || before(a, b) || before(b, a))
        continue;
      const uint64_t first = std::max(a.first, b.first), last = std::min(a.last, b.last);
      const bool apart = std::ranges::any_of(twin.memory, [&](const Memory& m) {
        if (m.process != twin.process(a.thread) || m.first > last || m.end <= first) return false;
        return (a.state->end <= m.stamp && m.stamp <= b.state->begin) ||
               (b.state->end <= m.stamp && m.stamp <= a.state->begin);
      });
      if (apart) continue;
      const auto &low = a.key() <= b.key() ? a : b, &high = a.key() <= b.key() ? b : a;
      pairs[{low.id, low.writes, low.atomic, high.id, high.writes, high.atomic}] +=
          a.times * b.times;
    }
  }
  for (const auto& [key, count] : pairs) {
    const auto& [a, aw, aa, b, bw, ba] = key;
    std::printf("%lu %c %lu %c %lu\n", a, aw ? 'W' : 'R', b, bw ? 'W' : 'R', count);
  }
  return 0;
}
