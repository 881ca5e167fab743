#include "trace/eval/round_code.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <ranges>

#include "trace/eval/arithmetic.h"

namespace vestige {

namespace {

bool between(Micro micro, Micro first, Micro last) { return micro >= first && micro <= last; }
bool is_unary(Micro micro) { return between(micro, Micro::copy, Micro::shift_out_signed); }
bool is_binary(Micro micro) { return between(micro, Micro::add64, Micro::mul_high); }
bool is_division(Micro micro) { return between(micro, Micro::udiv, Micro::srem); }
bool is_ternary(Micro micro) { return between(micro, Micro::select, Micro::fshr); }
bool is_load(Micro micro) {
  return between(micro, Micro::load1, Micro::load8) ||
         between(micro, Micro::load_part1, Micro::load_part8);
}
bool is_told(Micro micro) { return between(micro, Micro::told1, Micro::told8); }
bool is_store(Micro micro) {
  return between(micro, Micro::store1, Micro::store8) ||
         between(micro, Micro::store_part1, Micro::store_part8);
}
bool is_shown(Micro micro) {
  return micro == Micro::observe_access || micro == Micro::observe_wide;
}

Micro micro_of(const Cell& cell) { return static_cast<Micro>(cell.micro); }

size_t length_of(Micro micro) {
  return is_division(micro) || is_ternary(micro) || micro == Micro::element_wide ? 2 : 1;
}

}  // namespace

size_t RoundCode::length(const Cell& cell) { return length_of(micro_of(cell)); }

RoundCode::Use::Use(const Cell* at) {
  const Micro micro = micro_of(*at);
  if (is_unary(micro) || micro == Micro::offset || is_load(micro)) {
    reads[0] = at->a;
    writes = at->dst;
  } else if (is_binary(micro) || is_division(micro) || micro == Micro::element_wide) {
    reads[0] = at->a;
    reads[1] = at->b;
    writes = at->dst;
  } else if (is_ternary(micro)) {
    reads[0] = at->a;
    reads[1] = at->b;
    reads[2] = at[1].a;
    writes = at->dst;
  } else if (is_told(micro) || micro == Micro::unknown) {
    writes = at->dst;
  } else if (is_store(micro)) {
    reads[0] = at->a;
    reads[1] = at->b;
  } else {
    allowed = false;
  }
}

RoundCode::RoundCode(const PathCode& code) : slots_(code.function->slot_count) {
  if (collect(code, code.end_block, cells_, addresses_)) {
    cells_.push_back({.micro = static_cast<uint16_t>(Micro::end)});
    analyse();
  } else {
    cells_ = {};
  }
}

RoundCode::RoundCode(std::vector<Cell> cells, std::vector<uint32_t> addresses, uint32_t slots)
    : cells_(std::move(cells)), addresses_(std::move(addresses)), slots_(slots) {
  analyse();
}

void RoundCode::analyse() {
  find_carried();
  while (propagate()) {
  }
  possible_ = std::ranges::none_of(
      addresses_, [&](uint32_t slot) { return values_[slot].kind == Kind::other; });
  jumps_ = possible_ &&
           std::ranges::none_of(read_first_, [&](uint32_t slot) { return bad_[slot]; }) &&
           find_stores();
  if (possible_) prune();
  read_first_ = {};
  values_ = {};
  bad_ = {};
  writes_ = {};
  if (!possible_) cells_ = {};
}

// Whether all that is stored, and where, moves by steps.
bool RoundCode::find_stores() {
  const auto moves = [&](uint32_t slot) {
    return values_[slot].kind != Kind::other && writes_[slot] < 2;
  };
  for (size_t i = 0; i + 1 < cells_.size(); i += length_of(micro_of(cells_[i]))) {
    const Cell& cell = cells_[i];
    const Micro micro = micro_of(cell);
    if (!is_store(micro)) continue;
    if (!between(micro, Micro::store1, Micro::store8) || !moves(cell.a) || !moves(cell.b)) {
      stores_.clear();
      return false;
    }
    const unsigned bytes = 1u << (cell.micro - static_cast<uint16_t>(Micro::store1));
    stores_.push_back({cell.a, cell.b, bytes});
  }
  return true;
}

bool RoundCode::collect(const PathCode& code, uint32_t from, std::vector<Cell>& cells,
                        std::vector<uint32_t>& addresses) {
  const bool plain = !code.enters && !code.leaves && !code.returns && !code.at_pad &&
                     !code.watched && code.behind == kNone && code.result_of == kNone &&
                     code.invoke == kNone;
  if (!plain) return false;
  size_t at = 0;
  if (!code.entries.empty()) {
    const auto entry = std::ranges::find(code.entries, from, [](const auto& e) { return e.first; });
    if (entry == code.entries.end()) return false;
    at = entry->second;
  }
  while (micro_of(code.cells[at]) != Micro::end) {
    const Cell* cell = &code.cells[at];
    const Micro micro = micro_of(*cell);
    if (micro == Micro::jump) {
      at += cell->a;
      continue;
    }
    if (is_shown(micro)) {
      if (cell->dst == kNone) return false;  // a value, no address
      addresses.push_back(cell->dst);
    } else {
      const Use use(cell);
      if (!use.allowed || std::ranges::find(addresses, use.writes) != addresses.end()) return false;
      cells.insert(cells.end(), cell, cell + length_of(micro));
    }
    at += length_of(micro);
  }
  return true;
}

void RoundCode::find_carried() {
  std::vector<bool> listed(slots_);
  writes_.assign(slots_, 0);
  for (size_t i = 0; i + 1 < cells_.size(); i += length_of(micro_of(cells_[i]))) {
    const Use use(&cells_[i]);
    for (const uint32_t slot : use.reads)
      if (slot != kNone && writes_[slot] == 0 && !listed[slot]) {
        listed[slot] = true;
        read_first_.push_back(slot);
      }
    if (use.writes != kNone && writes_[use.writes] < 2) ++writes_[use.writes];
  }
  std::erase_if(read_first_, [&](uint32_t slot) { return writes_[slot] == 0; });
  bad_.assign(slots_, false);
}

// Finds what each slot is, as far as the carried slots that are not bad have a step. True: one more
// turned out to be bad.
bool RoundCode::propagate() {
  values_.assign(slots_, {});
  moves_.clear();
  carried_.clear();
  for (const uint32_t slot : read_first_)
    values_[slot] = bad_[slot] ? Value{Kind::other} : Value{Kind::step, slot, true};
  for (size_t i = 0; i + 1 < cells_.size(); i += length_of(micro_of(cells_[i]))) {
    const Use use(&cells_[i]);
    if (use.writes == kNone) continue;
    Move move;
    bool moves = false;
    values_[use.writes] = work(&cells_[i], move, moves);
    if (!moves) continue;
    if (can_be_looked_at(move))
      moves_.push_back(move);
    else
      values_[use.writes] = {Kind::other};
  }
  bool more = false;
  for (const uint32_t slot : read_first_) {
    if (bad_[slot]) continue;
    const Value& end = values_[slot];
    const auto copy = std::ranges::find_if(moves_, [&](const Move& move) {
      const Value& value = values_[move.dst];
      return value.kind == Kind::step && value.of == slot && value.plain && writes_[move.dst] == 1;
    });
    const bool steps =
        end.kind == Kind::step && end.of == slot && writes_[slot] == 1 && copy != moves_.end();
    if (steps) {
      carried_.push_back({slot, copy->dst});
    } else {
      bad_[slot] = true;
      more = true;
    }
  }
  return more;
}

// Values of operands and results are looked at behind a round: they must still be what they were
// when it moved.
bool RoundCode::can_be_looked_at(const Move& move) const {
  const auto lasts = [&](uint32_t slot) { return writes_[slot] < 2; };
  switch (move.rule) {
    case Rule::element:
      return move.gap == 0 || lasts(move.b);
    case Rule::multiply:
    case Rule::stays:
    case Rule::shift:
    case Rule::join:
      return lasts(move.a) && lasts(move.b) && lasts(move.dst);
    default:
      return move.gap == 0 || lasts(move.dst);
  }
}

// The value of an operation's result. When its step is not simply zero: how it moves.
RoundCode::Value RoundCode::work(const Cell* at, Move& move, bool& moves) const {
  constexpr Value kOther{Kind::other};
  const Micro micro = micro_of(*at);
  const Use use(at);
  if (is_load(micro) || is_told(micro) || micro == Micro::unknown) return kOther;
  bool fixed = true;
  for (const uint32_t slot : use.reads) {
    if (slot == kNone) continue;
    if (values_[slot].kind == Kind::other) return kOther;
    fixed = fixed && values_[slot].kind == Kind::fixed;
  }
  if (fixed) return {};
  const Value a = values_[at->a], b = values_[use.reads[1] == kNone ? at->a : at->b];
  const bool a_fixed = a.kind == Kind::fixed, b_fixed = b.kind == Kind::fixed;
  moves = how_it_moves(at, a_fixed, b_fixed, move);
  if (!moves) return kOther;
  if (micro == Micro::copy) return a;
  // One plus something fixed.
  const Value* from = nullptr;
  if (micro == Micro::offset)
    from = &a;
  else if (move.rule == Rule::add)
    from = b_fixed ? &a : a_fixed ? &b : nullptr;
  else if (move.rule == Rule::subtract || move.rule == Rule::element)
    from = b_fixed ? &a : nullptr;
  if (from && from->kind == Kind::step) return {Kind::step, from->of, false};
  return {Kind::linear};
}

bool RoundCode::how_it_moves(const Cell* at, bool a_fixed, bool b_fixed, Move& move) {
  const Micro micro = micro_of(*at);
  const auto gap = static_cast<uint8_t>(arithmetic::gap_of(at->aux));
  move.dst = at->dst;
  move.a = at->a;
  move.b = Use(at).reads[1] == kNone ? at->a : at->b;
  const auto one_of_them = [&] {
    if (!a_fixed && !b_fixed) return false;
    if (a_fixed) std::swap(move.a, move.b);
    return true;
  };
  switch (micro) {
    case Micro::copy:
    case Micro::offset:
      return true;
    case Micro::add32:
    case Micro::add:
      move.gap = micro == Micro::add32 ? 32 : gap;
      [[fallthrough]];
    case Micro::add64:
      move.rule = Rule::add;
      return true;
    case Micro::sub32:
    case Micro::sub:
      move.gap = micro == Micro::sub32 ? 32 : gap;
      [[fallthrough]];
    case Micro::sub64:
      move.rule = Rule::subtract;
      return true;
    case Micro::mul32:
    case Micro::mul:
      move.gap = micro == Micro::mul32 ? 32 : gap;
      [[fallthrough]];
    case Micro::mul64:
      move.rule = Rule::multiply;
      if (one_of_them()) return true;
      move.rule = Rule::stays;
      return micro == Micro::mul64 && at->aux == kSecondStays;
    case Micro::shl:
      move.gap = gap;
      move.rule = Rule::shift;
      return b_fixed;
    case Micro::bit_or:
      move.rule = Rule::join;
      return one_of_them();
    case Micro::trunc32:
    case Micro::trunc:
      move.gap = micro == Micro::trunc32 ? 32 : gap;
      return true;
    case Micro::sext32to64:
      move.gap = 32;
      move.is_signed = true;
      return true;
    case Micro::sext:
      move.gap = gap;
      move.is_signed = true;
      return at->aux >> 6 == 0;
    case Micro::element:
      move.gap = gap;
      move.rule = Rule::element;
      move.scale = at->aux >> 6;
      return true;
    case Micro::element_wide: {
      Cell::Wide wide;
      std::memcpy(&wide, at + 1, sizeof wide);
      move.gap = gap;
      move.rule = Rule::element;
      move.scale = wide.scale;
      return true;
    }
    default:
      return false;
  }
}

// Only what addresses and carried slots come of matters.
void RoundCode::prune() {
  std::vector<bool> wanted(slots_);
  for (const uint32_t slot : addresses_) wanted[slot] = true;
  for (const Store& store : stores_) wanted[store.value] = wanted[store.address] = true;
  for (const Carried& carried : carried_) wanted[carried.slot] = wanted[carried.copy] = true;
  std::vector<Move> kept;
  for (const Move& move : std::views::reverse(moves_)) {
    if (!wanted[move.dst]) continue;
    wanted[move.a] = wanted[move.b] = true;
    kept.push_back(move);
  }
  moves_.assign(kept.rbegin(), kept.rend());
}

namespace {

// Whether a number of so many bits gets past its range on the way.
bool wraps(uint64_t value, uint64_t step, uint64_t rounds, unsigned gap, bool is_signed) {
  const __int128 from =
      is_signed ? static_cast<__int128>(static_cast<int64_t>(value)) : static_cast<__int128>(value);
  const __int128 end =
      from + static_cast<__int128>(static_cast<int64_t>(step)) * static_cast<__int128>(rounds);
  const __int128 size = static_cast<__int128>(1) << (64 - gap);
  return is_signed ? end < -size / 2 || end >= size / 2 : end < 0 || end >= size;
}

}  // namespace

std::optional<uint64_t> RoundCode::step_of(const Move& move, Moving a, Moving b, uint64_t result,
                                           uint64_t rounds) {
  uint64_t made = a.step;
  switch (move.rule) {
    case Rule::copy:
      break;
    case Rule::add:
      made += b.step;
      break;
    case Rule::subtract:
      made -= b.step;
      break;
    case Rule::stays:
      if (b.step != 0) return std::nullopt;
      [[fallthrough]];
    case Rule::multiply:
      made *= b.value;
      break;
    case Rule::shift:
      made = b.value < 64u - move.gap ? made << b.value : 0;
      break;
    case Rule::join: {
      const uint64_t bits = b.value;
      const uint64_t below = bits == 0 ? 0 : ~uint64_t{0} >> std::countl_zero(bits);
      if ((a.value & bits) != 0 || (made & below) != 0) return std::nullopt;
      break;
    }
    case Rule::element: {
      uint64_t index = b.step;
      if (move.gap != 0 && index != 0) {
        index = static_cast<uint64_t>(arithmetic::as_signed(index, move.gap));
        const auto value = static_cast<uint64_t>(arithmetic::as_signed(b.value, move.gap));
        if (wraps(value, index, rounds, move.gap, true)) return std::nullopt;
      }
      return made + index * move.scale;
    }
  }
  if (move.gap == 0) return made;
  made = static_cast<uint64_t>(arithmetic::as_signed(made, move.gap));
  if (wraps(result, made, rounds, move.gap, move.is_signed)) return std::nullopt;
  return made;
}

// Those of all slots that matter, in the place of zeros.
bool RoundCode::move_steps(const uint64_t* slots, const uint8_t* known, uint64_t rounds,
                           uint64_t* step) const {
  for (const Carried& carried : carried_)
    step[carried.slot] = slots[carried.slot] - slots[carried.copy];
  for (const Move& move : moves_) {
    if (known && !known[move.dst]) return false;
    const auto made = step_of(move, {slots[move.a], step[move.a]}, {slots[move.b], step[move.b]},
                              slots[move.dst], rounds);
    if (!made) return false;
    step[move.dst] = *made;
  }
  // A narrow one that wrapped around in this very round goes on in another way than it came.
  return std::ranges::all_of(carried_, [&](const Carried& carried) {
    return step[carried.slot] == slots[carried.slot] - slots[carried.copy];
  });
}

bool RoundCode::find_steps(const uint64_t* slots, const uint8_t* known, uint64_t rounds,
                           Steps& steps) const {
  constexpr uint64_t kMostRounds = uint64_t{1} << 62;
  if (steps.slots.size() < slots_) steps.slots.resize(slots_);
  uint64_t* step = steps.slots.data();
  bool found = rounds <= kMostRounds && move_steps(slots, known, rounds, step);
  steps.addresses.clear();
  steps.carried.clear();
  for (const uint32_t slot : addresses_) {
    found = found && (!known || known[slot]);
    steps.addresses.push_back(step[slot]);
  }
  steps.stores.clear();
  for (const Store& store : stores_) {
    found = found && (!known || (known[store.value] && known[store.address]));
    steps.stores.push_back({slots[store.address], slots[store.value], step[store.address],
                            step[store.value], store.bytes});
  }
  for (const Carried& carried : carried_) steps.carried.push_back(step[carried.slot]);
  for (const Carried& carried : carried_) step[carried.slot] = 0;
  for (const Move& move : moves_) step[move.dst] = 0;
  return found;
}

void RoundCode::jump(uint64_t* slots, Shadow& shadow, uint64_t rounds, Steps& steps) const {
  for (size_t i = 0; i < carried_.size(); ++i) slots[carried_[i].slot] += rounds * steps.carried[i];
  const bool remembers = !shadow.all_known();
  for (uint64_t round = 0; round < rounds && !stores_.empty(); ++round)
    for (Steps::Store& store : steps.stores) {
      store.address += store.address_step;
      store.value += store.value_step;
      uint8_t* place = shadow.bytes() + (store.address & Shadow::kMask);
      switch (store.bytes) {
        case 1:
          Shadow::write<1>(place, store.value);
          break;
        case 2:
          Shadow::write<2>(place, store.value);
          break;
        case 4:
          Shadow::write<4>(place, store.value);
          break;
        default:
          Shadow::write<8>(place, store.value);
          break;
      }
      if (remembers) shadow.remember(store.address, store.bytes);
    }
}

}  // namespace vestige
