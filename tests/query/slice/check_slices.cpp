// check_slices TRACE CRITERIA SEED: slices of random executions, against those made by brute force.
// The second half of them with indexes of short windows and blocks.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "slice_twin.h"
#include "vestige/dependences.h"
#include "vestige/slice.h"

using namespace vestige;

namespace {

// Members shown one by one are those of the list.
bool same_one_by_one(const Trace& trace, const SliceOptions& options, const Slice& listed) {
  const auto same = [](const SliceInstance& a, const SliceInstance& b) {
    return a.statement == b.statement && a.thread == b.thread && a.time == b.time &&
           a.instance == b.instance && a.value == b.value && a.address == b.address &&
           a.depth == b.depth && a.reason == b.reason && a.ends == b.ends &&
           a.reason_address == b.reason_address;
  };
  size_t next = 0;
  bool all = true;
  const auto shown =
      slice_each(trace, options,
                 [&](const Slice& whole, const SliceInstance& member, const SliceInstance* of) {
                   all = all && whole.count == listed.count && next < listed.instances.size();
                   if (!all) return false;
                   const SliceInstance& expected = listed.instances[next++];
                   all = same(member, expected) && (of != nullptr) == (expected.of != kNone) &&
                         (!of || same(*of, listed.instances[expected.of]));
                   return all;
                 });
  return shown && all && next == listed.instances.size() && shown->instances.empty();
}

// Whether they are the same; says where not.
bool same(const Trace& trace, const SliceTwin& twin, uint32_t execution, SliceOptions options,
          uint64_t& members) {
  const SliceTwin::Execution& criterion = twin.executions()[execution];
  uint64_t instance = 0;
  for (uint32_t i = 0; i <= execution; ++i)
    instance += twin.executions()[i].statement == criterion.statement &&
                twin.executions()[i].thread == criterion.thread;
  options.thread = criterion.thread;
  options.statement = criterion.statement;
  options.instance = instance;
  const auto expected = options.forward
                            ? twin.forward(execution, options.data_only, options.depth)
                            : twin.backward(execution, options.data_only, options.depth);
  members += expected.size();
  const auto found = slice(trace, options);
  if (!found) {
    std::printf("%s\n", found.error().message.c_str());
    return false;
  }
  const auto complain = [&](const char* what, StatementRef statement, uint64_t time) {
    std::printf("%s%s slice of %s@%llu, depth %u: %s %s at time %llu\n",
                options.data_only ? "data " : "", options.forward ? "forward" : "backward",
                statement_name(trace, criterion.statement).c_str(),
                static_cast<unsigned long long>(instance), options.depth, what,
                statement_name(trace, statement).c_str(), static_cast<unsigned long long>(time));
    return false;
  };
  if (options.instances && !same_one_by_one(trace, options, *found))
    return complain("is shown otherwise than it is listed from", criterion.statement, 0);
  std::map<std::tuple<uint32_t, uint64_t, uint64_t>, uint32_t> wanted;
  std::map<uint64_t, uint64_t> counts;
  for (const auto& [member, depth] : expected) {
    const SliceTwin::Execution& e = twin.executions()[member];
    wanted[{e.thread, e.time, statement_id(trace, e.statement)}] = depth;
    ++counts[statement_id(trace, e.statement)];
  }
  if (options.instances) {
    for (const SliceInstance& member : found->instances) {
      const auto at =
          wanted.find({member.thread, member.time, statement_id(trace, member.statement)});
      if (at == wanted.end()) return complain("has too much", member.statement, member.time);
      if (at->second != member.depth)
        return complain("has a wrong depth", member.statement, member.time);
      if (member.instance == 0) return complain("no number", member.statement, member.time);
      wanted.erase(at);
    }
    for (const auto& [key, depth] : wanted)
      return complain("lacks", *statement_by_id(trace, std::get<2>(key)), std::get<1>(key));
  }
  if (found->count != expected.size() || found->statements.size() != counts.size())
    return complain("counts wrongly", criterion.statement, criterion.time);
  for (const SliceStatement& s : found->statements)
    if (counts[statement_id(trace, s.statement)] != s.instances)
      return complain("counts wrongly", s.statement, 0);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto trace = Trace::open(argv[1]);
  if (!trace) {
    std::printf("%s\n", trace.error().message.c_str());
    return 1;
  }
  const auto twin = SliceTwin::make(*trace);
  if (!twin) {
    std::printf("%s\n", twin.error().message.c_str());
    return 1;
  }
  std::mt19937_64 random(std::strtoull(argv[3], nullptr, 10));
  const int criteria = std::atoi(argv[2]);
  uint64_t members = 0;
  int wrong = 0;
  for (int i = 0; i < criteria; ++i) {
    if (i == criteria / 2 &&
        !(build_index(*trace, {{}, 500, 7}) && build_dependences(*trace, {{}, 500, 7}))) {
      std::printf("no index\n");
      return 1;
    }
    const auto execution = static_cast<uint32_t>(random() % twin->executions().size());
    SliceOptions options;
    options.forward = i % 2 == 1;
    options.data_only = i % 3 == 1;
    options.instances = i % 7 != 3;
    if (i % 5 == 2) options.depth = static_cast<uint32_t>(random() % 20);
    wrong += !same(*trace, *twin, execution, options, members);
    if (wrong >= 10) break;
  }
  std::printf(
      "%d criteria, %zu executions, %.0f members on average, %zu endless functions, %llu blocks "
      "decided by rounds\n",
      criteria, twin->executions().size(), double(members) / criteria, twin->endless_functions(),
      static_cast<unsigned long long>(twin->decided_by_rounds()));
  return wrong != 0;
}
