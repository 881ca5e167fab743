#include "query/races/access_runs.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <tuple>

#include "base/check.h"
#include "program/library.h"
#include "query/races/kept_runs.h"
#include "query/races/segment_runs.h"
#include "query/represent/kept_streams.h"
#include "query/rows/statement_set.h"
#include "trace/parallel.h"
#include "vestige/values.h"

namespace vestige::races {

namespace {

constexpr uint64_t kSomePaths = 1 << 16;
constexpr uint64_t kLongestAccess = uint64_t{1} << 28;

// What a statement's accesses have in common.
struct AccessShape {
  uint32_t bytes = 0;
  bool writes = false;
  bool moves = false;     // memcpy, memmove: reads its source too
  bool measured = false;  // the run tells how many bytes
};

AccessShape shape_of(const Function& function, uint32_t index) {
  const Statement& statement = function.statements[index];
  AccessShape shape;
  shape.bytes = access_bytes(function, index);
  shape.writes = statement.op != Op::load;
  if (statement.op == Op::call) {
    shape.measured = true;
    shape.moves = !function.symbols[statement.callee].starts_with("llvm.memset");
  }
  return shape;
}

bool is_atomic_access(const Statement& statement) {
  if (statement.op == Op::cmpxchg || statement.op == Op::atomic_rmw) return true;
  return (statement.op == Op::load || statement.op == Op::store) &&
         statement.attributes.size() > 3 && statement.attributes[3] != 0;
}

// The statements that access memory and are not atomic; those are told apart, by the operations.
struct Plain {
  explicit Plain(const Trace& trace) {
    std::vector<StatementRef> statements = all_addresses(trace);
    std::erase_if(statements, [&](const StatementRef& ref) {
      return is_atomic_access(trace.functions()[ref.function].statements[ref.statement]);
    });
    const StatementSet set(trace, statements);
    bits = set.bits();
    shapes.resize(bits.size());
    for (const StatementRef& ref : statements)
      shapes[statement_id(trace, ref)] = shape_of(trace.functions()[ref.function], ref.statement);
    for (const Function& function : trace.functions()) first.push_back(function.first_statement);
  }
  std::vector<bool> bits;           // by #ID
  std::vector<AccessShape> shapes;  // by #ID
  std::vector<uint32_t> first;      // by function: #ID of its first statement
};

// Sees one window of a thread after another, of any thread: times of one say nothing of the next.
class RunCollector final : public EvaluationObserver {
 public:
  explicit RunCollector(const Plain& plain) : plain_(plain), segment_runs_(plain.bits.size()) {}
  RunCollector(const RunCollector&) = delete;
  RunCollector& operator=(const RunCollector&) = delete;

