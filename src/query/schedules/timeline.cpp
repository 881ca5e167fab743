#include "query/schedules/timeline.h"

#include <algorithm>
#include <map>
#include <optional>

#include "query/schedules/bounds.h"
#include "vestige/sync.h"

namespace vestige::schedules {

namespace {

// Of what OpenMP tells (src/record/runtime/openmp.h).
constexpr uint64_t kRegion = 9, kRound = 10, kDeferred = 15;
uint64_t thing_of(uint64_t object) { return object >> 60; }

// Kinds of schedules, as libomp numbers them.
constexpr uint64_t kModifiers = uint64_t{3} << 29, kOrderedFirst = 64, kOrderedBy = 32;

using TeamSizes = std::map<std::pair<uint32_t, uint64_t>, uint64_t>;  // by process and region

struct TeamActivation {
  uint32_t function = 0;
  Call last_call = Call::none;
};

// A piece of work that is being done.
struct Doing {
  uint32_t work = kNone, depth = 0, chunk = kNone;
  Visit visit;  // kNone: outside of the loop
  int64_t rounds = 0, copies = 0;
  bool copy_before = false;
  uint32_t loop = kNone;
};

struct Inside {
  uint32_t region = 0;
  uint32_t base = 0;
  bool serialized = false;
  bool replica = false;
  uint32_t round = 0, epoch = 0, last_work = kNone, last_depth = 0;
  std::vector<Doing> doing;
};

class Follower {
 public:
  Follower(const Trace& trace, TeamCode& code, const TeamSizes& teams, uint32_t thread,
           Bounds bounds, ThreadTimeline& into)
      : trace_(trace),
        code_(code),
        teams_(teams),
        thread_(thread),
        bounds_(std::move(bounds)),
        into_(into) {}

  Result<bool> follow(uint64_t most);
  bool asked_team() const { return asked_team_; }

 private:
  Result<void> operations_until(uint64_t time, SyncCursor& cursor);
  void operation(const SyncOperation& op);
  void begin_region(uint64_t number, uint64_t time);
  void enter(const Path& path);
  void locals_until(uint64_t time);
  void place(const Path& path, uint64_t time);
  void go_round(Doing& doing, const Path& path, Place& place);
  bool is_exit(const Function& function, uint32_t loop, const Path& path, size_t at) const;
  void called(const Path& path, uint64_t time);
  void in_region_called(Inside& in, Call call, uint32_t statement, uint64_t time);
  void begin_static(Inside& in, uint32_t statement, uint64_t time);
  void begin_dispatch(Inside& in, uint32_t statement, uint64_t time);
  void next_chunk(Inside& in, uint32_t statement, uint64_t time);
  void begin_body(Inside& in, Work::Kind kind, uint32_t statement, uint64_t time);
  void finish_chunk(Doing& doing);
  void finish(Inside& in, uint64_t time);
  void set_schedule(Work& work, std::optional<uint64_t> kind, std::optional<uint64_t> chunk);
  int64_t signed_bound(uint32_t statement, uint64_t value) const;
  uint64_t team(const Inside& in) const { return into_.regions[in.region].team; }
  // Regions that are over. One whose body was left by a tail call goes on in what was called.
  void leave_regions() {
    while (!inside_.empty() && !inside_.back().serialized && stack_.size() <= inside_.back().base)
      inside_.pop_back();
  }
  Inside* inside() { return inside_.empty() || !tasks_.empty() ? nullptr : &inside_.back(); }

