// check_wet TRACE FOLDER CRITERIA SEED: writes the trace as a whole execution trace, once whole and
// once in small segments, and asks both files what the recording is asked: paths forwards,
// backwards and from random places; every value, address and part; slices of random executions,
// with all that is known of each member. The answers must be equal.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "query/wet/value_field.h"
#include "vestige/dependences.h"
#include "vestige/query.h"
#include "vestige/slice.h"
#include "vestige/values.h"
#include "vestige/wet.h"

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

std::string at(uint32_t thread, uint64_t time) {
  return " at " + std::to_string(thread) + ":" + std::to_string(time);
}

void compare_paths(const Trace& trace, const Trace& wet, std::mt19937_64& random) {
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    if (trace.threads()[thread].paths != wet.threads()[thread].paths)
      complain("other numbers of paths in thread " + std::to_string(thread));
    auto a = need(trace.walk(thread), "walk"), b = need(wet.walk(thread), "walk");
    const auto step = [&](bool back) {
      const bool more = back ? a.prev() : a.next(), same = (back ? b.prev() : b.next()) == more;
      if (!same || (more && (a.time() != b.time() || a.path().id != b.path().id))) {
        complain("other paths" + at(thread, a.time()));
        return false;
      }
      return more;
    };
    while (step(false)) {
    }
    a.to_end();
    b.to_end();
    while (step(true)) {
    }
    for (int i = 0; i < 50 && trace.threads()[thread].paths > 0; ++i) {
      const uint64_t time = a.end_time() > 1 ? 1 + random() % a.end_time() : 1;
      const bool found = a.seek(time);
      if (b.seek(time) != found) complain("another seek" + at(thread, time));
      for (int k = 0; found && k < 20; ++k)
        if (!step(random() % 2 == 0)) break;
    }
    for (const uint64_t time :
         {uint64_t{0}, trace.threads()[thread].paths / 2, trace.threads()[thread].paths}) {
      const auto x = trace.stack(thread, time), y = wet.stack(thread, time);
      bool same = x.has_value() == y.has_value() && (!x || x->size() == y->size());
      for (size_t i = 0; same && x && i < x->size(); ++i)
        same = (*x)[i].path == (*y)[i].path && (*x)[i].time == (*y)[i].time;
      if (!same) complain("another stack" + at(thread, time));
    }
  }
}

uint64_t compare_rows(const Trace& trace, const Trace& wet,
                      const std::vector<StatementRef>& statements, uint64_t from) {
  uint64_t rows = 0;
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    if (need(has_values(trace, thread), "values") != need(has_values(wet, thread), "values")) {
      complain("values of thread " + std::to_string(thread));
      continue;
    }
    if (!need(has_values(trace, thread), "values")) continue;
    HistoryOptions options;
    options.statements = statements;
    options.thread = thread;
    options.from = from;
    auto a = need(HistoryCursor::open(trace, options), "history"),
         b = need(HistoryCursor::open(wet, options), "history");
    while (true) {
      const HistoryRow *x = a.next(), *y = b.next();
      if (!x && !y) break;
      const bool same = x && y && x->statement == y->statement && x->time == y->time &&
                        x->instance == y->instance && x->value == y->value &&
                        x->address == y->address && x->source == y->source &&
                        static_cast<bool>(x->wide) == static_cast<bool>(y->wide) &&
                        (!x->wide || *x->wide == *y->wide);
      if (!same) {
        complain("another row of " + (x ? statement_name(trace, x->statement) : "nothing") +
                 at(thread, x ? x->time : 0) + (b.error() ? ": " + b.error()->message : ""));
        break;
      }
      ++rows;
    }
  }
  return rows;
}

// What read_columns gives of all loads, all in one: the pieces may be cut elsewhere.
struct Columns {
  std::vector<uint64_t> values, addresses, times;
  std::vector<uint32_t> ids;
  bool operator==(const Columns&) const = default;
};
Columns columns_of(const Trace& trace) {
  ColumnOptions options;
  options.statements = all_loads(trace);
  options.values = options.addresses = options.statement_ids = options.times = true;
  Columns all;
  const auto read = read_columns(trace, options, [&](const ColumnPiece& piece) {
    const auto add = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    add(all.values, piece.values);
    add(all.addresses, piece.addresses);
    add(all.times, piece.times);
    add(all.ids, piece.statement_ids);
    return true;
  });
  if (!read) complain("columns: " + read.error().message);
  return all;
}

bool same_members(const Trace& trace, const Slice& a, const Slice& b, const std::string& name) {
  const auto wrong = [&](const std::string& what) {
    complain(name + ": " + what);
    return false;
  };
  if (a.count != b.count)
    return wrong(std::to_string(b.count) + " members instead of " + std::to_string(a.count));
  if (a.unresolved != b.unresolved) return wrong("other ends");
  for (size_t i = 0; i < a.statements.size(); ++i)
    if (a.statements[i].statement != b.statements[i].statement ||
        a.statements[i].instances != b.statements[i].instances)
      return wrong("other statements");
  if (a.instances.size() != b.instances.size()) return wrong("other lists");
  for (size_t i = 0; i < a.instances.size(); ++i) {
    const SliceInstance &x = a.instances[i], &y = b.instances[i];
    const bool same = x.statement == y.statement && x.thread == y.thread && x.time == y.time &&
                      x.instance == y.instance && x.value == y.value && x.address == y.address &&
                      x.depth == y.depth && x.reason == y.reason && x.of == y.of &&
                      x.ends == y.ends && x.reason_address == y.reason_address;
    if (!same) {
      const auto text = [](const SliceInstance& m) {
        return std::to_string(m.instance) + " value " +
               (m.value ? std::to_string(*m.value) : "none") + " address " +
               (m.address ? std::to_string(*m.address) : "none") + " depth " +
               std::to_string(m.depth) + " " + std::string(reason_name(m.reason)) + " of " +
               std::to_string(m.of) + " at " + std::to_string(m.reason_address) + " ends " +
               std::to_string(m.ends);
      };
      return wrong("another member " + statement_name(trace, x.statement) + at(x.thread, x.time) +
                   ": " + text(x) + ", " + text(y));
    }
  }
  return true;
}

