// check_representations TRACE FOLDER: writes the trace as cor, dor and cdr and compares what they
// say with the trace itself: paths, places of synchronization operations, accesses to shared memory
// in order, addresses of each load and store.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "query/rows/reference_source.h"
#include "trace/state.h"
#include "vestige/represent.h"
#include "vestige/sync.h"
#include "vestige/values.h"

using namespace vestige;

namespace {

int problems = 0;

void complain(const std::string& what) {
  if (++problems <= 20) std::printf("%s\n", what.c_str());
}

template <class T>
T need(Result<T> result, const char* what) {
  if (result) return std::move(*result);
  std::printf("%s: %s\n", what, result.error().message.c_str());
  std::exit(1);
}

struct Access {
  uint64_t time, statement, address;
  bool write;
};

// By thread, all of them.
std::vector<std::vector<Access>> read_accesses(const Trace& trace) {
  std::vector<std::vector<Access>> all(trace.threads().size());
  auto source = need(ReferenceSource::open(trace), "references");
  std::vector<TimedReference> piece;
  for (const uint32_t thread : source.threads()) {
    (void)source.seek(thread, 0);
    while (source.read(piece) && !piece.empty())
      for (const auto& [time, reference] : piece) {
        if (reference.kind != Reference::Kind::write)
          all[thread].push_back({time, reference.statement_id, reference.address, false});
        if (reference.kind != Reference::Kind::read)
          all[thread].push_back({time, reference.statement_id, reference.address, true});
      }
  }
  return all;
}

std::vector<uint64_t> sync_times(const Trace& trace, uint32_t thread) {
  std::vector<uint64_t> times;
  auto cursor = need(SyncCursor::open(trace, thread), "sync");
  while (cursor.next()) times.push_back(cursor.operation().time);
  return times;
}

void compare_control(const Trace& trace, const Trace& other, const char* name) {
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    auto a = need(trace.walk(thread), "walk"), b = need(other.walk(thread), "walk");
    while (true) {
      const bool more = a.next(), same = b.next() == more;
      if (!same || (more && (a.time() != b.time() || a.path().id != b.path().id))) {
        complain(std::string(name) + ": other paths in thread " + std::to_string(thread));
        break;
      }
      if (!more) break;
    }
    const auto times = sync_times(trace, thread);
    for (uint64_t m = 1; m <= times.size(); ++m)
      if (need(time_of_sync(other, thread, m), "time_of_sync") != times[m - 1])
        complain(std::string(name) + ": operation " + std::to_string(m) + " is elsewhere");
    if (time_of_sync(other, thread, times.size() + 1) || time_of_sync(other, thread, 0))
      complain(std::string(name) + ": there is an operation too many");
    const uint64_t paths = trace.threads()[thread].paths;
    for (uint64_t time = 1; time <= paths; time += 1 + paths / 997) {
      const auto before =
          static_cast<uint64_t>(std::ranges::count_if(times, [&](uint64_t t) { return t < time; }));
      if (need(syncs_before(other, thread, time), "syncs_before") != before)
        complain(std::string(name) + ": wrong count before time " + std::to_string(time));
    }
  }
}

// The same question the plain way: pages by thread. What library functions read and wrote is no
// access of its own, but it touches pages, too.
std::set<uint64_t> shared_pages(const Trace& trace, const std::vector<std::vector<Access>>& all,
                                size_t threads) {
  std::map<uint64_t, std::set<uint32_t>> by;
  std::set<uint64_t> shared;
  for (uint32_t thread = 0; thread < all.size(); ++thread)
    for (const Access& access : all[thread]) by[access.address >> 12].insert(thread);
  (void)read_library_ranges(trace, std::nullopt, [&](const LibraryAccess& access) {
    for (const auto& address : {access.address, access.source})
      for (uint64_t at = 0; address && at < access.bytes.value_or(0); ++at)
        by[(*address + at) >> 12].insert(access.thread);
    return true;
  });
  for (const auto& [page, touched] : by)
    if (touched.size() > 1 || threads < 2) shared.insert(page);
  return shared;
}

