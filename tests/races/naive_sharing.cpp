// The plain twin of `vestige sync --sharing`: every access of every byte in a list, looked at as
// docs/threads.md says.
//
//     naive_sharing TRACE        one line per byte: address use advice readers writers line
//
// Written apart from src/query/threads.
#include <cstdio>
#include <string>

#include "base/sort_stably.h"
#include "naive_order.h"
#include "query/rows/reference_source.h"

using namespace vestige;

namespace {

struct Use {
  uint32_t thread;
  bool writes;
  size_t state;  // of its thread
};

struct Access {
  uint64_t first, bytes, time;
  Reference::Kind kind;
  // Twice the time of the path; between those of two paths: what a call between them did.
  uint64_t place;
};

std::set<uint32_t> threads_of(const std::vector<Use>& uses) {
  std::set<uint32_t> threads;
  for (const Use& use : uses) threads.insert(use.thread);
  return threads;
}

// Of the accesses of one thread to one byte, all of them or the writes: the states of the first and
// the last.
struct Span {
  const State *first = nullptr, *last = nullptr;
  void add(const State& state) {
    last = &state;
    if (first == nullptr) first = last;
  }
};
struct Spans {
  Span used, written;
};
using SpansByThread = std::map<uint32_t, Spans>;

SpansByThread spans_of(const Twin& twin, const std::vector<Use>& uses) {
  SpansByThread all;
  for (const Use& use : uses) {
    const State& state = twin.states[use.thread][use.state];
    all[use.thread].used.add(state);
    if (use.writes) all[use.thread].written.add(state);
  }
  return all;
}

bool meet(uint32_t a, const Span& x, uint32_t b, const Span& y) {
  if (x.first == nullptr || y.first == nullptr) return false;
  const bool x_before_y = y.first->clock[a] >= x.last->clock[a];
  const bool y_before_x = x.first->clock[b] >= y.last->clock[b];
  return !x_before_y && !y_before_x;
}

bool disturbed(const SpansByThread& byte, const SpansByThread& other) {
  for (const auto& [a, mine] : byte)
    for (const auto& [b, theirs] : other) {
      if (a == b) continue;
      const bool clash =
          meet(a, mine.written, b, theirs.used) || meet(a, mine.used, b, theirs.written);
      const auto too = byte.find(b);
      if (clash && (too == byte.end() || !meet(a, mine.used, b, too->second.used))) return true;
    }
  return false;
}

std::string classify(const std::vector<Use>& uses, std::string& advice) {
  advice = "none";
  if (threads_of(uses).size() == 1) return "private";
  std::vector<std::vector<Use>> turns;
  for (const Use& use : uses) {
    if (turns.empty() || turns.back()[0].thread != use.thread) turns.emplace_back();
    turns.back().push_back(use);
  }
  std::set<uint32_t> late_writers;
  bool migrates = true;
  for (size_t i = 1; i < turns.size(); ++i) {
    const bool writes = std::ranges::any_of(turns[i], &Use::writes);
    if (writes) late_writers.insert(turns[i][0].thread);
    migrates = migrates && writes && !turns[i][0].writes;
  }
  if (late_writers.empty()) return "read_only";
  uint64_t read_between = 0, unread_between = 0;
  for (size_t i = turns[0].size(); i < uses.size(); ++i) {
    if (!uses[i].writes) continue;
    // The write before it.
    size_t before = i;
    bool others = false;
    while (before-- > 0 && !uses[before].writes) others |= uses[before].thread != uses[i].thread;
    if (before == SIZE_MAX || uses[before].thread != uses[i].thread) continue;
    ++(others ? read_between : unread_between);
  }
  advice = read_between > unread_between ? "update" : "invalidate";
  if (migrates || turns.size() == 2) return "migratory";
  return late_writers.size() > 1 ? "mixed" : "producer_consumer";
}

std::string list(const std::set<uint32_t>& threads) {
  std::string text;
  for (const uint32_t t : threads) text += (text.empty() ? "" : ",") + std::to_string(t);
  return text.empty() ? "-" : text;
}

// process, address, life of the byte
using Byte = std::tuple<uint32_t, uint64_t, uint64_t>;

}  // namespace

