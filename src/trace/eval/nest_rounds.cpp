// Rounds of a loop with loops inside, evaluated at once (nest_code.h).
#include <algorithm>
#include <array>

#include "base/same_words.h"
#include "trace/eval/evaluator.h"

namespace vestige {

namespace {

constexpr size_t kMostRuns = 8;
// The first two are taken one by one by who folds them, and the last is always evaluated.
constexpr uint64_t kFewestRounds = 5;

}  // namespace

// Of rounds that end with one path: what was found out about them.
struct KnownNests {
  struct Known {
    std::vector<uint32_t> paths;
    std::vector<bool> repeats;
    std::unique_ptr<const NestCode> code;
  };
  static constexpr size_t kMost = 32;
  std::vector<Known> list;
  // Where there is nothing to be had, it is tried more and more rarely.
  uint32_t wait = 0, next_wait = 1;
  bool give_up() {
    wait = next_wait;
    next_wait = std::min(2 * next_wait, 1u << 10);
    return false;
  }
};

const NestCode* Evaluator::nest_code(KnownNests& known, const Nest& nest) {
  const auto is_it = [&](const KnownNests::Known& one) {
    return std::ranges::equal(one.paths, nest.runs, {}, {},
                              [](const Nest::Run& run) { return run.path->id; }) &&
           std::ranges::equal(one.repeats, nest.runs, {}, {},
                              [](const Nest::Run& run) { return run.counts.rounds > 1; });
  };
  const auto found = std::ranges::find_if(known.list, is_it);
  if (found != known.list.end()) return found->code.get();
  if (known.list.size() == KnownNests::kMost) return nullptr;
  std::vector<NestCode::Run> runs;
  for (const Nest::Run& run : nest.runs) {
    // Nothing is compiled here: that may throw away what there is.
    const PathCode* code = codes_.look_up(*run.path);
    if (!code || code->function != code_->function) return nullptr;
    runs.push_back({code, run.counts.rounds > 1});
  }
  KnownNests::Known& made = known.list.emplace_back();
  for (const Nest::Run& run : nest.runs) {
    made.paths.push_back(run.path->id);
    made.repeats.push_back(run.counts.rounds > 1);
  }
  made.code = std::make_unique<const NestCode>(runs);
  return made.code.get();
}

bool Evaluator::find_nest(uint64_t most, Nest& nest) {
  if (!code_ || code_->leaves || notes_ || abandoned_ || machine_.touches || proving_) return false;
  const std::span<const uint32_t> words = cursor_.ahead();
  const uint32_t last = cursor_.path().id;
  if (words.size() < 2 * kFewestRounds || words[0] == last) return false;
  if (!code_->nests) code_->nests = std::make_shared<KnownNests>();
  KnownNests& known = *code_->nests;
  if (known.wait > 0) {
    --known.wait;
    return false;
  }
  const Activation& frame = frames_.top();
  if (frame.function != code_->function) return known.give_up();
  // Neither event nor told value may lie among them.
  most = std::min({most, uint64_t{words.size()}, events_.next_time() - machine_.time - 1,
                   machine_.told_values.next_time() - machine_.time - 1});
  if (events_.next_time() <= machine_.time || machine_.told_values.next_time() <= machine_.time)
    return known.give_up();

  // The runs of two rounds tell how those of further ones would be.
  nest.runs.clear();
  size_t at = 0;
  for (bool ended = false; !ended;) {
    if (at >= most || nest.runs.size() == kMostRuns) return known.give_up();
    const uint32_t word = words[at];
    const size_t same = same_words(words.data() + at, most - at, word);
    const Path* path = cursor_.find(word);
    if (!path) return known.give_up();
    nest.runs.push_back({path, {same, 0}});
    at += same;
    ended = word == last;
  }
  // One less than there are: the last one is evaluated.
  nest.rounds = nest.paths = 0;
  for (size_t end = at;; ++nest.rounds) {
    const auto goes_on = [&](Nest::Run& run) {
      uint64_t wanted = 1;
      if (run.counts.rounds > 1) {
        if (nest.rounds == 0)
          run.counts.step =
              same_words(words.data() + at, most - at, run.path->id) - run.counts.rounds;
        wanted = run.counts.rounds + (nest.rounds + 1) * run.counts.step;
        if (wanted < 2) return false;
      }
      if (wanted > most - at || same_words(words.data() + at, wanted, run.path->id) != wanted)
        return false;
      at += wanted;
      return true;
    };
    if (!std::ranges::all_of(nest.runs, goes_on)) break;
    nest.paths = end;
    end = at;
  }
  if (nest.rounds + 1 < kFewestRounds) return known.give_up();
  nest.code = nest_code(known, nest);
  if (!nest.code || !nest.code->possible() ||
      !std::ranges::all_of(nest.code->reads(),
                           [&](uint32_t slot) { return frames_.is_known(frame, slot); }))
    return known.give_up();
  std::array<NestCode::Counts, kMostRuns> counts;
  for (size_t r = 0; r < nest.runs.size(); ++r) counts[r] = nest.runs[r].counts;
  if (!nest.code->find(machine_, frames_.slots(frame), counts, nest.rounds, nest.found))
    return known.give_up();
  known.next_wait = 1;
  return true;
}

void Evaluator::go_over(const Nest& nest) {
  Activation& frame = frames_.top();
  nest.code->jump(frames_.slots(frame), nest.rounds, nest.found);
  machine_.time += nest.paths;
  machine_.time_before = machine_.time - 1;
  frame.time = machine_.time;
  for (const Nest::Run& run : nest.runs)
    statements_ += run.path->statements * run.counts.sum(nest.rounds);
  if (following_) follow_row(cursor_.ahead().first(nest.paths));
  cursor_.skip_same(nest.paths);
}

}  // namespace vestige
