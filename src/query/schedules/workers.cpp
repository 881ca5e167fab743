#include "query/schedules/workers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "query/order/sync_semantics.h"
#include "query/schedules/team_code.h"
#include "vestige/sync.h"

namespace vestige::schedules {

namespace {

constexpr size_t kDeepest = 64;          // frames of a place
constexpr size_t kMostRounds = 1 << 10;  // that are told apart
constexpr size_t kMostTakes = 1 << 20;   // of one thread, looked at

// A time that a thread took something.
struct Take {
  uint32_t place = 0, source = 0;  // FramePlaces
  std::vector<uint32_t> serials;   // of the activations: which ones they are
  uint64_t stamp = 0, time = 0;
};

// Numbers for places, and for what the source has there: the compiler makes copies.
class FramePlaces {
 public:
  explicit FramePlaces(const Trace& trace) : trace_(trace) {}

  uint32_t number(const RoundFrames& frames) {
    const auto [at, fresh] = numbers_.try_emplace(frames, static_cast<uint32_t>(all_.size()));
    if (fresh) all_.push_back(frames);
    return at->second;
  }
  uint32_t source(RoundFrames frames) {
    for (RoundFrame& frame : frames) frame.statement = first_copy(frame);
    return number(frames);
  }
  std::vector<RoundFrames> take_all() { return std::move(all_); }

 private:
  // The first statement of the function that is the same in the source.
  uint32_t first_copy(const RoundFrame& frame) const {
    const Function& function = trace_.functions()[frame.function];
    if (frame.statement >= function.statements.size()) return frame.statement;
    const Statement& one = function.statements[frame.statement];
    if (one.location == kNone) return frame.statement;
    const auto key = [&](const Statement& statement) {
      const Location& at = function.locations[statement.location];
      return std::tuple(at.file, at.line, at.column, at.scope, at.inlined_at, statement.op,
                        statement.callee);
    };
    for (uint32_t s = 0; s < frame.statement; ++s)
      if (function.statements[s].location != kNone && key(function.statements[s]) == key(one))
        return s;
    return frame.statement;
  }

  const Trace& trace_;
  std::map<RoundFrames, uint32_t> numbers_;
  std::vector<RoundFrames> all_;
};

bool takes(SyncKind kind) {
  switch (kind) {
    case SyncKind::mutex_lock:
    case SyncKind::spin_lock:
    case SyncKind::read_lock:
    case SyncKind::write_lock:
    case SyncKind::sem_wait:
    case SyncKind::descriptor_take:
    case SyncKind::atomic_load:
    case SyncKind::atomic_rmw:
    case SyncKind::atomic_cmpxchg:
      return true;
    default:
      return false;
  }
}

// The call, or the atomic operation, that a path ends with.
uint32_t end_of(const Function& function, const Path& path) {
  const vestige::Segment& last = function.segments[path.segments.back()];
  if (last.statement_count == 0) return kNone;
  uint32_t statement = last.first_statement + last.statement_count - 1;
  if (path.end == SegmentEnd::sync) return statement;
  while (statement > last.first_statement && call_of(function, statement) == Call::none)
    --statement;
  return statement;
}

// One thread, from its first path on.
class WorkerWalk {
 public:
  WorkerWalk(const Trace& trace, uint32_t thread, FramePlaces& places)
      : trace_(trace), thread_(thread), places_(places) {}

  Result<void> walk() {
    auto cursor = trace_.walk(thread_);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    auto operations = SyncCursor::open(trace_, thread_);
    if (!operations) return std::unexpected(std::move(operations.error()));
    bool more = operations->next();
    while (!over_ && cursor->next()) {
      if (lost_ = !step(cursor->path(), cursor->time()); lost_) break;
      for (; more && operations->operation().time <= cursor->time(); more = operations->next())
        operation(operations->operation());
    }
    if (cursor->error() != nullptr) return std::unexpected(*cursor->error());
    if (operations->error() != nullptr) return std::unexpected(*operations->error());
    return {};
  }

  uint32_t first_function() const { return first_; }
  bool stays() const { return !lost_ && !stack_.empty(); }
  // OpenMP has threads of its own.
  bool of_team() const { return of_team_; }
  std::vector<Take> take_takes() { return std::move(taken_); }
  std::vector<uint64_t> take_asked() { return std::move(asked_); }

 private:
  struct Activation {
    RoundFrame at;
    uint32_t serial = 0;
  };

  // False: its stack cannot be followed any more.
  bool step(const Path& path, uint64_t time) {
    if (path.enters) stack_.push_back({{path.function, kNone}, ++serials_});
    if (first_ == kNone) first_ = path.function;
    if (stack_.empty() || stack_.back().at.function != path.function) return false;
    const Function& function = trace_.functions()[path.function];
    stack_.back().at.statement = end_of(function, path);
    const bool calls = path.end == SegmentEnd::call || path.end == SegmentEnd::tail_call;
    if (calls && call_of(function, stack_.back().at.statement) == Call::asks_thread)
      asked_.push_back(time);
    if (path.leaves) stack_.pop_back();
    return true;
  }

  void operation(const SyncOperation& op) {
    if (op.kind == SyncKind::omp_give || op.kind == SyncKind::omp_take) of_team_ = over_ = true;
    if (op.kind == SyncKind::refused) {
      held_ = before_;
      if (!taken_.empty() && taken_.back().stamp == last_) taken_.pop_back();
      return;
    }
    before_ = held_;
    last_ = op.stamp;
    if (takes(op.kind) && held_ == 0 && stack_.size() <= kDeepest && taken_.size() < kMostTakes)
      take(op);
    switch (order::lock_use(op.kind)) {
      case order::LockUse::take:
      case order::LockUse::take_shared:
        ++held_;
        return;
      case order::LockUse::give:
      case order::LockUse::give_any:
        if (held_ > 0) --held_;
        return;
      case order::LockUse::none:
        return;
    }
  }