  void begin(const ThreadOrder& order, uint64_t time) {
    order_ = &order;
    segment_ = order.piece_of(time);
    until_ = order.pieces[segment_].last_time;
    // Another thread's may have had the same time.
    last_.clear();
    last_time_ = 0;
  }
  AccessLog* access_log() override { return &log_; }
  void drain() override {
    for (const AccessLog::Entry* entry = entries_.data(); entry != log_.next; ++entry)
      access(*entry);
    const AccessLog::Entry* last = log_.next;
    while (last != entries_.data() && last[-1].time == log_.next[-1].time) --last;
    for (; last != log_.next; ++last) {
      const uint32_t id = plain_.first[last->function] + last->statement;
      remember(last->time,
               {2 * id + plain_.shapes[id].writes, last->address, plain_.shapes[id].bytes});
    }
    log_.next = entries_.data();
  }
  bool goes_round() const override { return true; }
  uint64_t rounds_until(uint64_t time) override {
    if (time > until_) drain();
    return until_;
  }
  void go_round(uint64_t rounds, std::span<const uint64_t> steps) override {
    drain();
    VESTIGE_CHECK(steps.empty() || steps.size() == last_.size());
    for (size_t i = 0; i < std::min(steps.size(), last_.size()); ++i) {
      const auto [slot, address, bytes] = last_[i];
      if (bytes != 0 && bytes <= kLongestAccess &&
          stays_far_from_limits(address, steps[i], rounds)) {
        accesses_ += rounds;
        segment_runs_.add_run(slot, address + steps[i], steps[i], rounds, bytes, last_time_ + 1);
        continue;
      }
      for (uint64_t round = 1; round <= rounds; ++round)
        add(true, slot, address + round * steps[i], bytes, last_time_ + round);
    }
  }
  void see(const Observation& row) override {
    drain();
    if (row.time > until_) [[unlikely]]
      next_segment(row.time);
    const uint32_t id = plain_.first[row.function] + row.statement;
    const AccessShape shape = plain_.shapes[id];
    const uint64_t bytes = shape.measured ? row.length : shape.bytes;
    if (shape.measured && row.has_length && bytes == 0) return;
    if (shape.moves) add(row.has_source, 2 * id, row.source, bytes, row.time);
    add(row.has_address, 2 * id + shape.writes, row.address, bytes, row.time);
    remember(row.time, {2 * id + shape.writes, row.address, bytes});
  }
  // Reads lie where the call was made: what it gives to others comes behind them. Writes lie where
  // it came back: what it took from others, its memory included, comes before. Of one that ran
  // recorded code meanwhile, all lies there.
  void transfer(const Transfer& seen) override {
    drain();
    const bool at_once = seen.time == seen.call_time + 1;
    const uint32_t slot = 2 * (plain_.first[seen.function] + seen.statement);
    const uint64_t bytes = seen.has_length ? seen.length : 0;
    if (seen.kind == LibraryRange::Kind::copy || seen.kind == LibraryRange::Kind::read)
      add_at(at_once ? seen.call_time : seen.time, seen.has_from, slot, seen.from, bytes,
             seen.call_time);
    if (seen.kind != LibraryRange::Kind::read)
      add_at(seen.time, seen.has_to, slot + 1, seen.to, bytes, seen.call_time);
  }
  void finish(ThreadRuns& into) {
    drain();
    segment_runs_.finish(segment_, into.runs);
    into.accesses += std::exchange(accesses_, 0);
    into.unknown += std::exchange(unknown_, 0);
    into.runs.insert(into.runs.end(), done_.begin(), done_.end());
    done_.clear();
  }

 private:
  // An access of the last path, which rounds go on with.
  struct Last {
    uint32_t slot;
    uint64_t address, bytes;
  };
  // An access that wraps around, or is that long, is of no program.
  static bool is_sound(bool known, uint64_t address, uint64_t bytes) {
    return known && bytes != 0 && bytes <= kLongestAccess && address + (bytes - 1) >= address;
  }
  static bool stays_far_from_limits(uint64_t address, uint64_t step, uint64_t rounds) {
    constexpr __int128 kFar = __int128{1} << 62;
    const __int128 end = __int128{address} + __int128{static_cast<int64_t>(step)} * rounds;
    return address < kFar && end >= 0 && end < kFar;
  }
  void remember(uint64_t time, const Last& last) {
    if (time != last_time_) last_.clear();
    last_time_ = time;
    last_.push_back(last);
  }
  void access(const AccessLog::Entry& entry) {
    if (entry.time > until_) [[unlikely]]
      next_segment(entry.time);
    const uint32_t id = plain_.first[entry.function] + entry.statement;
    const AccessShape shape = plain_.shapes[id];
    if (shape.bytes == 0 || entry.address + (shape.bytes - 1) < entry.address) [[unlikely]]
      return add(true, 2 * id + shape.writes, entry.address, shape.bytes, entry.time);
    ++accesses_;
    segment_runs_.add(2 * id + shape.writes, entry.address, shape.bytes, entry.time);
  }
  [[gnu::noinline]] void add(bool known, uint32_t slot, uint64_t address, uint64_t bytes,
                             uint64_t time) {
    ++accesses_;
    if (!is_sound(known, address, bytes)) {
      ++unknown_;
      return;
    }
    segment_runs_.add(slot, address, bytes, time);
  }
  // In the segment of `at`, which may be over.
  void add_at(uint64_t at, bool known, uint32_t slot, uint64_t address, uint64_t bytes,
              uint64_t time) {
    if (at > until_) next_segment(at);
    const uint32_t segment = order_->piece_of(at);
    if (segment == segment_ || !is_sound(known, address, bytes))
      return add(known, slot, address, bytes, time);
    ++accesses_;
    done_.push_back(
        {{slot / 2, slot % 2 != 0, false}, {address, 0, 1, bytes}, segment, 0, 1, time, time});
  }
  [[gnu::noinline]] void next_segment(uint64_t time) {
    segment_runs_.finish(segment_, done_);
    segment_ = order_->piece_of(time);
    until_ = order_->pieces[segment_].last_time;
  }

