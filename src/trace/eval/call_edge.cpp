// What the evaluator does at both ends of a call: the rules are in program/derive.h ("The call
// edge").
//
// Where an address is not known it cannot be decided whether something was told. Then a value is
// taken when it is told, and is unknown otherwise; either way the shadow is right: what is told
// without a told value was there before.
#include <algorithm>

#include "trace/eval/evaluator.h"

namespace vestige {

void Evaluator::take_arguments(const PathCode& code) {
  const FunctionCode& function = *code.function;
  const Word callee = machine_.callee;
  machine_.callee = {0, true};
  const size_t count = function.argument_slots.size();
  const uint32_t wanted = machine_.told_index();

  enum class How { told, passed, unknown } how = How::told;
  if (function.own_known ? function.own == 0 : callee.known && callee.value == 0) {
    how = How::told;
  } else if (function.own_known && callee.known) {
    how = callee.value == function.own ? How::passed : How::told;
  } else if (wanted != kNone && function.is_argument(wanted)) {
    how = How::told;  // whoever tells one argument tells all of them
  } else {
    how = How::unknown;
  }

  const bool alike = machine_.signature == code.signature;
  // What a caller of another type passed is found by its number, up to the first that has parts.
  const std::vector<ValueKind>* kinds =
      how == How::passed && !alike ? &codes_.signatures().kinds(machine_.signature) : nullptr;
  size_t comparable = kinds ? kinds->size() : 0;
  if (kinds)
    comparable = static_cast<size_t>(
        std::ranges::find_if(*kinds, [](ValueKind kind) { return (kind & kWidePart) != 0; }) -
        kinds->begin());
  size_t number = 0;
  for (uint32_t k = 0; k < count; ++k) {
    const uint32_t slot = function.argument_slots[k];
    const std::vector<Part>& parts = function.kept.parts(function.function.arguments[k]);
    for (uint32_t p = 0; p < parts.size(); ++p, ++number) {
      Machine::Passed value;
      if (how == How::told)
        value = machine_.read_told(function, function.argument_part(k, p), parts[p].type);
      else if (how == How::passed &&
               (alike ||
                (number < comparable && (*kinds)[number] == function.argument_kinds[number])))
        value = machine_.passed[number];
      frames_.set(slot + p, value.value, value.known);
      if (proving_)
        proof_.take_argument(
            slot + p, how == How::passed && value.known ? static_cast<uint32_t>(number) : kNone);
    }
    if (parts.empty()) ++number;
  }
  if (machine_.shows_calls && how == How::told &&
      !(function.own_known && function.own == 0 && alike && callee.known && callee.value != 0 &&
        show_copied_arguments(code)))
    show_outside_entry(function);
}

void Evaluator::show_outside_entry(const FunctionCode& function) {
  std::vector<std::optional<uint64_t>> pointers(function.argument_slots.size());
  for (uint32_t k = 0; k < function.argument_slots.size(); ++k) {
    const uint32_t slot = function.argument_slots[k];
    const SimpleType& type = function.types[function.function.arguments[k]];
    if (slot == kNone || type.bits == 0 || type.kind != SimpleType::Kind::pointer) continue;
    if (frames_.is_known(frames_.top(), slot)) pointers[k] = frames_.slots(frames_.top())[slot];
  }
  machine_.observer->entered_from_outside(function.index, pointers);
}

// A function with arguments that are copied on the way is told all of them, so addresses that are
// not what the caller passed are those of the copies. That it was this caller is known of direct
// calls only.
bool Evaluator::show_copied_arguments(const PathCode& code) {
  const FunctionCode& function = *code.function;
  if (!ended_ || ended_->end != SegmentEnd::call) return false;
  const Function& caller = trace_->functions()[ended_->function];
  const Segment& last = caller.segments[ended_->segments.back()];
  if (last.statement_count == 0) return false;
  const Statement& call = caller.statements[last.first_statement + last.statement_count - 1];
  if (call.callee == kNone || caller.symbols[call.callee] != function.function.name) return false;
  size_t number = 0;
  for (uint32_t k = 0; k < function.argument_slots.size(); ++k) {
    const uint32_t type = function.function.arguments[k];
    const uint32_t slot = function.argument_slots[k];
    if (function.types[type].kind == SimpleType::Kind::pointer && slot != kNone) {
      const Machine::Passed& passed = machine_.passed[number];
      const uint64_t told = frames_.slots(frames_.top())[slot];
      if (frames_.is_known(frames_.top(), slot) && (!passed.known || told != passed.value))
        machine_.observer->copied_argument(
            function.index, k, told, passed.known ? std::optional(passed.value) : std::nullopt);
    }
    number += std::max<size_t>(1, function.kept.parts(type).size());
  }
  return true;
}

// Whether the call ran recorded code that cannot say so: a function whose own address is 0.
bool Evaluator::came_back_from(const Statement& call) const {
  if (!ended_ || !ended_->leaves) return false;
  const FunctionCode* caller = frames_.top().function;
  const auto& addresses = *codes_.inputs().addresses;
  if (ended_->function >= addresses.size() || !addresses[ended_->function].known ||
      addresses[ended_->function].own != 0)
    return false;
  return call.callee == kNone ||
         caller->function.symbols[call.callee] == trace_->functions()[ended_->function].name;
}

void Evaluator::take_result(uint32_t index) {
  const Activation& frame = frames_.top();
  const FunctionCode& function = *frame.function;
  const Statement& statement = function.function.statements[index];
  const Word ack = machine_.ack;
  machine_.ack = {0, true};
  const uint32_t slot = function.statement_slots[index];
  const FunctionCode::Library* library = function.library_of(index);
  if (slot == kNone && !library && !machine_.shows_calls) return;
  const std::vector<Part>& parts = function.kept.parts(statement.type);

  const uint32_t address =
      statement.operands.empty() ? function.unknown_slot : function.slot(statement.operands.back());
  const bool address_known = frames_.is_known(frame, address);
  if (proving_) {
    proof_.must_stay(address);
    if (library) proof_.fail();
  }
  const bool both_known = ack.known && address_known;
  const bool returned = both_known && ack.value != 0 && ack.value == frames_.slots(frame)[address];
  const uint32_t wanted = machine_.told_index();
  const bool surely_told = both_known ? !returned : ack.known && ack.value == 0;
  const bool told =
      surely_told || (!returned && wanted != kNone && function.statement_of(wanted) == index);
  const bool observed = machine_.observer && codes_.observes(function.function, index);
  Observation row{.time = frame.time, .function = function.index, .statement = index};

  Machine::Passed value;  // a simple one
  if (const SimpleType& type = function.types[statement.type]; slot != kNone && type.bits != 0) {
    if (told) {
      value = machine_.read_told(function, index, type);
    } else if (returned) {
      value = machine_.returned;
      value.known = value.known && machine_.returned_kind == value_kind(type);
    }
    frames_.set(slot, value.value, value.known);
    if (proving_) proof_.take_result(slot, returned && value.known);
    row.has_value = value.known;
    row.value = value.value;
  } else if (slot != kNone) {
    const bool alike = returned && machine_.returned_kind == kWidePart &&
                       machine_.returned_signature == codes_.signature(function, statement.type);
    std::vector<Machine::Passed> values;  // when they are shown
    for (uint32_t p = 0; p < parts.size(); ++p) {
      Machine::Passed part;
      if (told)
        part = machine_.read_told(function, function.statement_part(index, p), parts[p].type);
      else if (alike)
        part = machine_.returned_parts[p];
      frames_.set(slot + p, part.value, part.known);
      if (proving_) proof_.take_result(slot + p, false);
      if (observed && machine_.shows_wide) values.push_back(part);
    }
    if (observed && machine_.shows_wide) row.wide = make_wide(values);
  }
  if (told && machine_.shows_calls && !came_back_from(statement)) show_outside_call(index, value);
  if (library) {
    const uint32_t next = machine_.told_index();
    const bool measured =
        next >= library->first_measure && next - library->first_measure < library->effects.measures;
    if (told || (!returned && measured)) {
      const Measures measures = take_measures(*library, told);
      if (machine_.observer) show_transfers(index, *library, measures, value, row);
    }
  }
  if (observed) machine_.observer->see(row);
}

}  // namespace vestige
