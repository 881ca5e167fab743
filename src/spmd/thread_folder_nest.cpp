// Rounds of a loop with loops inside, taken at once.
//
// Two rounds are taken path by path, and what they put into streams is noted. It moves by a fixed
// step from round to round: addresses because they are known to (nest_code.h), counts of rounds
// because the runs are so, choices because the paths are the same. When all of the second round was
// explained by the stretches there are, and the steps are those by which the stretches move, so
// will be the rounds behind it: only their numbers are to be counted.
#include "spmd/thread_folder.h"
#include "trace/eval/nest_code.h"

namespace vestige::spmd {

void ThreadFolder::note(StreamFolder& folder, uint64_t value, uint64_t step, uint64_t count,
                        uint32_t node) {
  const uint32_t around = contexts_.parent(node);
  noting_->notes.push_back({&folder, node, value, step, count, position_[node].index,
                            position_[around].index, position_[around].epoch, folder.changes()});
}

// Moves runs_ on to the round behind it.
Result<void> ThreadFolder::take_round(Round& round) {
  round.notes.clear();
  round.complete = true;
  noting_ = &round;
  Result<void> taken;
  for (PathReferences::Run& run : runs_) {
    taken = take(*run.path, run.references, true);
    if (!taken) break;
    const uint64_t more = run.times - 1;
    if (more != 0 && !take_rounds(*run.path, run.references, run.inner, more)) {
      std::vector<Reference> references = run.references;
      for (uint64_t time = 0; time < more && taken; ++time) {
        for (size_t r = 0; r < references.size(); ++r) references[r].address += run.inner[r];
        taken = take(*run.path, references, true);
      }
      if (!taken) break;
    }
    for (size_t r = 0; r < run.references.size(); ++r) run.references[r].address += run.outer[r];
    run.times += run.times_step;
  }
  noting_ = nullptr;
  round.node = position_.node();
  round.coordinates = position_.coordinates(round.node);
  return taken;
}

bool ThreadFolder::goes_on(const Round& before, const Round& round) const {
  if (plugin_ || !before.complete || !round.complete || before.node != round.node ||
      before.notes.size() != round.notes.size())
    return false;
  for (size_t i = 0; i < round.notes.size(); ++i) {
    const Note &a = before.notes[i], &b = round.notes[i];
    if (a.folder != b.folder || a.node != b.node || a.epoch != b.epoch ||
        b.folder->changes() != a.changes || position_[b.node].shared ||
        !b.folder->goes_along(b.value - a.value, b.index - a.index, b.around - a.around,
                              a.count != b.count))
      return false;
  }
  return true;
}

// Streams of few numbers want to know them.
void ThreadFolder::keep_early(const Round& before, const Round& round, uint64_t rounds) {
  bool any = true;
  for (uint64_t number = 1; any && number <= rounds; ++number) {
    any = false;
    for (size_t i = 0; i < round.notes.size(); ++i) {
      const Note &a = before.notes[i], &b = round.notes[i];
      if (!b.folder->keeps_early()) continue;
      any = true;
      b.folder->keep_early(b.value + number * (b.value - a.value), b.step,
                           b.count + number * (b.count - a.count));
    }
  }
}

void ThreadFolder::skip(const Round& before, const Round& round, uint64_t rounds) {
  keep_early(before, round, rounds);
  for (size_t i = 0; i < round.notes.size(); ++i) {
    const uint64_t step = round.notes[i].count - before.notes[i].count;
    round.notes[i].folder->add_explained(sum_of_line(round.notes[i].count + step, step, rounds));
  }
  for (const PathReferences::Run& run : runs_) {
    const uint64_t times = sum_of_line(run.times, run.times_step, rounds);
    Plan& plan = **plan_of(*run.path);
    plan.times += times;
    references_ += times * run.references.size();
    pieces_ += times * plan.parts.size();
  }
  std::vector<uint64_t> by;
  for (size_t l = 0; l < round.coordinates.size(); ++l)
    by.push_back(rounds * (round.coordinates[l] - before.coordinates[l]));
  position_.move(by);
}

Result<void> ThreadFolder::take_nest(std::span<const PathReferences::Run> runs, uint64_t rounds) {
  runs_.assign(runs.begin(), runs.end());
  for (uint64_t done = 0; done < rounds; ++done) {
    Round& round = rounds_[done % 2];
    const Round& before = rounds_[(done + 1) % 2];
    if (auto taken = take_round(round); !taken) return taken;
    if (done != 0 && goes_on(before, round)) {
      skip(before, round, rounds - done - 1);
      break;
    }
  }
  return {};
}

}  // namespace vestige::spmd