  const Plain& plain_;
  const ThreadOrder* order_ = nullptr;
  uint32_t segment_ = 0;
  uint64_t until_ = 0;
  uint64_t accesses_ = 0, unknown_ = 0;
  std::vector<Last> last_;
  uint64_t last_time_ = 0;
  std::array<AccessLog::Entry, 1024> entries_;
  AccessLog log_{entries_.data(), entries_.data() + entries_.size()};
  SegmentRuns segment_runs_;
  std::vector<AccessRun> done_;
};

struct WindowTask {
  uint32_t thread = 0;
  size_t window = 0;
};

// One worker: its evaluation goes from window to window.
struct Bench {
  explicit Bench(const Plain& plain) : collector(plain) {}
  RunCollector collector;
  uint32_t thread = kNone;
  std::optional<WindowEvaluation> evaluation;
};

Result<void> evaluate(const Windows& windows, const Plain& plain, const HappensBefore& order,
                      Bench& bench, const WindowTask& task, ThreadRuns& into) {
  if (bench.thread == task.thread && bench.evaluation) {
    if (auto gone = windows.go_to(*bench.evaluation, task.window); !gone) return gone;
  } else {
    bench.evaluation.reset();
    auto evaluation = windows.begin(task.thread, task.window);
    if (!evaluation) return std::unexpected(std::move(evaluation.error()));
    bench.evaluation.emplace(std::move(*evaluation));
    bench.evaluation->evaluator().observe_only(bench.collector, plain.bits);
    bench.thread = task.thread;
  }
  bench.collector.begin(order.of(task.thread), windows.of(task.thread)[task.window].first_time);
  while (true) {
    const auto paths = bench.evaluation->run(kSomePaths);
    if (!paths) return std::unexpected(paths.error());
    if (*paths == 0) break;
  }
  bench.collector.finish(into);
  return {};
}

// The atomic accesses, from the operations: the path that an operation ends says which statement
// did it.
Result<void> read_atomics(const Trace& trace, uint32_t thread, const ThreadOrder& order,
                          ThreadRuns& into) {
  auto cursor = trace.walk(thread);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  for (const AtomicAccess& access : order.atomics) {
    if (!cursor->seek(access.time)) {
      if (cursor->error()) return std::unexpected(*cursor->error());
      continue;
    }
    const Path& path = cursor->path();
    const Function& function = trace.functions()[path.function];
    const vestige::Segment& last = function.segments[path.segments.back()];
    if (path.end != SegmentEnd::sync || last.statement_count == 0) continue;
    const uint32_t statement = last.first_statement + last.statement_count - 1;
    const uint64_t bytes = access_bytes(function, statement);
    if (bytes == 0 || access.address + (bytes - 1) < access.address) continue;
    ++into.accesses;
    AccessRun run;
    run.access = {function.first_statement + statement, access.stores, true};
    run.where = {access.address, 0, 1, bytes};
    run.segment = access.segment;
    run.first_time = run.last_time = access.time;
    into.runs.push_back(run);
  }
  return {};
}

// Some at a time. False: no more are wanted.
bool read_freed(uint32_t thread, const ThreadOrder& order,
                const std::function<bool(uint32_t, ThreadRuns&)>& use) {
  constexpr size_t kSome = 1 << 16;
  for (size_t first = 0; first < order.freed.size(); first += kSome) {
    ThreadRuns some;
    for (size_t i = first; i < std::min(order.freed.size(), first + kSome); ++i) {
      const Freeing& freed = order.freed[i];
      ++some.accesses;
      AccessRun run;
      run.access = {static_cast<uint32_t>(freed.statement_id), true, false};
      run.where = {freed.address, 0, 1, freed.bytes};
      run.segment = freed.piece;
      run.first_time = run.last_time = freed.time;
      some.runs.push_back(run);
    }
    if (!use(thread, some)) return false;
  }
  return true;
}

}  // namespace

Result<void> read_runs(const Trace& trace, const Windows* windows, const HappensBefore& order,
                       const std::function<bool(uint32_t, ThreadRuns&)>& use) {
  std::vector<bool> kept;
  if (!windows) {
    auto found = kept_threads(trace);
    if (!found) return std::unexpected(std::move(found.error()));
    kept = std::move(*found);
  }
  const auto threads = static_cast<uint32_t>(trace.threads().size());
  std::vector<uint32_t> in_process(trace.processes().size());
  // A handler runs in the thread that it interrupts, so the two do not race; its accesses are left
  // out.
  const auto counts = [&](uint32_t t) {
    return !trace.threads()[t].handler && (windows ? !windows->of(t).empty() : kept[t]);
  };
  for (uint32_t t = 0; t < threads; ++t) in_process[trace.threads()[t].process] += counts(t);
  for (uint32_t slot = threads; slot < order.strands(); ++slot) ++in_process[order.process(slot)];
  std::vector<WindowTask> tasks;
  for (uint32_t t = 0; t < threads; ++t) {
    if (!counts(t) || in_process[trace.threads()[t].process] < 2) continue;
    ThreadRuns atomics;
    if (auto read = read_atomics(trace, t, order.of(t), atomics); !read) return read;
    if (!use(t, atomics) || !read_freed(t, order.of(t), use)) return {};
    const size_t parts = windows ? windows->of(t).size() : 1;
    for (size_t window = 0; window < parts; ++window) tasks.push_back({t, window});
  }
  const Plain plain(trace);
  std::vector<std::unique_ptr<Bench>> benches(worker_count(tasks.size()));
  std::mutex mutex;
  std::optional<Error> error;
  run_parallel(tasks.size(), [&](size_t worker, size_t number) {
    Result<void> done;
    ThreadRuns found;
    try {
      if (!windows) {
        const uint32_t thread = tasks[number].thread;
        const auto more = read_kept_runs(trace, thread, order.of(thread), [&](ThreadRuns& some) {
          const std::lock_guard lock(mutex);
          return !error && use(thread, some);
        });
        if (more) return *more;
        done = std::unexpected(more.error());
      } else {
        if (!benches[worker]) benches[worker] = std::make_unique<Bench>(plain);
        done = evaluate(*windows, plain, order, *benches[worker], tasks[number], found);
      }
    } catch (const std::bad_alloc&) {
      done = fail(ErrorKind::io, trace.file() + ": there is not enough memory to evaluate it");
    }
    const std::lock_guard lock(mutex);
    if (!done) {
      if (!error) error = std::move(done.error());
      return false;
    }
    return use(tasks[number].thread, found);
  });
  if (error) return std::unexpected(std::move(*error));
  return {};
}

void find_own_users(const HappensBefore& order, uint32_t thread, const std::vector<AccessRun>& runs,
                    std::set<threads::TaskNumber>& users) {
  for (const AccessRun& run : runs)
    if (order.uses_own(thread, run.segment, run.where.start, run.where.last()))
      users.insert(order.task(thread, run.segment));
}

void find_rewrites(const HappensBefore& order, uint32_t process, uint32_t thread,
                   const std::vector<AccessRun>& runs, threads::RewriteFinder& rewrites) {
  if (rewrites.idle()) return;
  for (const AccessRun& run : runs) {
    if (!run.access.writes || run.access.atomic) continue;
    const Piece& piece = order.of(thread).pieces[run.segment];
    const Segment& segment = order.of(piece.strand).segments[piece.segment];
    rewrites.write(process, run.where.start, run.where.stride, run.where.count, run.where.bytes,
                   segment.first_stamp, segment.last_stamp);
  }
}

std::vector<ThreadRuns> by_strand(const HappensBefore& order, std::vector<ThreadRuns>&& threads) {
  std::vector<ThreadRuns> strands(order.strands());
  for (uint32_t t = 0; t < threads.size(); ++t) {
    strands[t].accesses = threads[t].accesses;
    strands[t].unknown = threads[t].unknown;
    std::vector<AccessRun> kept;
    for (AccessRun& run : threads[t].runs) {
      if (order.uses_own(t, run.segment, run.where.start, run.where.last())) continue;
      const Piece& piece = order.of(t).pieces[run.segment];
      run.segment = piece.segment;
      run.thread = t;
      (piece.strand == t ? kept : strands[piece.strand].runs).push_back(run);
    }
    // Tasks of other threads may have come here already.
    strands[t].runs.insert(strands[t].runs.end(), kept.begin(), kept.end());
    threads[t].runs = {};
  }
  return strands;
}

}  // namespace vestige::races
