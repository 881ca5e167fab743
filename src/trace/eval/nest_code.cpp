#include "trace/eval/nest_code.h"

#include <algorithm>

namespace vestige {

namespace {

// More would take longer than it saves.
constexpr size_t kMostCells = 4096;

bool is_division(const Cell& cell) {
  return cell.micro >= static_cast<uint16_t>(Micro::udiv) &&
         cell.micro <= static_cast<uint16_t>(Micro::srem);
}

Cell make(Micro micro, uint32_t dst, uint32_t a, uint32_t b = 0, uint16_t aux = 0) {
  return {.micro = static_cast<uint16_t>(micro), .aux = aux, .dst = dst, .a = a, .b = b};
}

}  // namespace

// Puts the cells in a row, each result in a slot of its own.
class NestCode::Builder {
 public:
  Builder(NestCode& nest, std::span<const Run> runs) : nest_(nest) {
    nest_.frame_slots_ = runs[0].code->function->slot_count;
    next_ = nest_.frame_slots_;
    now_.resize(next_);
    for (uint32_t slot = 0; slot < next_; ++slot) now_[slot] = slot;
    read_.resize(next_);
    written_.resize(next_);
    uint32_t from = runs.back().code->end_block;
    for (const Run& run : runs) {
      if (!(run.repeats ? add_loop(run, from) : add_once(*run.code, from))) return;
      from = run.code->end_block;
    }
    finish();
  }

 private:
  bool add_once(const PathCode& code, uint32_t from) {
    std::vector<Cell> cells;
    std::vector<uint32_t> addresses;
    if (!RoundCode::collect(code, from, cells, addresses) || !add(cells)) return false;
    Part part;
    for (const uint32_t slot : addresses) part.addresses.push_back(now(slot));
    take_addresses(part);
    return true;
  }
  bool add_loop(const Run& run, uint32_t from) {
    const PathCode& code = *run.code;
    // Only what comes from a round is on a line with what follows.
    if (from != code.end_block) return false;
    if (!code.round) code.round = std::make_shared<const RoundCode>(code);
    Inner inner;
    inner.round = code.round;
    const RoundCode& round = *inner.round;
    if (!round.possible() || !round.jumps() || !round.stores_.empty()) return false;
    std::vector<Cell> cells;
    std::vector<uint32_t> addresses;
    if (!RoundCode::collect(code, from, cells, addresses)) return false;
    for (const auto& carried : round.carried_) inner.added.emplace_back(0, now(carried.slot));
    if (!add(cells)) return false;
    Part part;
    part.inner = static_cast<uint32_t>(nest_.inner_.size());
    part.inner_addresses = addresses;
    for (const uint32_t slot : addresses) part.addresses.push_back(now(slot));
    take_addresses(part);
    for (size_t c = 0; c < inner.added.size(); ++c) {
      inner.added[c].first = now(round.carried_[c].slot);
      add_moving(inner, round.carried_[c].slot);
      view(inner, round.carried_[c].copy);
    }
    for (const auto& move : round.moves_) {
      add_moving(inner, move.dst);
      view(inner, move.a);
      view(inner, move.b);
      using Rule = RoundCode::Rule;
      if (move.rule == Rule::multiply || move.rule == Rule::shift || move.rule == Rule::join)
        inner.factors.push_back(now(move.b));
    }
    for (const uint32_t slot : addresses) add_moving(inner, slot);
    inner.count = next_++;
    inner.count_step = next_++;
    counters_.emplace_back(inner.count, inner.count_step);
    for (size_t c = 0; c < inner.added.size(); ++c) {
      const uint32_t added = next_++, far = next_++, there = next_++;
      const auto [behind, before] = inner.added[c];
      cells_.push_back(make(Micro::sub64, added, behind, before));
      cells_.push_back(make(Micro::mul64, far, inner.count, added, RoundCode::kSecondStays));
      cells_.push_back(make(Micro::add64, there, behind, far));
      now_[round.carried_[c].slot] = there;
    }
    if (!add(cells)) return false;
    for (Twice& twice : inner.moving) {
      twice.last = now(twice.slot);
      matters_.insert(matters_.end(), {twice.first, twice.last});
    }
    for (const auto& [behind, before] : inner.added)
      matters_.insert(matters_.end(), {behind, before});
    matters_.insert(matters_.end(), inner.factors.begin(), inner.factors.end());
    nest_.inner_.push_back(std::move(inner));
    return true;
  }
  void take_addresses(Part& part) {
    matters_.insert(matters_.end(), part.addresses.begin(), part.addresses.end());
    nest_.parts_.push_back(std::move(part));
  }
  void view(Inner& inner, uint32_t slot) { inner.view.emplace_back(slot, now(slot)); }
  void add_moving(Inner& inner, uint32_t slot) {
    view(inner, slot);
    inner.moving.push_back({slot, now(slot), 0});
  }
  // What a slot of the frame is in now, to be read.
  uint32_t now(uint32_t slot) {
    if (now_[slot] == slot) read_[slot] = true;
    return now_[slot];
  }
  bool add(const std::vector<Cell>& cells) {
    if (cells_.size() + cells.size() > kMostCells) return false;
    for (size_t i = 0; i < cells.size(); i += RoundCode::length(cells[i])) {
      const RoundCode::Use use(&cells[i]);
      if (is_division(cells[i])) return false;  // one by zero is reported
      const size_t at = cells_.size();
      const size_t length = RoundCode::length(cells[i]);
      cells_.insert(cells_.end(), cells.begin() + static_cast<std::ptrdiff_t>(i),
                    cells.begin() + static_cast<std::ptrdiff_t>(i + length));
      if (use.reads[0] != kNone) cells_[at].a = now(use.reads[0]);
      if (use.reads[1] != kNone) cells_[at].b = now(use.reads[1]);
      if (use.reads[2] != kNone) cells_[at + 1].a = now(use.reads[2]);
      if (use.writes == kNone) continue;
      cells_[at].dst = next_;
      now_[use.writes] = next_++;
      written_[use.writes] = true;
    }
    return true;
  }
  // Carried slots are copied before a round, and set behind it.
  void finish() {
    std::vector<Cell> all;
    for (uint32_t slot = 0; slot < read_.size(); ++slot) {
      if (read_[slot]) nest_.reads_.push_back(slot);
      if (read_[slot] && written_[slot]) nest_.carried_.push_back(slot);
    }
    for (const uint32_t slot : nest_.carried_) all.push_back(make(Micro::copy, next_++, slot));
    for (const auto& [count, step] : counters_) all.push_back(make(Micro::copy, next_++, count));
    all.insert(all.end(), cells_.begin(), cells_.end());
    for (const uint32_t slot : nest_.carried_) all.push_back(make(Micro::copy, slot, now_[slot]));
    for (const auto& [count, step] : counters_)
      all.push_back(make(Micro::add64, count, count, step));
    all.push_back(make(Micro::end, 0, 0));
    nest_.slots_ = next_;
    nest_.outer_ = std::make_unique<const RoundCode>(std::move(all), std::move(matters_), next_);
  }

