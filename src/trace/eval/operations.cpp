// The operations of micro_code.h, and the tables of them.
#include <array>
#include <type_traits>

#include "trace/eval/arithmetic.h"
#include "trace/eval/machine.h"

namespace vestige {

namespace {

struct Next;
using Handler = void (*)(const Cell* at, uint64_t* slots, Machine* machine, const Next* table,
                         uint8_t* shadow, uint32_t wanted);
struct Next {
  Handler handler;
};

#define VESTIGE_ARGUMENTS                                                                \
  const Cell *at, uint64_t *slots, [[maybe_unused]] Machine *machine, const Next *table, \
      uint8_t *shadow, uint32_t wanted
// Goes on `cells` further. The last thing an operation does.
#define VESTIGE_NEXT(cells) \
  at += (cells);            \
  [[clang::musttail]] return table[at->micro].handler(at, slots, machine, table, shadow, wanted)

// kTracked: some values are not known, and machine->known says of each slot whether its value is.
// kNoting: a keyframe is made, and machine->touches wants to know what is touched first.
template <bool kTracked>
bool is_known(const Machine* machine, uint32_t slot) {
  return !kTracked || machine->known[slot];
}

template <class Operation, bool kTracked>
void unary(VESTIGE_ARGUMENTS) {
  if constexpr (kTracked) machine->known[at->dst] = machine->known[at->a];
  slots[at->dst] = Operation::of(slots[at->a], 0, at->aux);
  VESTIGE_NEXT(1);
}

template <class Operation, bool kTracked>
void binary(VESTIGE_ARGUMENTS) {
  if constexpr (kTracked) machine->known[at->dst] = machine->known[at->a] & machine->known[at->b];
  slots[at->dst] = Operation::of(slots[at->a], slots[at->b], at->aux);
  VESTIGE_NEXT(1);
}

[[gnu::noinline]] void report_division(Machine* machine, uint32_t statement, uint64_t a,
                                       uint64_t b) {
  machine->report(EvaluationProblem::Kind::division, statement, a, b);
}

template <class Operation, bool kTracked>
void division(VESTIGE_ARGUMENTS) {
  const uint64_t a = slots[at->a], b = slots[at->b];
  const bool known = is_known<kTracked>(machine, at->a) && is_known<kTracked>(machine, at->b);
  uint64_t result = 0;
  if (!Operation::of(a, b, at->aux, result)) [[unlikely]] {
    if (known) report_division(machine, at[1].a, a, b);
  }
  if constexpr (kTracked) machine->known[at->dst] = known;
  slots[at->dst] = result;
  VESTIGE_NEXT(2);
}

template <class Operation, bool kTracked>
void ternary(VESTIGE_ARGUMENTS) {
  const uint64_t a = slots[at->a];
  if constexpr (kTracked) {
    const uint8_t* known = machine->known;
    if constexpr (std::is_same_v<Operation, arithmetic::select>)
      machine->known[at->dst] = known[at->a] & (a & 1 ? known[at->b] : known[at[1].a]);
    else
      machine->known[at->dst] = known[at->a] & known[at->b] & known[at[1].a];
  }
  slots[at->dst] = Operation::of(a, slots[at->b], slots[at[1].a], at->aux);
  VESTIGE_NEXT(2);
}

template <bool kTracked>
void offset(VESTIGE_ARGUMENTS) {
  if constexpr (kTracked) machine->known[at->dst] = machine->known[at->a];
  slots[at->dst] = slots[at->a] + static_cast<uint64_t>(int64_t{static_cast<int32_t>(at->b)});
  VESTIGE_NEXT(1);
}

template <bool kTracked>
void element_wide(VESTIGE_ARGUMENTS) {
  if constexpr (kTracked) machine->known[at->dst] = machine->known[at->a] & machine->known[at->b];
  Cell::Wide wide;
  std::memcpy(&wide, at + 1, sizeof wide);
  slots[at->dst] =
      slots[at->a] +
      static_cast<uint64_t>(arithmetic::as_signed(slots[at->b], arithmetic::gap_of(at->aux))) *
          wide.scale +
      wide.offset;
  VESTIGE_NEXT(2);
}

template <bool kTracked>
void unknown(VESTIGE_ARGUMENTS) {
  slots[at->dst] = 0;
  if constexpr (kTracked) machine->known[at->dst] = 0;
  VESTIGE_NEXT(1);
}

template <unsigned kBytes, bool kTracked, bool kFixed, bool kNoting>
[[gnu::noinline]] void read_surprise(VESTIGE_ARGUMENTS) {
  const uint64_t address = kFixed ? at->a : slots[at->a];
  bool place_known = true, held_known = true;
  if constexpr (kTracked) {
    place_known = kFixed || machine->known[at->a];
    held_known = place_known && machine->shadow.known(address, kBytes);
    machine->known[at->dst] = 1;
  }
  uint8_t* place = shadow + (address & Shadow::kMask);
  const uint64_t held = Shadow::read<kBytes>(place);
  if constexpr (kNoting) {
    if (place_known)
      machine->touches->read_told(address, kBytes, held,
                                  arithmetic::low_bits(machine->told_values.next().value, at->aux),
                                  machine->shadow);
  }
  const uint64_t value = machine->take(at->b, at->aux, held_known ? &held : nullptr);
  if (place_known) {
    Shadow::write<kBytes>(place, value);
    if constexpr (kTracked) machine->shadow.remember(address, kBytes);
  } else {
    machine->lose_memory();
  }
  slots[at->dst] = value;
  wanted = machine->told_index();
  VESTIGE_NEXT(1);
}

// Notes what `read` is going to touch first, and goes back to it.
template <unsigned kBytes, bool kTracked, bool kFixed>
[[gnu::noinline]] void note_read(VESTIGE_ARGUMENTS) {
  machine->touches->read(kFixed ? at->a : slots[at->a], kBytes, machine->shadow);
  VESTIGE_NEXT(0);
}

// kFixed: a is the address itself, not the slot that holds it.
template <unsigned kBytes, bool kTracked, bool kFixed, bool kNoting>
void read(VESTIGE_ARGUMENTS) {
  if (at->b == wanted) [[unlikely]] {
    [[clang::musttail]] return read_surprise<kBytes, kTracked, kFixed, kNoting>(
        at, slots, machine, table, shadow, wanted);
  }
  const uint64_t address = kFixed ? at->a : slots[at->a];
  if constexpr (kNoting) {
    bool note = !machine->touches->touched(address, kBytes);
    if constexpr (kTracked && !kFixed) note = note && machine->known[at->a];
    if (note) [[unlikely]] {
      [[clang::musttail]] return note_read<kBytes, kTracked, kFixed>(at, slots, machine, table,
                                                                     shadow, wanted);
    }
  }
  if constexpr (kTracked)
    machine->known[at->dst] =
        (kFixed || machine->known[at->a]) && machine->shadow.known(address, kBytes);
  slots[at->dst] = Shadow::read<kBytes>(shadow + (address & Shadow::kMask));
  VESTIGE_NEXT(1);
}

template <unsigned kBytes, bool kTracked, bool kNoting>
void store(VESTIGE_ARGUMENTS) {
  const uint64_t address = slots[at->b];
  if constexpr (kTracked) {
    if (!machine->known[at->b]) {
      machine->lose_memory();
      VESTIGE_NEXT(1);
    }
    if (machine->known[at->a])
      machine->shadow.remember(address, kBytes);
    else
      machine->shadow.forget(address, kBytes);
  }
  if constexpr (kNoting) {
    if (!machine->touches->touched(address, kBytes)) machine->touches->write(address, kBytes);
  }
  Shadow::write<kBytes>(shadow + (address & Shadow::kMask), slots[at->a]);
  VESTIGE_NEXT(1);
}

template <unsigned kBytes, bool kTracked, bool kNoting>
[[gnu::noinline]] void load_part_surprise(VESTIGE_ARGUMENTS) {
  const unsigned gap = arithmetic::gap_of(at->aux);
  const size_t place = (slots[at->a] & Shadow::kMask) + (at->aux >> 6);
  bool place_known = true, held_known = true;
  if constexpr (kTracked) {
    place_known = machine->known[at->a];
    held_known = place_known && machine->shadow.place_known(place, kBytes);
    machine->known[at->dst] = 1;
  }
  const uint64_t held = Shadow::read<kBytes>(shadow + place);
  if constexpr (kNoting) {
    if (place_known)
      machine->touches->tell_at(place, kBytes, held,
                                arithmetic::low_bits(machine->told_values.next().value, gap),
                                machine->shadow);
  }
  const uint64_t value = machine->take(at->b, gap, held_known ? &held : nullptr);
  if (place_known) {
    Shadow::write<kBytes>(shadow + place, value);
    if constexpr (kTracked) machine->shadow.remember_place(place, kBytes);
  } else {
    machine->lose_memory();
  }
  slots[at->dst] = value;
  wanted = machine->told_index();
  VESTIGE_NEXT(1);
}

template <unsigned kBytes, bool kTracked, bool kNoting>
void load_part(VESTIGE_ARGUMENTS) {
  if (at->b == wanted) [[unlikely]] {
    [[clang::musttail]] return load_part_surprise<kBytes, kTracked, kNoting>(at, slots, machine,
                                                                             table, shadow, wanted);
  }
  const size_t place = (slots[at->a] & Shadow::kMask) + (at->aux >> 6);
  bool place_known = true;
  if constexpr (kTracked) {
    place_known = machine->known[at->a];
    machine->known[at->dst] = place_known && machine->shadow.place_known(place, kBytes);
  }
  if constexpr (kNoting) {
    if (place_known) machine->touches->read_range(place, kBytes, machine->shadow);
  }
  slots[at->dst] = Shadow::read<kBytes>(shadow + place);
  VESTIGE_NEXT(1);
}

template <unsigned kBytes, bool kTracked, bool kNoting>
void store_part(VESTIGE_ARGUMENTS) {
  const size_t place = (slots[at->b] & Shadow::kMask) + (at->aux >> 6);
  if constexpr (kTracked) {
    if (!machine->known[at->b]) {
      machine->lose_memory();
      VESTIGE_NEXT(1);
    }
    if (machine->known[at->a])
      machine->shadow.remember_place(place, kBytes);
    else
      machine->shadow.forget_place(place, kBytes);
  }
  if constexpr (kNoting) machine->touches->write_range(place, kBytes);
  Shadow::write<kBytes>(shadow + place, slots[at->a]);
  VESTIGE_NEXT(1);
}

template <bool kTracked, bool kCopies, bool kNoting>
void work_on_memory(VESTIGE_ARGUMENTS) {
  const uint64_t to = slots[at->a], bytes = slots[at->dst];
  Shadow& memory = machine->shadow;
  bool known = true;
  if constexpr (kTracked) {
    known = machine->known[at->b];
    if (!machine->known[at->a] || !machine->known[at->dst]) {
      machine->lose_memory();
      VESTIGE_NEXT(1);
    }
  }
  if constexpr (kNoting) {
    // All is noted before anything moves, as if the sources were read first: what a later piece
    // finds where an earlier one went is not what the window began with, but keeping more than it
    // needs does no harm.
    if (kCopies && known)
      Shadow::each_piece(slots[at->b], bytes, [&](uint64_t place, uint64_t count) {
        machine->touches->read_range(place, count, memory);
      });
    Shadow::each_piece(to, bytes, [&](uint64_t place, uint64_t count) {
      machine->touches->write_range(place, count);
    });
  }
  if (!known)
    memory.forget_range(to, bytes);
  else if constexpr (kCopies)
    memory.copy(to, slots[at->b], bytes);
  else
    memory.fill(to, static_cast<uint8_t>(slots[at->b]), bytes);
  VESTIGE_NEXT(1);
}

[[gnu::noinline]] void report_branch(Machine* machine, uint32_t statement, bool found) {
  const auto& operands = machine->function->function.statements[statement].operands;
  machine->report(EvaluationProblem::Kind::branch, statement, operands[found ? 1 : 2].index,
                  operands[found ? 2 : 1].index);
}

template <bool kTracked>
void check_branch(VESTIGE_ARGUMENTS) {
  if (slots[at->a] != at->aux && is_known<kTracked>(machine, at->a)) [[unlikely]]
    report_branch(machine, at->b, slots[at->a] & 1);
  VESTIGE_NEXT(1);
}

[[gnu::noinline]] void look_up_switch(Machine* machine, const Cell* at, uint64_t value) {
  const auto found = machine->function->switches.find(at->b);
  if (found == machine->function->switches.end()) return;
  const uint32_t target = found->second.target(value);
  if (target != at->dst) machine->report(EvaluationProblem::Kind::branch, at->b, at->dst, target);
}

template <bool kTracked>
void check_switch(VESTIGE_ARGUMENTS) {
  if (is_known<kTracked>(machine, at->a)) look_up_switch(machine, at, slots[at->a]);
  VESTIGE_NEXT(1);
}

template <bool kTracked>
void pass(VESTIGE_ARGUMENTS) {
  machine->passed[at->dst] = {slots[at->a], is_known<kTracked>(machine, at->a)};
  VESTIGE_NEXT(1);
}

template <bool kTracked>
void call(VESTIGE_ARGUMENTS) {
  machine->callee = {slots[at->a], is_known<kTracked>(machine, at->a)};
  machine->ack = {0, true};
  machine->signature = at->dst;
  VESTIGE_NEXT(1);
}

template <bool kTracked>
void give(VESTIGE_ARGUMENTS) {
  machine->returned = {slots[at->a], is_known<kTracked>(machine, at->a)};
  machine->returned_kind = at->aux;
  VESTIGE_NEXT(1);
}

void give_nothing(VESTIGE_ARGUMENTS) {
  machine->returned_kind = 0;
  VESTIGE_NEXT(1);
}

template <bool kTracked>
void give_part(VESTIGE_ARGUMENTS) {
  machine->returned_parts[at->dst] = {slots[at->a], is_known<kTracked>(machine, at->a)};
  VESTIGE_NEXT(1);
}

void give_wide(VESTIGE_ARGUMENTS) {
  machine->returned_kind = kWidePart;
  machine->returned_signature = at->dst;
  VESTIGE_NEXT(1);
}

Observation begin_observation(const Machine* machine, const Cell* at) {
  return {.time = at->aux ? machine->time_before : machine->time,
          .function = machine->function->index,
          .statement = at->b};
}

// What an operation shows must be gone before the next one is called.
template <bool kTracked>
void observe_value(VESTIGE_ARGUMENTS) {
  {
    Observation seen = begin_observation(machine, at);
    seen.has_value = is_known<kTracked>(machine, at->a);
    seen.value = slots[at->a];
    machine->observer->see(seen);
  }
  VESTIGE_NEXT(1);
}

// These keep the registers of the operation that calls them now and then, so that it need not.
template <bool kTracked>
[[gnu::noinline, clang::preserve_most]] void show_access(const Cell* at, const uint64_t* slots,
                                                         Machine* machine) {
  Observation seen = begin_observation(machine, at);
  seen.has_value = at->a != kNone && is_known<kTracked>(machine, at->a);
  if (seen.has_value) seen.value = slots[at->a];
  seen.has_address = is_known<kTracked>(machine, at->dst);
  seen.address = slots[at->dst];
  machine->observer->see(seen);
}
[[gnu::noinline, clang::preserve_most]] void drain_log(Machine* machine) {
  machine->observer->drain();
}

template <bool kTracked>
void observe_access(VESTIGE_ARGUMENTS) {
  AccessLog* log = machine->log;
  const bool values = log != nullptr && log->values;
  const bool logged = log != nullptr && is_known<kTracked>(machine, at->dst) &&
                      (!values || (at->a != kNone && is_known<kTracked>(machine, at->a)));
  if (logged) [[likely]] {
    *log->next = {at->aux ? machine->time_before : machine->time, slots[at->dst],
                  values ? slots[at->a] : 0, machine->function->index, at->b};
    if (++log->next == log->end) [[unlikely]]
      drain_log(machine);
  } else {
    show_access<kTracked>(at, slots, machine);
  }
  VESTIGE_NEXT(1);
}

template <bool kTracked>
WideRef parts_in(const Machine* machine, const uint64_t* slots, uint32_t first, uint32_t count) {
  WideValue value;
  value.parts.resize(count);
  for (uint32_t p = 0; p < count; ++p)
    if (is_known<kTracked>(machine, first + p)) value.parts[p] = slots[first + p];
  return std::make_shared<const WideValue>(std::move(value));
}

template <bool kTracked>
[[gnu::noinline]] void show_wide(const Cell* at, const uint64_t* slots, Machine* machine) {
  Observation seen = begin_observation(machine, at);
  seen.time = at->aux & 1 ? machine->time_before : machine->time;
  if (machine->shows_wide && at->a != kNone)
    seen.wide = parts_in<kTracked>(machine, slots, at->a, at->aux >> 1);
  if (at->dst != kNone) {
    seen.has_address = is_known<kTracked>(machine, at->dst);
    seen.address = slots[at->dst];
  }
  machine->observer->see(seen);
}

template <bool kTracked>
void observe_wide(VESTIGE_ARGUMENTS) {
  AccessLog* log = machine->log;
  if (log != nullptr && !log->values && at->dst != kNone && is_known<kTracked>(machine, at->dst)) {
    *log->next = {at->aux & 1 ? machine->time_before : machine->time, slots[at->dst], 0,
                  machine->function->index, at->b};
    if (++log->next == log->end) [[unlikely]]
      drain_log(machine);
  } else {
    show_wide<kTracked>(at, slots, machine);
  }
  VESTIGE_NEXT(1);
}

template <bool kTracked>
void observe_work(VESTIGE_ARGUMENTS) {
  {
    Observation seen{
        .time = machine->time, .function = machine->function->index, .statement = at->b};
    const bool given = at->a != kNone && is_known<kTracked>(machine, at->a);
    seen.has_fill = given && at->aux == kShowsFill;
    seen.has_source = given && at->aux != kShowsFill;
    if (seen.has_fill) seen.fill = static_cast<uint8_t>(slots[at->a]);
    if (seen.has_source) seen.source = slots[at->a];
    seen.has_address = is_known<kTracked>(machine, at->dst);
    seen.address = slots[at->dst];
    const uint32_t length = at[1].a;
    seen.has_length = length != kNone && is_known<kTracked>(machine, length);
    if (seen.has_length) seen.length = slots[length];
    machine->observer->see(seen);
  }
  VESTIGE_NEXT(2);
}

template <bool kTracked>
void observe_binding(VESTIGE_ARGUMENTS) {
  {
    Passage passed{.time = machine->time,
                   .function = machine->function->index,
                   .depth = machine->depth,
                   .binding = at->b,
                   .operand = at->aux & ~uint32_t{kLastOperand},
                   .last = (at->aux & kLastOperand) != 0};
    if (at->dst != 0) {
      passed.wide = parts_in<kTracked>(machine, slots, at->a, at->dst);
    } else {
      passed.has_value = at->a != kNone && is_known<kTracked>(machine, at->a);
      if (passed.has_value) passed.value = slots[at->a];
    }
    machine->observer->pass(passed);
  }
  VESTIGE_NEXT(1);
}

void jump(VESTIGE_ARGUMENTS) { VESTIGE_NEXT(at->a); }

void end(const Cell*, uint64_t*, Machine*, const Next*, uint8_t*, uint32_t) {}

template <bool kTracked, bool kNoting>
constexpr std::array<Next, static_cast<size_t>(Micro::count_)> make_table() {
  std::array<Next, static_cast<size_t>(Micro::count_)> table{};
  const auto set = [&](Micro micro, Handler handler) {
    table[static_cast<size_t>(micro)] = {handler};
  };
#define VESTIGE_SET(name) set(Micro::name, &unary<arithmetic::name, kTracked>);
  VESTIGE_UNARY_OPS(VESTIGE_SET)
#undef VESTIGE_SET
#define VESTIGE_SET(name) set(Micro::name, &binary<arithmetic::name, kTracked>);
  VESTIGE_BINARY_OPS(VESTIGE_SET)
#undef VESTIGE_SET
#define VESTIGE_SET(name) set(Micro::name, &division<arithmetic::name, kTracked>);
  VESTIGE_DIVISION_OPS(VESTIGE_SET)
#undef VESTIGE_SET
#define VESTIGE_SET(name) set(Micro::name, &ternary<arithmetic::name, kTracked>);
  VESTIGE_TERNARY_OPS(VESTIGE_SET)
#undef VESTIGE_SET
  set(Micro::offset, &offset<kTracked>);
  set(Micro::element_wide, &element_wide<kTracked>);
  set(Micro::unknown, &unknown<kTracked>);
  set(Micro::load1, &read<1, kTracked, false, kNoting>);
  set(Micro::load2, &read<2, kTracked, false, kNoting>);
  set(Micro::load4, &read<4, kTracked, false, kNoting>);
  set(Micro::load8, &read<8, kTracked, false, kNoting>);
  set(Micro::told1, &read<1, kTracked, true, kNoting>);
  set(Micro::told2, &read<2, kTracked, true, kNoting>);
  set(Micro::told4, &read<4, kTracked, true, kNoting>);
  set(Micro::told8, &read<8, kTracked, true, kNoting>);
  set(Micro::store1, &store<1, kTracked, kNoting>);
  set(Micro::store2, &store<2, kTracked, kNoting>);
  set(Micro::store4, &store<4, kTracked, kNoting>);
  set(Micro::store8, &store<8, kTracked, kNoting>);
  set(Micro::load_part1, &load_part<1, kTracked, kNoting>);
  set(Micro::load_part2, &load_part<2, kTracked, kNoting>);
  set(Micro::load_part4, &load_part<4, kTracked, kNoting>);
  set(Micro::load_part8, &load_part<8, kTracked, kNoting>);
  set(Micro::store_part1, &store_part<1, kTracked, kNoting>);
  set(Micro::store_part2, &store_part<2, kTracked, kNoting>);
  set(Micro::store_part4, &store_part<4, kTracked, kNoting>);
  set(Micro::store_part8, &store_part<8, kTracked, kNoting>);
  set(Micro::copy_memory, &work_on_memory<kTracked, true, kNoting>);
  set(Micro::fill_memory, &work_on_memory<kTracked, false, kNoting>);
  set(Micro::check_branch, &check_branch<kTracked>);
  set(Micro::check_switch, &check_switch<kTracked>);
  set(Micro::pass, &pass<kTracked>);
  set(Micro::call, &call<kTracked>);
  set(Micro::give, &give<kTracked>);
  set(Micro::give_nothing, &give_nothing);
  set(Micro::give_part, &give_part<kTracked>);
  set(Micro::give_wide, &give_wide);
  set(Micro::observe_value, &observe_value<kTracked>);
  set(Micro::observe_access, &observe_access<kTracked>);
  set(Micro::observe_wide, &observe_wide<kTracked>);
  set(Micro::observe_work, &observe_work<kTracked>);
  set(Micro::observe_binding, &observe_binding<kTracked>);
  set(Micro::jump, &jump);
  set(Micro::end, &end);
  return table;
}

constexpr auto kExact = make_table<false, false>();
constexpr auto kTrackedTable = make_table<true, false>();
constexpr auto kExactNoting = make_table<false, true>();
constexpr auto kTrackedNoting = make_table<true, true>();

}  // namespace

void run_cells(Machine& machine, const Cell* cells, uint64_t* slots, bool tracked) {
  const Next* table = tracked ? kTrackedTable.data() : kExact.data();
  if (machine.touches) [[unlikely]]
    table = tracked ? kTrackedNoting.data() : kExactNoting.data();
  table[cells->micro].handler(cells, slots, &machine, table, machine.shadow.bytes(),
                              machine.told_index());
}

}  // namespace vestige