  void take(const SyncOperation& op) {
    RoundFrames frames;
    Take& take = taken_.emplace_back();
    for (const Activation& one : stack_) {
      frames.push_back(one.at);
      take.serials.push_back(one.serial);
    }
    take.place = places_.number(frames);
    take.source = places_.source(std::move(frames));
    take.stamp = op.stamp;
    take.time = op.time;
  }

  const Trace& trace_;
  const uint32_t thread_;
  FramePlaces& places_;
  std::vector<Activation> stack_;
  std::vector<Take> taken_;
  std::vector<uint64_t> asked_;
  uint32_t first_ = kNone, serials_ = 0;
  uint64_t held_ = 0, before_ = 0, last_ = 0;
  bool of_team_ = false, over_ = false, lost_ = false;
};

struct Candidate {
  uint32_t thread = 0;
  bool stays = false;  // in its loop, up to the end of the recording
  std::vector<Take> takes;
};

// Where the rounds of such threads begin: the place that one of them comes to for the longest time;
// kNone: there is none that two of them come to.
uint32_t place_of_rounds(const std::vector<Candidate>& threads) {
  struct Stretch {
    uint64_t threads = 0, longest = 0, first = UINT64_MAX;
  };
  std::map<uint32_t, Stretch> places;
  for (const Candidate& one : threads) {
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> mine;
    for (const Take& take : one.takes) mine.try_emplace(take.source, take.time, 0);
    for (const Take& take : one.takes) mine[take.source].second = take.time;
    for (const auto& [place, times] : mine) {
      Stretch& stretch = places[place];
      ++stretch.threads;
      stretch.longest = std::max(stretch.longest, times.second - times.first);
      stretch.first = std::min(stretch.first, times.first);
    }
  }
  uint32_t best = kNone;
  for (const auto& [place, stretch] : places) {
    if (stretch.threads < 2 || stretch.longest == 0) continue;
    const auto rank = [](const Stretch& one) { return std::pair(one.longest, ~one.first); };
    if (best == kNone || rank(stretch) > rank(places[best])) best = place;
  }
  return best;
}

// How many activations stay from each round to the next.
size_t that_stay(const Candidate& one, uint32_t place, size_t most) {
  const Take* before = nullptr;
  for (const Take& take : one.takes) {
    if (take.source != place) continue;
    if (before != nullptr) {
      const auto differ = std::ranges::mismatch(before->serials, take.serials);
      most = std::min(most, static_cast<size_t>(differ.in1 - before->serials.begin()));
    }
    before = &take;
  }
  return most;
}

void add_pool(const std::vector<Candidate>& threads, Workers& into) {
  const uint32_t place = place_of_rounds(threads);
  if (place == kNone) return;
  JobPool pool;
  size_t stay = kDeepest;
  for (const Candidate& one : threads) stay = std::min(stay, that_stay(one, place, stay));
  if (stay == 0) return;
  pool.loop = stay - 1;
  const auto number = static_cast<uint32_t>(into.pools.size());
  for (const Candidate& one : threads) {
    uint64_t count = 0;
    for (const Take& take : one.takes) {
      if (take.source != place) continue;
      if (into.rounds.size() == kMostRounds) {
        into.limited = true;
        break;
      }
      into.rounds.push_back({number, one.thread, take.place, count++, take.stamp, take.time});
    }
    if (count > 0) into.rounds.back().last = !one.stays;
    if (count > 0) pool.threads.push_back(one.thread);
  }
  into.pools.push_back(std::move(pool));
}

Result<void> read_stacks(const Trace& trace, Workers& into) {
  auto cursor = SyncOrderCursor::open_with_memory(trace);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  while (cursor->next()) {
    const SyncOperation& op = cursor->operation();
    auto& stack = into.stacks[op.thread];
    if (op.kind == SyncKind::allocated && op.time == 0 && stack.second == 0)
      stack = {op.object, op.other};
  }
  if (cursor->error() != nullptr) return std::unexpected(*cursor->error());
  return {};
}

}  // namespace

std::pair<size_t, size_t> Workers::of(uint32_t thread) const {
  const auto [first, end] = std::ranges::equal_range(rounds, thread, {}, &WorkerRound::thread);
  return {first - rounds.begin(), end - rounds.begin()};
}

Result<Workers> find_workers(const Trace& trace) {
  Workers workers;
  workers.asked.resize(trace.threads().size());
  workers.stacks.resize(trace.threads().size());
  FramePlaces places(trace);
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Candidate>> groups;  // by process, function
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    const ThreadInfo& thread = trace.threads()[t];
    const bool child =
        thread.parent != kNone && trace.threads()[thread.parent].process == thread.process;
    if (thread.handler || !child || thread.first_time != 1) continue;
    WorkerWalk walk(trace, t, places);
    if (auto walked = walk.walk(); !walked) return std::unexpected(std::move(walked.error()));
    if (walk.of_team() || walk.first_function() == kNone) continue;
    workers.asked[t] = walk.take_asked();
    groups[{thread.process, walk.first_function()}].push_back({t, walk.stays(), walk.take_takes()});
  }
  for (const auto& [key, threads] : groups)
    if (threads.size() > 1) add_pool(threads, workers);
  workers.places = places.take_all();
  std::ranges::sort(workers.rounds, {},
                    [](const WorkerRound& one) { return std::pair(one.thread, one.number); });
  if (!workers.pools.empty())
    if (auto read = read_stacks(trace, workers); !read)
      return std::unexpected(std::move(read.error()));
  return workers;
}

}  // namespace vestige::schedules