  NestCode& nest_;
  uint32_t next_ = 0;
  std::vector<uint32_t> now_;         // by slot of the frame
  std::vector<bool> read_, written_;  // the same: read before anything is written there
  std::vector<Cell> cells_;
  std::vector<uint32_t> matters_;  // slots whose steps are wanted
  std::vector<std::pair<uint32_t, uint32_t>> counters_;
};

NestCode::NestCode(std::span<const Run> runs) { Builder(*this, runs); }

size_t NestCode::bytes() const {
  size_t sum = sizeof *this + (outer_ ? outer_->bytes() : 0);
  for (const Inner& inner : inner_)
    sum += inner.moving.size() * sizeof(Twice) + (inner.view.size() + inner.added.size()) * 8;
  return sum;
}

bool NestCode::find(Machine& machine, const uint64_t* slots, std::span<const Counts> counts,
                    uint64_t rounds, Found& found) const {
  constexpr uint64_t kMostRounds = uint64_t{1} << 40;
  if (rounds > kMostRounds) return false;
  found.slots.resize(std::max<size_t>(found.slots.size(), slots_));
  found.inner_slots.resize(std::max<size_t>(found.inner_slots.size(), frame_slots_));
  found.steps.resize(std::max<size_t>(found.steps.size(), slots_));
  found.inner_steps.resize(std::max<size_t>(found.inner_steps.size(), frame_slots_));
  std::copy_n(slots, frame_slots_, found.slots.data());
  for (size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].inner == kNone) continue;
    const Inner& inner = inner_[parts_[p].inner];
    found.slots[inner.count] = counts[p].rounds - 2;
    found.slots[inner.count_step] = counts[p].step;
  }
  run_cells(machine, outer_->cells(), found.slots.data(), false);
  bool good = outer_->move_steps(found.slots.data(), nullptr, rounds, found.steps.data());
  found.runs.resize(parts_.size());
  for (size_t p = 0; p < parts_.size() && good; ++p) {
    const Part& part = parts_[p];
    Lines& lines = found.runs[p];
    lines.addresses.clear();
    lines.outer.clear();
    for (const uint32_t slot : part.addresses) {
      lines.addresses.push_back(found.slots[slot]);
      lines.outer.push_back(found.steps[slot]);
    }
    lines.inner.assign(part.addresses.size(), 0);
    if (part.inner == kNone) continue;
    const Inner& inner = inner_[part.inner];
    good = check(inner, counts[p], found);
    for (size_t a = 0; a < part.addresses.size(); ++a)
      lines.inner[a] = found.inner_steps[part.inner_addresses[a]];
    for (const Twice& twice : inner.moving) found.inner_steps[twice.slot] = 0;
  }
  found.carried.clear();
  for (const uint32_t slot : carried_) found.carried.push_back(found.steps[slot]);
  for (const auto& carried : outer_->carried_) found.steps[carried.slot] = 0;
  for (const auto& move : outer_->moves_) found.steps[move.dst] = 0;
  return good;
}

bool NestCode::check(const Inner& inner, const Counts& counts, Found& found) const {
  for (const auto& [slot, at] : inner.view) found.inner_slots[slot] = found.slots[at];
  const uint64_t* step = found.steps.data();
  return inner.round->move_steps(found.inner_slots.data(), nullptr, counts.rounds - 1,
                                 found.inner_steps.data()) &&
         std::ranges::all_of(
             inner.added,
             [&](const auto& added) { return step[added.first] == step[added.second]; }) &&
         std::ranges::all_of(inner.factors, [&](uint32_t slot) { return step[slot] == 0; }) &&
         std::ranges::all_of(inner.moving, [&](const Twice& twice) {
           return step[twice.last] ==
                  step[twice.first] + counts.step * found.inner_steps[twice.slot];
         });
}

void NestCode::jump(uint64_t* slots, uint64_t rounds, const Found& found) const {
  for (size_t c = 0; c < carried_.size(); ++c) slots[carried_[c]] += rounds * found.carried[c];
}

}  // namespace vestige