// Of random executions.
uint64_t compare_slices(const Trace& trace, const Trace& wet, int criteria,
                        std::mt19937_64& random) {
  Slicer a = need(Slicer::open(trace), "slices"), b = need(Slicer::open(wet), "slices of the WET");
  std::vector<std::pair<uint32_t, uint64_t>> places;  // thread, time
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread)
    if (need(has_values(trace, thread), "values"))
      places.emplace_back(thread, trace.threads()[thread].paths);
  uint64_t members = 0;
  for (int i = 0; i < criteria && problems < 5; ++i) {
    const auto [thread, paths] = places[random() % places.size()];
    auto cursor = need(trace.walk(thread), "walk");
    if (paths == 0 || !cursor.seek(trace.threads()[thread].first_time + random() % paths)) continue;
    const Function& function = trace.functions()[cursor.path().function];
    const Segment& segment =
        function.segments[cursor.path().segments[random() % cursor.path().segments.size()]];
    if (segment.statement_count == 0) continue;
    SliceOptions options;
    options.thread = thread;
    options.statement = {
        cursor.path().function,
        segment.first_statement + static_cast<uint32_t>(random() % segment.statement_count)};
    if (random() % 3 == 0) {
      // How often it ran until then.
      uint64_t instance = 1;
      const uint64_t time = cursor.time();
      for (cursor.to_start(); cursor.next() && cursor.time() < time;)
        for (const uint32_t s : cursor.path().segments) {
          const Segment& of = trace.functions()[cursor.path().function].segments[s];
          instance += cursor.path().function == options.statement.function &&
                      options.statement.statement >= of.first_statement &&
                      options.statement.statement < of.first_statement + of.statement_count;
        }
      options.instance = instance;
    }
    options.forward = i % 2 == 1;
    options.data_only = i % 3 == 1;
    options.instances = i % 7 != 3;
    if (i % 5 == 2) options.depth = static_cast<uint32_t>(random() % 20);
    const auto x = a.slice(options), y = b.slice(options);
    const std::string name = std::string(options.forward ? "forward" : "backward") + " slice of " +
                             statement_name(trace, options.statement) + "@" +
                             (options.instance ? std::to_string(*options.instance) : "last");
    if (x.has_value() != y.has_value()) {
      complain(name + ": " +
               (x ? y.error().message : "only the recording has none: " + x.error().message));
      continue;
    }
    if (!x) continue;
    same_members(trace, *x, *y, name);
    members += x->count;
  }
  return members;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const Trace trace = need(Trace::open(argv[1]), "trace");
  std::mt19937_64 random(std::strtoull(argv[4], nullptr, 10));
  const int criteria = std::atoi(argv[3]);
  uint64_t rows = 0, members = 0, segments = 0;
  for (const bool small : {false, true}) {
    const std::string file = std::string(argv[2]) + (small ? "/small.vst" : "/whole.vst");
    WetOptions options;
    if (small) {
      // Segments end where blocks of dependences do.
      (void)build_index(trace, {{}, 500, 7});
      (void)build_dependences(trace, {{}, 500, 7});
      options.most_paths = 1 + trace.counts()->paths / 7;
    }
    const WetReport report = need(write_wet(trace, file, options), "WET");
    segments += report.segments;
    const Trace wet = need(Trace::open(file), "opening the WET");
    if (!is_wet(wet) || is_wet(trace)) complain("what is one is not known");
    if (report.paths != trace.counts()->paths || report.statements != trace.counts()->statements)
      complain("other counts");
    if (wet.counts()->statements != trace.counts()->statements)
      complain("other counts in the file");
    const WetCheck check = need(check_wet(wet), "checking the WET");
    for (const std::string& problem : check.problems) complain(problem);
    compare_paths(trace, wet, random);
    const std::vector<StatementRef> all = all_kept(trace);
    rows += compare_rows(trace, wet, all, 1);
    if (columns_of(trace) != columns_of(wet)) complain("other columns of loads");
    for (int i = 0; i < 20 && !all.empty(); ++i)
      rows += compare_rows(trace, wet, {all[random() % all.size()]}, i % 2 ? 1 : 1 + random() % 50);
    members += compare_slices(trace, wet, criteria, random);
  }
  std::printf("%llu segments, %llu rows, %llu members of slices compared, %d problems\n",
              static_cast<unsigned long long>(segments), static_cast<unsigned long long>(rows),
              static_cast<unsigned long long>(members), problems);
  return problems != 0 || rows == 0 || members == 0;
}