  const Trace& trace_;
  TeamCode& code_;
  const TeamSizes& teams_;
  const uint32_t thread_;
  const Bounds bounds_;
  ThreadTimeline& into_;
  std::vector<TeamActivation> stack_;
  std::vector<Inside> inside_;
  std::vector<uint64_t> tasks_;  // deferred ones that it runs
  size_t next_local_ = 0;
  bool pending_ = false;  // an operation was read and not used
  bool ended_ = false, asked_team_ = false;
  // Of the thread: who begins a region may have left its own function by that (a tail call).
  Call last_call_ = Call::none;
  bool sets_team_ = false;
};

Result<void> Follower::operations_until(uint64_t time, SyncCursor& cursor) {
  while (!ended_) {
    if (!pending_ && !cursor.next()) {
      ended_ = true;
      if (cursor.error() != nullptr) return std::unexpected(*cursor.error());
      return {};
    }
    pending_ = true;
    if (cursor.operation().time >= time) return {};
    operation(cursor.operation());
    pending_ = false;
  }
  return {};
}

void Follower::begin_region(uint64_t number, uint64_t time) {
  leave_regions();
  TeamRegion region;
  region.number = number;
  region.depth = static_cast<uint32_t>(stack_.size());
  const auto team = teams_.find({trace_.threads()[thread_].process, number});
  region.team = team == teams_.end() ? 1 : team->second;
  region.alone = last_call_ == Call::serialized;
  region.fixed = sets_team_;
  locals_until(time);
  Inside in;
  in.region = static_cast<uint32_t>(into_.regions.size());
  in.base = region.depth;
  in.serialized = region.alone;
  in.replica = region.team == 1 && !region.fixed && !region.alone;
  into_.regions.push_back(region);
  inside_.push_back(in);
  sets_team_ = false;
}

void Follower::operation(const SyncOperation& op) {
  const uint64_t thing = thing_of(op.object);
  const uint64_t number = op.object & ((uint64_t{1} << 60) - 1);
  const bool told = op.kind == SyncKind::omp_take || op.kind == SyncKind::omp_give;
  if (op.kind == SyncKind::omp_take && thing == kRegion) return begin_region(number, op.time);
  if (told && thing == kDeferred) {
    const uint64_t what = number >> 56, task = number & ((uint64_t{1} << 56) - 1);
    const bool runs = !tasks_.empty() && tasks_.back() == task;
    if (what == 0 && op.kind == SyncKind::omp_take) tasks_.push_back(task);
    if ((what == 0 && op.kind == SyncKind::omp_give && runs) || (what == 1 && runs))
      tasks_.pop_back();
    return;
  }
  Inside* in = inside();
  if (in == nullptr) return;
  if (op.kind == SyncKind::omp_take && thing == kRound) {
    ++in->round;
    return;
  }
  // Whoever else did the same would have to wait, and might find something else then.
  if (!told && in->doing.empty()) in->replica = false;
}

// What the thread's own variables take of its stack.
void Follower::locals_until(uint64_t time) {
  const auto& locals = bounds_.locals();
  for (; next_local_ < locals.size() && locals[next_local_].time <= time; ++next_local_) {
    Inside* in = inside_.empty() ? nullptr : &inside_.back();
    if (in == nullptr) continue;
    const Bounds::Local& local = locals[next_local_];
    for (const Inside& around : inside_) {
      TeamRegion& region = into_.regions[around.region];
      region.stack_first = std::min(region.stack_first, local.first);
      region.stack_end = std::max(region.stack_end, local.end);
    }
  }
}

void Follower::enter(const Path& path) {
  const TeamActivation* caller = stack_.empty() ? nullptr : &stack_.back();
  const bool from_task =
      caller != nullptr && (caller->last_call == Call::task || caller->last_call == Call::taskloop);
  Inside* in = inside();
  stack_.push_back({path.function});
  if (in == nullptr || !from_task || team(*in) != 1) return;
  const Function& function = trace_.functions()[path.function];
  if (!function.name.starts_with(".omp_task_entry") &&
      function.name.find(".omp_outlined") == function.name.npos)
    return;
  for (const Doing& doing : in->doing)
    if (into_.works[doing.work].kind == Work::Kind::task) return;
  begin_body(*in, Work::Kind::task, kNone, 0);
  in->doing.back().depth = static_cast<uint32_t>(stack_.size());
}

Result<bool> Follower::follow(uint64_t most) {
  auto cursor = trace_.walk(thread_);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  auto operations = SyncCursor::open(trace_, thread_);
  if (!operations) return std::unexpected(std::move(operations.error()));
  while (cursor->next()) {
    const uint64_t time = cursor->time();
    const Path& path = cursor->path();
    if (auto read = operations_until(time, *operations); !read)
      return std::unexpected(std::move(read.error()));
    if (path.enters)
      enter(path);
    else
      leave_regions();
    if (stack_.empty() || stack_.back().function != path.function) {
      into_.lost = true;
      return true;
    }
    if (!inside_.empty()) locals_until(time);
    if (inside() != nullptr) {
      if (into_.places.size() == most) return false;
      place(path, time);
    }
    if (path.end == SegmentEnd::call || path.end == SegmentEnd::tail_call) called(path, time);
    if (!path.leaves) continue;
    stack_.pop_back();
    for (Inside& in : inside_)
      while (!in.doing.empty() && in.doing.back().depth > stack_.size()) finish(in, time);
  }
  if (cursor->error() != nullptr) return std::unexpected(*cursor->error());
  return true;
}

// ---- where a path stands
// ----------------------------------------------------------------------------

// The loop is tested at its head, and this time it was over.
bool Follower::is_exit(const Function& function, uint32_t loop, const Path& path, size_t at) const {
  const TeamFunction& code = code_.of(path.function);
  const uint32_t head = function.segments[path.segments[at]].block;
  size_t next = at;
  while (next < path.segments.size() && function.segments[path.segments[next]].block == head)
    ++next;
  if (next == path.segments.size() ||
      code.in_loop(function.segments[path.segments[next]].block, loop))
    return false;
  const auto& successors = function.blocks[head].successors;
  return std::ranges::find(successors, head) == successors.end();
}

// One iteration that stands by itself in front of the loop: what is left when two at a time are
// done there.
bool has_copy(const Function& function, const TeamFunction& code, uint32_t loop, const Path& path,
              size_t end) {
  for (size_t i = 0; i < end; ++i) {
    const vestige::Segment& segment = function.segments[path.segments[i]];
    for (uint32_t k = 0; k < segment.statement_count; ++k)
      if (code.is_copy(loop, segment.first_statement + k)) return true;
  }
  return false;
}

// A path may end one round and begin the next: loops that make calls are cut there only.
void Follower::go_round(Doing& doing, const Path& path, Place& place) {
  const Function& function = trace_.functions()[path.function];
  const TeamFunction& code = code_.of(path.function);
  const Work& work = into_.works[doing.work];
  if (doing.visit.loop != kNone) {
    doing.visit.from = 0;
    place.visit[place.visits++] = doing.visit;
  }
  for (size_t i = 0; i < path.segments.size(); ++i) {
    const vestige::Segment& segment = function.segments[path.segments[i]];
    const uint32_t block = segment.block;
    const uint32_t loop = code.work_loop(block, work.in_chunks);
    if (loop == kNone || function.loops[loop].header != block) continue;
    if (segment.first_statement != function.blocks[block].first_statement) continue;
    if (i == 0 && path.resumes) continue;
    if (is_exit(function, loop, path, i)) continue;
    if (doing.rounds == 0) doing.copy_before = has_copy(function, code, loop, path, i);
    const Visit visit{loop, static_cast<uint32_t>(i), doing.rounds, doing.copies};
    ++doing.rounds;
    doing.copies += code.copies(loop);
    if (place.visits < std::size(place.visit)) place.visit[place.visits++] = visit;
    doing.visit = visit;
    doing.loop = loop;
  }
  const uint32_t last = function.segments[path.segments.back()].block;
  if (doing.visit.loop != kNone && !code.in_loop(last, doing.visit.loop)) doing.visit = {};
  for (uint8_t i = 0; i < place.visits; ++i)
    if (doing.visit.loop == place.visit[i].loop && doing.visit.rounds == place.visit[i].rounds)
      place.tail = i;
}

void Follower::place(const Path& path, uint64_t time) {
  Inside& in = inside_.back();
  Place place;
  place.time = time;
  place.region = in.region;
  place.path = path.id;
  place.round = in.round;
  place.epoch = in.epoch;
  const std::string& name = trace_.functions()[path.function].name;
  const bool of_team = name.find("omp_outlined") != name.npos && stack_.size() <= in.base + 2;
  if (!in.doing.empty()) {
    Doing& doing = in.doing.back();
    Work& work = into_.works[doing.work];
    if (work.first_time == 0) work.first_time = time;
    work.last_time = time;
    place.work = doing.work;
    place.chunk = doing.chunk;
    place.own = work.kind == Work::Kind::loop && doing.depth == stack_.size();
    place.replica = in.replica && place.own && of_team;
    if (place.own) {
      go_round(doing, path, place);
    } else if (doing.visit.loop != kNone) {
      place.visit[0] = doing.visit;
      place.visits = 1;
      place.tail = 0;
    }
  } else {
    place.replica = in.replica && of_team;
    place.own = of_team;
    if (in.last_depth == stack_.size()) place.last_work = in.last_work;
  }
  into_.places.push_back(place);
}

// ---- what calls say
// ---------------------------------------------------------------------------------

void Follower::called(const Path& path, uint64_t time) {
  const Function& function = trace_.functions()[path.function];
  const vestige::Segment& last = function.segments[path.segments.back()];
  if (last.statement_count == 0) return;
  uint32_t statement = last.first_statement + last.statement_count - 1;
  while (statement > last.first_statement && call_of(function, statement) == Call::none)
    --statement;
  const Call call = call_of(function, statement);
  TeamActivation& top = stack_.back();
  top.last_call = last_call_ = call;
  if (call == Call::team_size) {
    const std::string& callee = function.symbols[function.statements[statement].callee];
    (callee.starts_with("__kmpc") ? sets_team_ : asked_team_) = true;
  }
  if (call == Call::asks_team) asked_team_ = true;
  if (call == Call::end_serialized && !inside_.empty() && inside_.back().serialized)
    inside_.pop_back();
  if (Inside* in = inside()) in_region_called(*in, call, statement, time);
}

void Follower::in_region_called(Inside& in, Call call, uint32_t statement, uint64_t time) {
  const uint32_t f = stack_.back().function;
  TeamRegion& region = into_.regions[in.region];
  switch (call) {
    case Call::unknown:
    case Call::combines:
      if (in.doing.empty()) in.replica = false;
      return;
    case Call::asks_thread: {
      const std::string& name = trace_.functions()[f].name;
      const bool kept = name.find("omp_outlined") != name.npos && !code_.of(f).escapes();
      if (!kept) region.asked = std::min(region.asked, time);
      return;
    }
    case Call::static_init:
      return begin_static(in, statement, time);
    case Call::dispatch_init:
      return begin_dispatch(in, statement, time);
    case Call::dispatch_next:
      return next_chunk(in, statement, time);
    case Call::single:
    case Call::master: {
      const auto won = bounds_.result(f, statement, time);
      // Whose the body is nobody knows.
      if (!won) region.asked = std::min(region.asked, time);
      if (won && *won != 0)
        begin_body(in, call == Call::single ? Work::Kind::single : Work::Kind::master, statement,
                   time);
      return;
    }
    case Call::static_fini:
    case Call::end_single:
    case Call::end_master:
      if (!in.doing.empty() && in.doing.back().depth == stack_.size()) finish(in, time);
      return;
    case Call::barrier:
      ++in.round;
      return;
    case Call::waits:
    case Call::taskloop:
      ++in.epoch;
      return;
    default:
      return;
  }
}

int64_t Follower::signed_bound(uint32_t statement, uint64_t value) const {
  const Function& function = trace_.functions()[stack_.back().function];
  const std::string& callee = function.symbols[function.statements[statement].callee];
  return callee.find("_4") != callee.npos ? int64_t{static_cast<int32_t>(value)}
                                          : static_cast<int64_t>(value);
}

void Follower::set_schedule(Work& work, std::optional<uint64_t> kind,
                            std::optional<uint64_t> chunk) {
  if (!kind) return;
  uint64_t schedule = *kind & 0xffffffff & ~kModifiers;
  if (schedule >= kOrderedFirst && schedule < kOrderedFirst + kOrderedBy) schedule -= kOrderedBy;
  const bool has_chunk = chunk && *chunk > 0 && *chunk < uint64_t{1} << 31;
  switch (schedule) {
    case 33:  // static, chunk
    case 35:  // dynamic
    case 36:  // guided
      if (!has_chunk) return;
      work.share = schedule == 33 ? WorkShare::fixed : WorkShare::chunks;
      work.guided = schedule == 36;
      work.chunk = static_cast<int64_t>(*chunk);
      return;
    case 34:  // static
      work.share = WorkShare::fixed;
      return;
    case 37:  // runtime
    case 38:  // auto
      work.share = WorkShare::each;
      return;
    default:
      return;
  }
}

void Follower::begin_body(Inside& in, Work::Kind kind, uint32_t statement, uint64_t time) {
  Work work;
  work.kind = kind;
  work.function = stack_.back().function;
  work.statement = statement;
  work.first_time = time == 0 ? 0 : time + 1;
  work.epoch = in.epoch;
  Doing doing;
  doing.work = static_cast<uint32_t>(into_.works.size());
  doing.depth = static_cast<uint32_t>(stack_.size());
  into_.works.push_back(work);
  in.doing.push_back(doing);
}

void Follower::begin_static(Inside& in, uint32_t statement, uint64_t time) {
  constexpr size_t kSchedule = 2, kLower = 4, kUpper = 5, kStride = 6, kChunk = 8;
  begin_body(in, Work::Kind::loop, statement, time);
  const uint32_t f = stack_.back().function;
  const Function& function = trace_.functions()[f];
  Work& work = into_.works.back();
  set_schedule(work, bounds_.operand(f, statement, kSchedule, time),
               bounds_.operand(f, statement, kChunk, time));
  if (work.share == WorkShare::fixed && *bounds_.operand(f, statement, kSchedule, time) % 256 == 34)
    work.chunk = 0;
  work.in_chunks = work.chunk > 0;
  Chunk chunk;
  chunk.work = in.doing.back().work;
  in.doing.back().chunk = static_cast<uint32_t>(into_.chunks.size());
  const uint32_t upper = TeamFunction::variable(function, statement, kUpper);
  const uint32_t lower = TeamFunction::variable(function, statement, kLower);
  const uint32_t stride = TeamFunction::variable(function, statement, kStride);
  work.lower = lower;
  const auto end = bounds_.stored(f, upper, time);
  if (!end) work.share = WorkShare::unknown;
  work.iterations = end ? signed_bound(statement, *end) + 1 : 0;
  chunk.count = chunk.length = work.iterations;
  if (team(in) > 1) {
    const auto from = bounds_.loaded(f, lower, time), to = bounds_.loaded(f, upper, time);
    const auto step = bounds_.loaded(f, stride, time);
    if (!from || !to || (work.chunk > 0 && !step)) work.share = WorkShare::unknown;
    if (work.share != WorkShare::unknown) {
      chunk.first = signed_bound(statement, *from);
      const int64_t last = std::min(signed_bound(statement, *to), work.iterations - 1);
      chunk.count = chunk.length = std::max<int64_t>(0, last - chunk.first + 1);
      if (work.chunk > 0) {
        chunk.length = work.chunk;
        chunk.stride = std::max<int64_t>(1, signed_bound(statement, *step));
        chunk.count = 0;
        for (int64_t at = chunk.first; at < work.iterations; at += chunk.stride)
          chunk.count += std::min(work.chunk, work.iterations - at);
      }
    }
  }
  into_.chunks.push_back(chunk);
}

void Follower::begin_dispatch(Inside& in, uint32_t statement, uint64_t time) {
  constexpr size_t kSchedule = 2, kLower = 3, kUpper = 4, kChunk = 6;
  begin_body(in, Work::Kind::loop, statement, time);
  const uint32_t f = stack_.back().function;
  Work& work = into_.works.back();
  const auto from = bounds_.operand(f, statement, kLower, time);
  const auto to = bounds_.operand(f, statement, kUpper, time);
  set_schedule(work, bounds_.operand(f, statement, kSchedule, time),
               bounds_.operand(f, statement, kChunk, time));
  if (!from || !to || signed_bound(statement, *from) != 0)
    work.share = WorkShare::unknown;
  else
    work.iterations = signed_bound(statement, *to) + 1;
}

void Follower::next_chunk(Inside& in, uint32_t statement, uint64_t time) {
  constexpr size_t kLower = 3, kUpper = 4;
  if (in.doing.empty() || in.doing.back().depth != stack_.size()) return;
  Doing& doing = in.doing.back();
  if (into_.works[doing.work].kind != Work::Kind::loop) return;
  finish_chunk(doing);
  const uint32_t f = stack_.back().function;
  const Function& function = trace_.functions()[f];
  const auto got = bounds_.result(f, statement, time);
  if (!got || (*got & 0xffffffff) == 0) return finish(in, time);
  const uint32_t lower = TeamFunction::variable(function, statement, kLower);
  into_.works[doing.work].lower = lower;
  const auto from = bounds_.loaded(f, lower, time);
  const auto to = bounds_.loaded(f, TeamFunction::variable(function, statement, kUpper), time);
  Chunk chunk;
  chunk.work = doing.work;
  if (from && to) {
    chunk.first = signed_bound(statement, *from);
    chunk.count = chunk.length =
        std::max<int64_t>(0, signed_bound(statement, *to) - chunk.first + 1);
  }
  doing.chunk = static_cast<uint32_t>(into_.chunks.size());
  doing.rounds = doing.copies = 0;
  doing.copy_before = false;
  doing.visit = {};
  into_.chunks.push_back(chunk);
}

void Follower::finish_chunk(Doing& doing) {
  if (doing.chunk == kNone) return;
  Chunk& chunk = into_.chunks[doing.chunk];
  const bool but_one = doing.rounds != chunk.count && doing.copies + 1 == chunk.count;
  chunk.known = into_.works[chunk.work].share != WorkShare::unknown &&
                (doing.rounds == chunk.count || doing.copies == chunk.count ||
                 (but_one && doing.copies == 2 * doing.rounds));
  if (but_one) chunk.apart = doing.copy_before ? 0 : chunk.count - 1;
  chunk.loop = doing.loop;
  chunk.by_copies = doing.rounds != chunk.count;
  doing.chunk = kNone;
}

void Follower::finish(Inside& in, uint64_t time) {
  Doing& doing = in.doing.back();
  finish_chunk(doing);
  Work& work = into_.works[doing.work];
  work.last_time = std::max(work.last_time, time);
  if (work.kind == Work::Kind::loop) {
    in.last_work = doing.work;
    in.last_depth = doing.depth;
  }
  in.doing.pop_back();
}

Result<TeamSizes> team_sizes(const Trace& trace) {
  TeamSizes teams;
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    auto cursor = SyncCursor::open(trace, t);
    if (!cursor) return std::unexpected(std::move(cursor.error()));
    while (cursor->next()) {
      const SyncOperation& op = cursor->operation();
      if (op.kind == SyncKind::omp_take && thing_of(op.object) == kRegion)
        ++teams[{trace.threads()[t].process, op.object & ((uint64_t{1} << 60) - 1)}];
    }
    if (cursor->error() != nullptr) return std::unexpected(*cursor->error());
  }
  return teams;
}

}  // namespace