// What a cdr says of strides, against what the recording says that evaluates every address. Of
// those that are loads or stores alone: a copy has two addresses, and the recording tells one.
uint64_t compare_summaries(const Trace& trace, const Trace& cdr, uint32_t thread) {
  std::map<uint64_t, int> kinds;
  std::set<uint64_t> ids;
  for (const AddressPattern& pattern : need(address_patterns(cdr, thread), "cdr"))
    ++kinds[pattern.statement_id];
  std::vector<StatementRef> refs;
  for (uint32_t f = 0; f < trace.functions().size(); ++f)
    for (uint32_t s = 0; s < trace.functions()[f].statements.size(); ++s) {
      const uint64_t id = trace.functions()[f].first_statement + s;
      const auto found = kinds.find(id);
      if (found == kinds.end() || found->second != 1) continue;
      refs.push_back({f, s});
      ids.insert(id);
    }
  const auto expected =
      need(fold_addresses(trace, refs, thread, [](const AddressRun&) { return true; }), "runs");
  const auto found = need(summarize_patterns(cdr, ids, thread), "summaries");
  if (found.size() != expected.size()) complain("cdr: summaries of other statements");
  uint64_t compared = 0;
  for (size_t i = 0; i < found.size() && i < expected.size(); ++i) {
    const PatternSummary& a = found[i];
    const RunSummary& b = expected[i];
    compared += b.stride_count;
    if (a.statement_id != statement_id(trace, b.statement) || a.accesses != b.accesses ||
        a.stride != b.stride || a.stride_count != b.stride_count || a.runs < b.runs ||
        a.statements_between != b.statements_between || a.prefetch_distance != b.prefetch_distance)
      complain("cdr: #" + std::to_string(a.statement_id) + " has another summary");
  }
  return compared;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const Trace trace = need(Trace::open(argv[1]), "trace");
  const auto file = [&](const char* name) { return std::string(argv[2]) + "/" + name + ".vst"; };
  for (const auto& [as, name] : {std::pair{Representation::cor, "cor"},
                                 {Representation::dor, "dor"},
                                 {Representation::cdr, "cdr"}})
    need(represent(trace, as, file(name)), name);
  const Trace cor = need(Trace::open(file("cor")), "cor"),
              dor = need(Trace::open(file("dor")), "dor"),
              cdr = need(Trace::open(file("cdr")), "cdr");
  compare_control(trace, cor, "cor");
  compare_control(trace, cdr, "cdr");

  const auto all = read_accesses(trace);
  size_t told = 0;
  for (const auto& accesses : all) told += !accesses.empty();
  const auto shared = shared_pages(trace, all, told);
  uint64_t compared = 0, strides = 0;
  for (uint32_t thread = 0; thread < all.size(); ++thread) {
    auto in_order = need(SharedAccessCursor::open(dor, thread), "dor");
    const auto times = sync_times(trace, thread);
    size_t next_sync = 0;
    const auto expect = [&](bool sync, uint64_t address, bool write) {
      ++compared;
      const SharedAccess& got = in_order.access();
      if (!in_order.next() || got.sync != sync ||
          (!sync && (got.address != address || got.write != write)))
        complain("dor: thread " + std::to_string(thread) + " differs");
    };
    std::map<std::pair<uint64_t, bool>, std::vector<uint64_t>> each;
    std::set<std::pair<uint64_t, bool>> kept;
    for (const Access& access : all[thread]) {
      while (next_sync < times.size() && times[next_sync] < access.time)
        ++next_sync, expect(true, 0, false);
      each[{access.statement, access.write}].push_back(access.address);
      if (!shared.contains(access.address >> 12)) continue;
      kept.insert({access.statement, access.write});
      expect(false, access.address, access.write);
    }
    if (all[thread].empty()) continue;
    while (next_sync < times.size()) ++next_sync, expect(true, 0, false);
    if (in_order.next()) complain("dor: thread " + std::to_string(thread) + " has too much");
    for (uint64_t m = 0; m <= times.size(); ++m)
      if (!in_order.seek_sync(m)) complain("dor: operation " + std::to_string(m) + " is not found");
    if (in_order.seek_sync(times.size() + 1)) complain("dor: there is an operation too many");

    strides += compare_summaries(trace, cdr, thread);
    std::erase_if(each, [&](const auto& entry) { return !kept.contains(entry.first); });
    const auto patterns = need(address_patterns(cdr, thread), "cdr");
    if (patterns.size() != each.size())
      complain("cdr: thread " + std::to_string(thread) + " has other statements");
    for (const AddressPattern& pattern : patterns) {
      const auto& want = each[{pattern.statement_id, pattern.write}];
      std::vector<uint64_t> addresses;
      (void)read_pattern(cdr, thread, pattern, [&](const PatternRun& run) {
        for (uint64_t i = 0; i < run.count; ++i) addresses.push_back(run.start + i * run.stride);
        return addresses.size() <= want.size();
      });
      compared += want.size();
      if (addresses != want || pattern.count != want.size())
        complain("cdr: #" + std::to_string(pattern.statement_id) + " has other addresses");
    }
  }
  std::printf("%llu accesses and %llu strides compared, %d problems\n",
              static_cast<unsigned long long>(compared), static_cast<unsigned long long>(strides),
              problems);
  return problems != 0 || compared == 0;
}
