#include "query/schedules/units.h"

#include <algorithm>

namespace vestige::schedules {

namespace {

// As libomp deals out a loop without chunks: the first ones get one more.
int64_t worker_of(int64_t iteration, int64_t iterations) {
  if (iterations <= kWorkers) return iteration;
  const int64_t each = iterations / kWorkers, more = iterations % kWorkers;
  return iteration < more * (each + 1) ? iteration / (each + 1)
                                       : more + (iteration - more * (each + 1)) / each;
}

constexpr int64_t kMostFirstReads = 4096;
constexpr uint8_t kAnything = kOnBounds | kOnLast | kOnWinner | kOnThread;

}  // namespace

Unit Units::piece(const TeamRegion& region, uint32_t work_at, uint32_t chunk,
                  int64_t iteration) const {
  const Work& work = line_.works[work_at];
  Unit unit{Unit::Kind::piece, work_at, 0, iteration, work.share == WorkShare::fixed};
  switch (work.share) {
    case WorkShare::unknown:
      return {};
    case WorkShare::each:
      unit.number = iteration;
      break;
    case WorkShare::chunks:
      unit.number = work.guided && region.fixed ? chunk : iteration / work.chunk;
      break;
    case WorkShare::fixed:
      if (region.fixed) break;
      unit.number = work.chunk > 0 ? iteration / work.chunk % kWorkers
                                   : worker_of(iteration, work.iterations);
      break;
  }
  return unit;
}

Unit Units::of_visit(const Place& place, const Visit& visit, uint32_t copy) const {
  const Chunk& chunk = line_.chunks[place.chunk];
  int64_t offset = visit.rounds;
  if (chunk.by_copies) {
    if (copy == kNone) return {};
    offset = visit.copies + copy + (chunk.apart == 0);
  }
  if (offset >= chunk.count) return {};
  const int64_t length = std::max<int64_t>(1, chunk.length);
  return piece(line_.regions[place.region], place.work, place.chunk,
               chunk.first + offset / length * chunk.stride + offset % length);
}

// Which segment of the path executes the statement.
uint32_t Units::segment_of(const Place& place, uint32_t function, uint32_t statement) const {
  const Path* path = trace_.path(place.path);
  if (path == nullptr) return 0;
  const Function& of = trace_.functions()[function];
  for (uint32_t i = 0; i < path->segments.size(); ++i) {
    const vestige::Segment& segment = of.segments[path->segments[i]];
    if (statement - segment.first_statement < segment.statement_count) return i;
  }
  return 0;
}

Standing Units::of_loop(const Place& place, uint32_t function, uint32_t statement) const {
  Standing standing;
  if (place.chunk == kNone) {
    standing.unit = {Unit::Kind::chunk_code, place.work, -1, 0};
    return standing;
  }
  if (!line_.chunks[place.chunk].known) return standing;
  const TeamFunction& code = code_.of(function);
  if (!place.own) {
    if (place.visits == 0)
      standing.unit = {Unit::Kind::chunk_code, place.work, place.chunk, 0};
    else if (!line_.chunks[place.chunk].by_copies)
      standing.unit = of_visit(place, place.visit[0], 0);
    return standing;
  }
  const uint32_t block = trace_.functions()[function].statements[statement].block;
  const uint32_t segment = segment_of(place, function, statement);
  for (uint8_t i = place.visits; i-- > 0;)
    if (place.visit[i].from <= segment && code.in_loop(block, place.visit[i].loop)) {
      const uint32_t loop = place.visit[i].loop;
      standing.unit = of_visit(place, place.visit[i], code.copy_of(loop, statement));
      return standing;
    }
  const Chunk& chunk = line_.chunks[place.chunk];
  if (chunk.apart >= 0 && code.is_copy(chunk.loop, statement)) {
    standing.unit =
        piece(line_.regions[place.region], place.work, place.chunk, chunk.first + chunk.apart);
    return standing;
  }
  standing.unit = {Unit::Kind::chunk_code, place.work, place.chunk, 0};
  standing.replica = place.replica && line_.works[place.work].iterations > 1 &&
                     (code.of_address(statement) & kAnything) == 0 &&
                     (code.of_control(block) & (kAnything & ~kOnBounds)) == 0;
  return standing;
}

Standing Units::of(const Place& place, uint32_t function, uint32_t statement) const {
  Standing standing;
  const TeamRegion& region = line_.regions[place.region];
  const TeamFunction& code = code_.of(function);
  const uint32_t block = trace_.functions()[function].statements[statement].block;
  const uint8_t control = code.of_control(block);
  if (((code.of_address(statement) | control) & kOnThread) != 0) return standing;
  if (place.time > region.asked) return standing;
  if (place.work == kNone) {
    if ((control & kOnLast) != 0) {
      // Whoever had the last iteration does this.
      if (!place.own || place.last_work == kNone) return standing;
      const Work& work = line_.works[place.last_work];
      if (work.share == WorkShare::unknown || (work.guided && region.fixed)) return standing;
      standing.unit = piece(region, place.last_work, kNone, work.iterations - 1);
    } else {
      standing.unit = {Unit::Kind::team, kNone, 0, 0};
      standing.replica = place.replica && ((code.of_address(statement) | control) & kAnything) == 0;
    }
  } else {
    switch (line_.works[place.work].kind) {
      case Work::Kind::loop:
        standing = of_loop(place, function, statement);
        break;
      case Work::Kind::single:
        standing.unit = {Unit::Kind::single, place.work, 0, 0};
        break;
      case Work::Kind::master:
        standing.unit = {Unit::Kind::master, place.work, 0, 0, true};
        break;
      case Work::Kind::task:
        standing.unit = {Unit::Kind::task, place.work, 0, 0};
        break;
    }
  }
  standing.time = place.time;
  standing.epoch = place.epoch;
  return standing;
}

std::vector<Units::Elsewhere> Units::first_reads(const Place& place, uint32_t function,
                                                 uint32_t statement) const {
  std::vector<Elsewhere> all;
  if (!place.replica || !place.own || place.work == kNone || place.chunk == kNone) return all;
  const Work& work = line_.works[place.work];
  const Chunk& chunk = line_.chunks[place.chunk];
  const TeamFunction& code = code_.of(function);
  const uint32_t block = trace_.functions()[function].statements[statement].block;
  if (work.share == WorkShare::unknown || !chunk.known || chunk.count != work.iterations)
    return all;
  if (code.work_loop(block, work.in_chunks) != kNone ||
      place.time > line_.regions[place.region].asked)
    return all;
  if ((code.of_control(block) & (kAnything & ~kOnBounds)) != 0) return all;
  if (chunk.apart >= 0 && code.is_copy(chunk.loop, statement)) return all;
  const auto step = code.step_of_address(statement, work.lower, work.in_chunks);
  if (!step || *step == 0) return all;
  const TeamRegion& region = line_.regions[place.region];
  int64_t last = piece(region, place.work, place.chunk, 0).number;
  for (int64_t i = 1; i < std::min(work.iterations, kMostFirstReads); ++i) {
    Standing standing;
    standing.unit = piece(region, place.work, place.chunk, i);
    standing.time = place.time;
    standing.epoch = place.epoch;
    if (standing.unit.number != last) all.push_back({standing, i * *step});
    last = standing.unit.number;
  }
  return all;
}

Units::Parts Units::parts(const Place& place, uint32_t function, uint32_t statement, bool writes,
                          uint64_t bytes) const {
  Parts parts;
  const Statement& of = trace_.functions()[function].statements[statement];
  if (of.op != Op::call || !place.own || place.work == kNone || place.chunk == kNone) return parts;
  const Work& work = line_.works[place.work];
  const Chunk& chunk = line_.chunks[place.chunk];
  const TeamRegion& region = line_.regions[place.region];
  if (work.kind != Work::Kind::loop || work.share == WorkShare::unknown || work.in_chunks)
    return parts;
  if (chunk.count <= 0 || chunk.count != chunk.length || chunk.count > kMostFirstReads ||
      bytes % static_cast<uint64_t>(chunk.count) != 0 || place.time > region.asked)
    return parts;
  const TeamFunction& code = code_.of(function);
  if (code.work_loop(of.block, false) != kNone) return parts;
  if ((code.of_control(of.block) & (kAnything & ~kOnBounds)) != 0) return parts;
  const auto step = code.step_of_copy(statement, writes, work.lower);
  parts.bytes = bytes / static_cast<uint64_t>(chunk.count);
  if (!step || *step <= 0 || static_cast<uint64_t>(*step) != parts.bytes) return parts;
  for (int64_t i = 0; i < chunk.count; ++i) {
    Standing standing;
    standing.unit = piece(region, place.work, place.chunk, chunk.first + i);
    standing.time = place.time;
    standing.epoch = place.epoch;
    parts.each.push_back({standing, i * *step});
  }
  return parts;
}

Standing Units::of_end(const Place& place) const {
  Standing standing;
  if (place.work == kNone) {
    standing.unit = {Unit::Kind::team, kNone, 0, 0};
  } else {
    const Work& work = line_.works[place.work];
    if (work.kind == Work::Kind::single)
      standing.unit = {Unit::Kind::single, place.work, 0, 0};
    else if (work.kind == Work::Kind::master)
      standing.unit = {Unit::Kind::master, place.work, 0, 0, true};
    else if (work.kind == Work::Kind::task)
      standing.unit = {Unit::Kind::task, place.work, 0, 0};
    else if (place.chunk == kNone)
      standing.unit = {Unit::Kind::chunk_code, place.work, -1, 0};
    else if (place.tail >= place.visits)
      standing.unit = {Unit::Kind::chunk_code, place.work, place.chunk, 0};
    else if (line_.chunks[place.chunk].known)
      standing.unit =
          of_visit(place, place.visit[place.tail], line_.chunks[place.chunk].by_copies ? kNone : 0);
  }
  standing.time = place.time;
  standing.epoch = place.epoch;
  return standing;
}

// ---- two of them
// --------------------------------------------------------------------------------------

// A task runs beside other tasks, and beside what comes behind its creation, until somebody waits
// for it.
bool Units::tasks_part(const Standing& a, const Standing& b) const {
  if (a.epoch != b.epoch) return false;
  const bool a_task = a.unit.kind == Unit::Kind::task, b_task = b.unit.kind == Unit::Kind::task;
  if (a_task && b_task) return a.unit.work != b.unit.work;
  const Standing& task = a_task ? a : b;
  const Standing& other = a_task ? b : a;
  return other.time > line_.works[task.unit.work].last_time;
}

// The team's own code, or what is done around the pieces of a loop, against something else.
bool Units::team_parts(const TeamRegion& region, const Standing& team,
                       const Standing& other) const {
  const bool around = team.unit.kind == Unit::Kind::chunk_code;
  if (other.unit.kind == Unit::Kind::team || other.unit.kind == Unit::Kind::chunk_code) {
    const bool chunks = around && other.unit.work == team.unit.work && region.team > 1 &&
                        line_.works[team.unit.work].share != WorkShare::fixed;
    if (chunks)
      return team.unit.number >= 0 && other.unit.number >= 0 &&
             team.unit.number != other.unit.number;
    return team.replica || other.replica;
  }
  if (other.unit.bound) {
    if (region.fixed) return false;
    return team.replica || (!around && other.unit.number != 0);
  }
  if (!around || other.unit.work != team.unit.work) return true;
  return team.replica;
}

bool Units::may_part(const Place& at, const Standing& a, const Standing& b) const {
  const TeamRegion& region = line_.regions[at.region];
  using Kind = Unit::Kind;
  if (a.unit.kind == Kind::none || b.unit.kind == Kind::none) return false;
  if (region.alone || (region.team < 2 && region.fixed)) return false;
  if (a.unit.kind == Kind::task || b.unit.kind == Kind::task) return tasks_part(a, b);
  const auto is_team = [](const Unit& unit) {
    return unit.kind == Kind::team || unit.kind == Kind::chunk_code;
  };
  if (is_team(a.unit)) return team_parts(region, a, b);
  if (is_team(b.unit)) return team_parts(region, b, a);
  if (a.unit.bound && b.unit.bound) return a.unit.number != b.unit.number;
  return a.unit.work != b.unit.work || a.unit.number != b.unit.number;
}

}  // namespace vestige::schedules