int main(int argc, char** argv) {
  auto trace = Trace::open(argc > 1 ? argv[1] : "");
  if (!trace) return 2;
  auto source = ReferenceSource::open(*trace);
  if (!source) return 2;
  const size_t n = trace->threads().size();
  std::vector<std::vector<Access>> accesses(n);
  std::set<uint64_t> cuts;
  std::vector<TimedReference> piece;
  for (const uint32_t t : source->threads()) {
    if (trace->threads()[t].handler) continue;
    if (!source->seek(t, 0)) return 2;
    while (source->read(piece) && !piece.empty())
      for (const TimedReference& timed : piece) {
        const Reference& r = timed.reference;
        if (r.bytes == 0) continue;
        accesses[t].push_back({r.address, r.bytes, timed.time, r.kind, 2 * timed.time});
      }
  }
  // A call's reads come first.
  std::vector<LibraryUse> library = library_uses(*trace);
  sort_stably(library, {}, &LibraryUse::writes);
  for (const LibraryUse& use : library)
    accesses[use.thread].push_back({use.first, use.bytes, use.time,
                                    use.writes ? Reference::Kind::write : Reference::Kind::read,
                                    use.time == use.call ? 2 * use.call + 1 : 2 * use.time - 1});
  for (auto& mine : accesses) {
    sort_stably(mine, {}, &Access::place);
    for (const Access& access : mine) cuts.insert({access.first, access.first + access.bytes});
  }
  Twin twin(*trace, Orders::always);
  twin.run();
  std::map<Byte, std::vector<Use>> bytes;
  // Blocks that were handed out, by the pages that they touch.
  struct Block {
    size_t number;
    uint64_t first, end;
  };
  size_t handed_out = 0;
  std::map<std::pair<uint32_t, uint64_t>, std::vector<Block>> blocks;
  constexpr uint64_t kPage = 4096;
  const auto hand_out = [&](uint32_t process, uint64_t first, uint64_t end) {
    for (uint64_t page = first / kPage; page * kPage < end; ++page)
      blocks[{process, page}].push_back({handed_out, first, end});
    ++handed_out;
  };
  // The numbers of those with this byte in them.
  const auto blocks_of = [&](uint32_t process, uint64_t address) {
    std::vector<size_t> numbers;
    const auto found = blocks.find({process, address / kPage});
    if (found == blocks.end()) return numbers;
    for (const Block& block : found->second)
      if (block.first <= address && address < block.end) numbers.push_back(block.number);
    return numbers;
  };
  const auto life = [&](uint32_t process, uint64_t address) {
    return static_cast<uint64_t>(blocks_of(process, address).size());
  };
  std::vector<size_t> given(n);
  const auto give = [&](uint32_t t, uint64_t until) {
    const uint32_t process = trace->threads()[t].process;
    for (; given[t] < accesses[t].size() && accesses[t][given[t]].time <= until; ++given[t]) {
      const Access& access = accesses[t][given[t]];
      const auto& states = twin.states[t];
      const auto state = static_cast<size_t>(
          std::ranges::lower_bound(states, access.time, {}, &State::until) - states.begin());
      for (uint64_t i = 0; i < access.bytes; ++i) {
        auto& uses = bytes[{process, access.first + i, life(process, access.first + i)}];
        if (access.kind != Reference::Kind::write) uses.push_back({t, false, state});
        if (access.kind != Reference::Kind::read) uses.push_back({t, true, state});
      }
    }
  };
  std::vector<SyncOperation> all;
  auto order = SyncOrderCursor::open_with_memory(*trace);
  while (order->next()) all.push_back(order->operation());
  for (const SyncOperation& op : all) {
    if (op.kind == SyncKind::allocated) cuts.insert({op.object, op.other});
    // Giving a block back is no use of it, but cuts it off.
    if (const auto block = freed_block(*trace, op))
      cuts.insert({block->first, block->first + block->bytes});
  }
  std::set<std::pair<uint32_t, uint64_t>> refused;
  for (const SyncOperation& op : all)
    if (op.kind == SyncKind::refused) refused.emplace(op.thread, op.number - 1);
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> alive;
  std::set<uint32_t> born;
  for (const SyncOperation& op : all) {
    if (op.kind == SyncKind::refused) continue;
    if (!is_memory(op.kind) && refused.contains({op.thread, op.number})) continue;
    const auto [t, time] = twin.doer(op);
    const std::pair object(trace->threads()[t].process, op.object);
    if (op.kind == SyncKind::thread_join && alive.contains(object)) give(alive[object], UINT64_MAX);
    give(t, time);
    if (op.kind == SyncKind::thread_create) {
      uint32_t best = kNone;
      for (uint32_t c = 0; c < n; ++c) {
        const ThreadInfo& info = trace->threads()[c];
        if (info.handler || info.parent != op.thread || info.handle != op.object ||
            born.contains(c))
          continue;
        if (info.process != object.first) continue;
        if (best == kNone ||
            (info.parent_time == op.time && trace->threads()[best].parent_time != op.time))
          best = c;
      }
      alive.erase(object);
      if (best != kNone) {
        born.insert(best);
        alive[object] = best;
      }
    }
    if (op.kind == SyncKind::allocated) hand_out(object.first, op.object, op.other);
  }
  for (uint32_t t = 0; t < n; ++t) give(t, UINT64_MAX);

  // Bytes of one line, and what is smallest for all bytes of a piece.
  std::map<Byte, SpansByThread> spans;
  for (const auto& [byte, uses] : bytes) spans[byte] = spans_of(twin, uses);
  // The lives of each byte, one after the other: which blocks began and ended them.
  struct Life {
    size_t begin, end;
    const SpansByThread* spans;
  };
  std::map<std::pair<uint32_t, uint64_t>, std::map<uint64_t, Life>> lives;
  for (const auto& [byte, mine] : spans) {
    const auto& [process, address, number] = byte;
    const std::vector<size_t> all_of_it = blocks_of(process, address);
    lives[{process, address}][number] = {
        number == 0 ? 0 : all_of_it[number - 1] + 1,
        number < all_of_it.size() ? all_of_it[number] + 1 : SIZE_MAX, &mine};
  }
  const auto disturbs = [](const std::map<uint64_t, Life>& other, const Life& mine) {
    return std::ranges::any_of(other, [&](const auto& one) {
      const Life& life = one.second;
      return life.begin < mine.end && mine.begin < life.end && disturbed(*mine.spans, *life.spans);
    });
  };
  std::map<Byte, uint32_t> lines;
  for (const auto& [byte, mine] : spans) {
    const auto& [process, address, number] = byte;
    uint32_t& line = lines[{process, *std::prev(cuts.upper_bound(address)), number}];
    for (const uint32_t size : {16u, 32u, 64u, 128u, 256u}) {
      if (line != 0 && line <= size) break;
      const uint64_t first = address / size * size;
      const Life& own = lives[{process, address}][number];
      for (auto at = lives.lower_bound({process, first}); at != lives.end(); ++at) {
        if (at->first.first != process || at->first.second >= first + size) break;
        if (at->first.second != address && disturbs(at->second, own)) {
          line = size;
          break;
        }
      }
    }
  }
  for (const auto& [byte, uses] : bytes) {
    const auto& [process, address, number] = byte;
    const uint32_t line = lines[{process, *std::prev(cuts.upper_bound(address)), number}];
    std::string advice;
    const std::string use = classify(uses, advice);
    if (use == "private" && line == 0) continue;
    std::set<uint32_t> readers, writers;
    for (const Use& one : uses) (one.writes ? writers : readers).insert(one.thread);
    std::printf("%lu %s %s %s %s %u\n", address, use.c_str(), advice.c_str(), list(readers).c_str(),
                list(writers).c_str(), line);
  }
  return 0;
}
