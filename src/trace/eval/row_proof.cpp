#include "trace/eval/row_proof.h"

#include <algorithm>

#include "trace/eval/round_code.h"

namespace vestige {

namespace {

bool between(Micro micro, Micro first, Micro last) { return micro >= first && micro <= last; }
bool is_load(Micro micro) {
  return between(micro, Micro::load1, Micro::load8) ||
         between(micro, Micro::load_part1, Micro::load_part8);
}
bool is_store(Micro micro) {
  return between(micro, Micro::store1, Micro::store8) ||
         between(micro, Micro::store_part1, Micro::store_part8);
}

constexpr size_t kMostDepth = 64;

}  // namespace

void RowProof::State::take(FrameStack& frames, std::span<const Machine::Passed> passed) {
  const Activation& frame = frames.top();
  const uint64_t* slots = frames.slots(frame);
  const uint32_t count = frame.function->slot_count;
  values.assign(slots, slots + count);
  known.clear();
  for (uint32_t slot = 0; slot < count; ++slot) known.push_back(frames.is_known(frame, slot));
  for (const Machine::Passed& one : passed) {
    values.push_back(one.value);
    known.push_back(one.known);
  }
}

void RowProof::begin(FrameStack& frames, Passing passed, const State& before, uint64_t rows) {
  begin_.take(frames, passed);
  const size_t count = begin_.values.size();
  possible_ = before.values.size() == count && before.known == begin_.known;
  rows_ = rows;
  depth_ = 1;
  slots_ = count - passed.size();
  frames_.resize(std::max<size_t>(frames_.size(), 1));
  frames_[0].assign(slots_, {});
  passed_.assign(passed.size(), {});
  steps_.assign(count, 0);
  returned_ = {.lost = true};
  for (size_t place = 0; place < count && possible_; ++place) {
    steps_[place] = begin_.values[place] - before.values[place];
    Trail& trail = place < slots_ ? frames_[0][place] : passed_[place - slots_];
    trail = {.step = steps_[place], .lost = !begin_.known[place]};
  }
}

// Values are looked at where they are needed.
void RowProof::run_up_to(Machine& machine, const Cell* end, uint64_t* slots, bool tracked) {
  if (done_ == end) return;
  scratch_.assign(done_, end);
  scratch_.push_back({.micro = static_cast<uint16_t>(Micro::end)});
  run_cells(machine, scratch_.data(), slots, tracked);
  done_ = end;
}

void RowProof::compute(Machine& machine, const Cell* at, uint64_t* slots, bool tracked) {
  const auto micro = static_cast<Micro>(at->micro);
  const RoundCode::Use use(at);
  const Cell* behind = at + RoundCode::length(*at);
  bool lost = between(micro, Micro::told1, Micro::told8) || micro == Micro::unknown, moves = false;
  for (const uint32_t slot : use.reads) {
    if (slot == kNone) continue;
    const Trail& trail = read(slot);
    lost |= trail.lost;
    moves |= trail.step != 0;
  }
  uint64_t step = 0;
  if (is_load(micro)) {
    lost |= moves;
    if (!lost && tracked) {
      run_up_to(machine, behind, slots, tracked);
      lost = machine.known[at->dst] == 0;
    }
  } else if (moves && !lost) {
    const Trails& trails = frames_[depth_ - 1];
    RoundCode::Move move;
    const uint32_t second = use.reads[1] == kNone ? at->a : at->b;
    lost = !RoundCode::how_it_moves(at, trails[at->a].step == 0, trails[second].step == 0, move);
    if (!lost) {
      RoundCode::Moving a{0, trails[move.a].step}, b{0, trails[move.b].step};
      uint64_t result = 0;
      if (move.looks_at_values()) {
        run_up_to(machine, at, slots, tracked);
        a.value = slots[move.a];
        b.value = slots[move.b];
        run_up_to(machine, behind, slots, tracked);
        result = slots[at->dst];
      }
      const auto made = RoundCode::step_of(move, a, b, result, rows_);
      lost = !made;
      step = made.value_or(0);
    }
  }
  write(use.writes, {.step = step, .lost = lost});
}

void RowProof::run(Machine& machine, const Cell* cells, uint64_t* slots, bool tracked) {
  done_ = cells;
  const auto slot_count = machine.function->slot_count;
  possible_ = possible_ && frames_[depth_ - 1].size() == slot_count;
  for (const Cell* at = cells; possible_;) {
    const auto micro = static_cast<Micro>(at->micro);
    if (micro == Micro::end) break;
    if (micro == Micro::jump) {
      run_up_to(machine, at, slots, tracked);
      done_ = at += at->a;
      continue;
    }
    switch (micro) {
      case Micro::observe_access:
      case Micro::observe_wide:
        possible_ = at->dst != kNone && !read(at->dst).lost;
        break;
      case Micro::pass:
        if (passed_.size() <= at->dst) passed_.resize(at->dst + 1, {.lost = true, .written = true});
        write(passed_[at->dst], read(at->a));
        break;
      case Micro::call:
        must_stay(at->a);
        break;
      case Micro::give:
        returned_ = read(at->a);
        break;
      case Micro::give_nothing:
        returned_ = {.lost = true};
        break;
      default:
        if (is_store(micro) || !RoundCode::Use(at).allowed)
          possible_ = false;
        else
          compute(machine, at, slots, tracked);
    }
    at += RoundCode::length(*at);
  }
  run_cells(machine, done_, slots, tracked);
}

void RowProof::enter(const FunctionCode& function) {
  possible_ = possible_ && depth_ < kMostDepth;
  if (!possible_) return;
  if (frames_.size() == depth_) frames_.emplace_back();
  Trails& trails = frames_[depth_++];
  trails.assign(function.slot_count, {.lost = true});
  for (size_t c = 0; c < function.constants.size(); ++c)
    trails[function.first_constant + c].lost = function.constant_known[c] == 0;
}

void RowProof::take_argument(uint32_t slot, uint32_t number) {
  if (!possible_) return;
  write(slot, number < passed_.size() ? read(passed_[number]) : Trail{.lost = true});
}

void RowProof::take_result(uint32_t slot, bool returned) {
  if (possible_) write(slot, returned ? returned_ : Trail{.lost = true});
}

void RowProof::must_stay(uint32_t slot) {
  if (!possible_) return;
  const Trail& trail = read(slot);
  possible_ = !trail.lost && trail.step == 0;
}

void RowProof::leave() {
  possible_ = possible_ && depth_ > 1;
  if (possible_) --depth_;
}

bool RowProof::finish(FrameStack& frames, Passing passed) {
  end_.take(frames, passed);
  if (!possible_ || depth_ != 1 || end_.known != begin_.known) return false;
  for (size_t place = 0; place < steps_.size(); ++place) {
    const Trail& trail = this->trail(place);
    const bool on_line =
        end_.values[place] - begin_.values[place] == steps_[place] && trail.step == steps_[place];
    if (!trail.written ? !on_line : trail.read_first && (trail.lost || !on_line)) return false;
  }
  return true;
}

bool RowProof::is_at(FrameStack& frames, Passing passed, uint64_t rows) const {
  State now;
  now.take(frames, passed);
  if (now.known != end_.known) return false;
  for (size_t place = 0; place < steps_.size(); ++place)
    if (trail(place).read_first && now.values[place] != end_.values[place] + rows * steps_[place])
      return false;
  return true;
}

void RowProof::jump(FrameStack& frames, Passing passed, uint64_t rows) const {
  uint64_t* slots = frames.slots(frames.top());
  for (size_t place = 0; place < steps_.size(); ++place) {
    if (!trail(place).read_first) continue;
    (place < slots_ ? slots[place] : passed[place - slots_].value) += rows * steps_[place];
  }
}

}  // namespace vestige
