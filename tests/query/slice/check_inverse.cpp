// check_inverse TRACE EXECUTIONS SEED: takes random executions, half of them from slices of the
// others so that many are related, and compares for every two of them a and b: a is in the backward
// slice of b exactly when b is in the forward slice of a, at the same depth. With and without
// control, and to a limited depth.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <tuple>

#include "vestige/slice.h"
#include "vestige/trace.h"

using namespace vestige;

namespace {

struct Execution {
  StatementRef statement;
  uint32_t thread = 0;
  uint64_t time = 0, instance = 0;
};
using Key = std::tuple<uint32_t, uint64_t, uint32_t, uint32_t>;  // thread, time, statement
Key key(const Execution& e) {
  return {e.thread, e.time, e.statement.function, e.statement.statement};
}

// Each execution with the same probability.
Result<std::vector<Execution>> choose(const Trace& trace, size_t count, std::mt19937_64& random) {
  std::vector<Execution> chosen;
  uint64_t seen = 0;
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> instances;
    auto cursor = trace.walk(thread);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    while (cursor->next()) {
      const Function& function = trace.functions()[cursor->function()];
      for (const uint32_t index : cursor->path().segments) {
        const Segment& segment = function.segments[index];
        for (uint32_t i = 0; i < segment.statement_count; ++i) {
          const uint32_t statement = segment.first_statement + i;
          const Execution e{{cursor->function(), statement},
                            thread,
                            cursor->time(),
                            ++instances[{cursor->function(), statement}]};
          const uint64_t place = seen++ < count ? chosen.size() : random() % seen;
          if (place == chosen.size() && place < count)
            chosen.push_back(e);
          else if (place < count)
            chosen[place] = e;
        }
      }
    }
    if (cursor->error()) return std::unexpected(*cursor->error());
  }
  return chosen;
}

bool is_call(const Trace& trace, StatementRef ref) {
  const Op op = trace.functions()[ref.function].statements[ref.statement].op;
  return op == Op::call || op == Op::invoke;
}

// Of each a member of its slice, in turn forwards and backwards; every second time a call if there
// is one, because calls have parts of their own.
Result<void> add_relatives(const Trace& trace, Slicer& slicer, std::vector<Execution>& chosen,
                           std::mt19937_64& random) {
  for (size_t i = 0, count = chosen.size(); i < count; ++i) {
    SliceOptions options;
    options.statement = chosen[i].statement;
    options.thread = chosen[i].thread;
    options.instance = chosen[i].instance;
    options.forward = i % 2 == 0;
    options.instances = true;
    const auto found = slicer.slice(options);
    if (!found) return std::unexpected(found.error());
    std::vector<SliceInstance> members;
    for (const SliceInstance& member : found->instances)
      if (is_call(trace, member.statement)) members.push_back(member);
    if (members.empty() || random() % 2 == 0) members = found->instances;
    const SliceInstance& member = members[random() % members.size()];
    chosen.push_back({member.statement, member.thread, member.time, member.instance});
  }
  return {};
}

Result<std::map<Key, uint32_t>> depths(Slicer& slicer, const Execution& of, SliceOptions options) {
  options.statement = of.statement;
  options.thread = of.thread;
  options.instance = of.instance;
  options.instances = true;
  options.values = false;
  const auto found = slicer.slice(options);
  if (!found) return std::unexpected(found.error());
  std::map<Key, uint32_t> out;
  for (const SliceInstance& member : found->instances)
    out[{member.thread, member.time, member.statement.function, member.statement.statement}] =
        member.depth;
  return out;
}

uint32_t depth_of(const std::map<Key, uint32_t>& slice, const Execution& e) {
  const auto found = slice.find(key(e));
  return found == slice.end() ? kNone : found->second;
}

struct Tally {
  uint64_t pairs = 0, related = 0, calls = 0, wrong = 0;
};

Result<void> compare(const Trace& trace, Slicer& slicer, const std::vector<Execution>& chosen,
                     const SliceOptions& options, Tally& tally) {
  std::vector<std::map<Key, uint32_t>> forward, backward;
  for (const Execution& e : chosen) {
    SliceOptions one = options;
    one.forward = true;
    auto there = depths(slicer, e, one);
    if (!there) return std::unexpected(std::move(there.error()));
    one.forward = false;
    auto back = depths(slicer, e, one);
    if (!back) return std::unexpected(std::move(back.error()));
    forward.push_back(std::move(*there));
    backward.push_back(std::move(*back));
  }
  for (size_t a = 0; a < chosen.size(); ++a) {
    for (size_t b = 0; b < chosen.size(); ++b) {
      const uint32_t there = depth_of(forward[a], chosen[b]);
      const uint32_t back = depth_of(backward[b], chosen[a]);
      ++tally.pairs;
      tally.related += a != b && there != kNone;
      tally.calls += a != b && there != kNone && is_call(trace, chosen[b].statement);
      if (there == back || ++tally.wrong > 10) continue;
      const auto name = [&](const Execution& e) {
        return statement_name(trace, e.statement) + "@" + std::to_string(e.instance);
      };
      std::printf("%s of %s, depth %d forwards and %d backwards%s\n", name(chosen[b]).c_str(),
                  name(chosen[a]).c_str(), static_cast<int>(there), static_cast<int>(back),
                  options.data_only ? ", data only" : "");
    }
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto trace = Trace::open(argv[1]);
  auto slicer = trace ? Slicer::open(*trace) : std::unexpected(trace.error());
  if (!slicer) {
    std::printf("%s\n", slicer.error().message.c_str());
    return 1;
  }
  std::mt19937_64 random(std::strtoull(argv[3], nullptr, 10));
  auto chosen = choose(*trace, static_cast<size_t>(std::atoi(argv[2]) + 1) / 2, random);
  Result<void> done;
  if (!chosen)
    done = std::unexpected(chosen.error());
  else
    done = add_relatives(*trace, *slicer, *chosen, random);
  Tally tally;
  for (int mode = 0; mode < 3 && done; ++mode) {
    SliceOptions options;
    options.data_only = mode == 1;
    if (mode == 2) options.depth = static_cast<uint32_t>(1 + random() % 12);
    done = compare(*trace, *slicer, *chosen, options, tally);
  }
  if (!done) {
    std::printf("%s\n", done.error().message.c_str());
    return 1;
  }
  std::printf("%llu pairs, %llu related, %llu of them calls\n",
              static_cast<unsigned long long>(tally.pairs),
              static_cast<unsigned long long>(tally.related),
              static_cast<unsigned long long>(tally.calls));
  return tally.wrong != 0;
}