const Place* ThreadTimeline::at(uint64_t time) const {
  const auto found = std::ranges::lower_bound(places, time, {}, &Place::time);
  return found == places.end() || found->time != time ? nullptr : &*found;
}

bool ThreadTimeline::is_thread_local(uint64_t address, uint64_t bytes) const {
  const auto behind = thread_locals.lower_bound(address + bytes);
  return behind != thread_locals.begin() && std::prev(behind)->second > address;
}

Result<Timelines> read_timelines(const Trace& trace, TeamCode& code, uint64_t most) {
  Timelines lines;
  lines.threads.resize(trace.threads().size());
  const auto teams = team_sizes(trace);
  if (!teams) return std::unexpected(teams.error());
  if (teams->empty()) return lines;
  const std::vector<bool> all(trace.functions().size(), true);
  std::vector<bool> asked(trace.processes().size(), false);
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    if (trace.threads()[t].handler) continue;
    auto bounds = Bounds::read(trace, t, all);
    if (!bounds) return std::unexpected(std::move(bounds.error()));
    lines.threads[t].thread_locals = bounds->thread_locals();
    Follower follower(trace, code, *teams, t, std::move(*bounds), lines.threads[t]);
    const auto whole = follower.follow(most);
    if (!whole) return std::unexpected(whole.error());
    lines.limited = lines.limited || !*whole;
    if (follower.asked_team()) asked[trace.threads()[t].process] = true;
    most -= lines.threads[t].places.size();
  }
  for (uint32_t t = 0; t < trace.threads().size(); ++t)
    for (TeamRegion& region : lines.threads[t].regions)
      region.fixed = region.fixed || asked[trace.threads()[t].process];
  return lines;
}

}  // namespace vestige::schedules
