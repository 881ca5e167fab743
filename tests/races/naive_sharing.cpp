// The plain twin of `vestige sync --sharing`: every access of every byte in a list, looked at as docs/threads.md says.
//
//     naive_sharing TRACE        one line per byte: address use advice readers writers line
//
// Written apart from src/query/threads.
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>

#include "query/reference_source.h"
#include "vestige/sync.h"

using namespace vestige;

namespace {

struct Use {
  uint32_t thread;
  bool writes;
  uint64_t from, to;  // operations around it
};

struct Access {
  uint64_t first, bytes, time;
  Reference::Kind kind;
};

struct Span {
  uint64_t from, to;
};

// Of the accesses of one thread to one byte, all of them or the writes.
bool span(const std::vector<Use>& uses, uint32_t thread, bool writes_only, Span& out) {
  bool any = false;
  for (const Use& use : uses) {
    if (use.thread != thread || (writes_only && !use.writes)) continue;
    out = any ? Span{std::min(out.from, use.from), std::max(out.to, use.to)} : Span{use.from, use.to};
    any = true;
  }
  return any;
}

bool meet(const Span& a, const Span& b) { return a.from < b.to && b.from < a.to; }

std::set<uint32_t> threads_of(const std::vector<Use>& uses) {
  std::set<uint32_t> threads;
  for (const Use& use : uses) threads.insert(use.thread);
  return threads;
}

bool disturbed(const std::vector<Use>& byte, const std::vector<Use>& other) {
  for (const uint32_t a : threads_of(byte))
    for (const uint32_t b : threads_of(other)) {
      if (a == b) continue;
      Span mine, theirs, written, too;
      span(byte, a, false, mine);
      span(other, b, false, theirs);
      const bool clash = (span(byte, a, true, written) && meet(written, theirs)) ||
                         (span(other, b, true, written) && meet(written, mine));
      if (clash && !(span(byte, b, false, too) && meet(too, mine))) return true;
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
        accesses[t].push_back({r.address, r.bytes, timed.time, r.kind});
        cuts.insert(r.address);
        cuts.insert(r.address + r.bytes);
      }
  }
  std::map<Byte, std::vector<Use>> bytes;
  std::vector<std::tuple<uint32_t, uint64_t, uint64_t>> handed_out;
  const auto life = [&](uint32_t process, uint64_t address) {
    return static_cast<uint64_t>(std::ranges::count_if(handed_out, [&](const auto& one) {
      return std::get<0>(one) == process && std::get<1>(one) <= address && address < std::get<2>(one);
    }));
  };
  std::vector<size_t> given(n);
  std::vector<uint64_t> last(n);
  uint64_t index = 0;
  const auto give = [&](uint32_t t, uint64_t until) {
    const uint32_t process = trace->threads()[t].process;
    for (; given[t] < accesses[t].size() && accesses[t][given[t]].time <= until; ++given[t]) {
      const Access& access = accesses[t][given[t]];
      for (uint64_t i = 0; i < access.bytes; ++i) {
        auto& uses = bytes[{process, access.first + i, life(process, access.first + i)}];
        if (access.kind != Reference::Kind::write) uses.push_back({t, false, last[t], index + 1});
        if (access.kind != Reference::Kind::read) uses.push_back({t, true, last[t], index + 1});
      }
    }
  };
  std::vector<SyncOperation> all;
  auto order = SyncOrder::open_with_memory(*trace);
  while (order->next()) all.push_back(order->operation());
  std::set<std::pair<uint32_t, uint64_t>> refused;
  for (const SyncOperation& op : all)
    if (op.kind == SyncKind::refused) refused.emplace(op.thread, op.number - 1);
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> alive;
  std::set<uint32_t> born;
  for (const SyncOperation& op : all) {
    if (op.kind == SyncKind::refused) continue;
    if (!is_memory(op.kind) && refused.contains({op.thread, op.number})) continue;
    uint32_t t = op.thread;
    uint64_t time = op.time;
    while (trace->threads()[t].handler) {
      uint32_t thread = t;
      uint64_t interrupted = 0;
      const auto events = trace->events(t);
      for (const TraceEvent& event : *events)
        if (event.kind == TraceEvent::Kind::handler_begin && event.time <= time) {
          thread = static_cast<uint32_t>(event.numbers[1]);
          interrupted = event.numbers[2];
        }
      if (thread == t) break;
      t = thread;
      time = interrupted;
    }
    const std::pair object(trace->threads()[t].process, op.object);
    if (op.kind == SyncKind::thread_join && alive.contains(object)) give(alive[object], UINT64_MAX);
    give(t, time);
    last[t] = ++index;
    if (op.kind == SyncKind::thread_create) {
      uint32_t best = kNone;
      for (uint32_t c = 0; c < n; ++c) {
        const ThreadInfo& info = trace->threads()[c];
        if (info.handler || info.parent != op.thread || info.handle != op.object || born.contains(c)) continue;
        if (info.process != object.first) continue;
        if (best == kNone || (info.parent_time == op.time && trace->threads()[best].parent_time != op.time)) best = c;
      }
      alive.erase(object);
      if (best != kNone) {
        born.insert(best);
        alive[object] = best;
        last[best] = index;
      }
    }
    if (op.kind == SyncKind::allocated) handed_out.emplace_back(object.first, op.object, op.other);
  }
  for (uint32_t t = 0; t < n; ++t) give(t, UINT64_MAX);

  // Bytes of one line, and what is smallest for all bytes of a piece.
  std::map<Byte, uint32_t> lines;
  for (const auto& [byte, uses] : bytes) {
    const auto& [process, address, number] = byte;
    uint32_t& line = lines[{process, *std::prev(cuts.upper_bound(address)), number}];
    for (const uint32_t size : {16u, 32u, 64u, 128u, 256u}) {
      if (line != 0 && line <= size) break;
      const uint64_t first = address / size * size;
      for (auto at = bytes.lower_bound({process, first, 0}); at != bytes.end(); ++at) {
        const auto& [other_process, other, other_life] = at->first;
        if (other_process != process || other >= first + size) break;
        if (other != address && disturbed(uses, at->second)) {
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
