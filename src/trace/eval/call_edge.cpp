// What the evaluator does at both ends of a call: the rules are in program/derive.h ("The call
// edge").
//
// Where an address is not known it cannot be decided whether something was told. Then a value is
// taken when it is told, and is unknown otherwise; either way the shadow is right: what is told
// without a surprise was there before.
#include "trace/eval/evaluator.h"

namespace vestige {

void Evaluator::take_arguments(const PathCode& code) {
  const FunctionCode& function = *code.function;
  const Word callee = machine_.callee;
  machine_.callee = {0, true};
  const size_t count = function.argument_slots.size();
  const auto first_index = static_cast<uint32_t>(function.function.statements.size());
  const uint32_t wanted = machine_.wanted();

  enum class How { told, passed, unknown } how = How::told;
  if (function.own_known ? function.own == 0 : callee.known && callee.value == 0) {
    how = How::told;
  } else if (function.own_known && callee.known) {
    how = callee.value == function.own ? How::passed : How::told;
  } else if (wanted != kNone && wanted >= first_index && wanted - first_index < count) {
    how = How::told;  // whoever tells one argument tells all of them
  } else {
    how = How::unknown;
  }

  const bool alike = machine_.signature == code.signature;
  for (uint32_t k = 0; k < count; ++k) {
    const uint32_t slot = function.argument_slots[k];
    if (slot == kNone) continue;
    Machine::Passed value;
    if (how == How::told) {
      value =
          machine_.tell(function, first_index + k, function.types[function.function.arguments[k]]);
    } else if (how == How::passed) {
      const auto& kinds = codes_.signatures().kinds(machine_.signature);
      if (alike || (k < kinds.size() && kinds[k] == function.argument_kinds[k]))
        value = machine_.passed[k];
    }
    frames_.set(slot, value.value, value.known);
  }
}

void Evaluator::take_result(uint32_t index) {
  const Activation& frame = frames_.top();
  const FunctionCode& function = *frame.function;
  const Statement& statement = function.function.statements[index];
  const Word ack = machine_.ack;
  machine_.ack = {0, true};
  const uint32_t slot = function.statement_slots[index];
  const FunctionCode::Library* library = function.library_of(index);
  if (slot == kNone && !library) return;

  const uint32_t address =
      statement.operands.empty() ? function.unknown_slot : function.slot(statement.operands.back());
  const bool address_known = frames_.is_known(frame, address);
  const bool both_known = ack.known && address_known;
  const bool returned = both_known && ack.value != 0 && ack.value == frames_.slots(frame)[address];
  bool told = both_known ? !returned : ack.known && ack.value == 0;
  const uint64_t time = frame.time;
  Machine::Passed value;
  if (slot != kNone) {
    if (told || (!returned && machine_.wanted() == index)) {
      told = true;
      value = machine_.tell(function, index, function.types[statement.type]);
    } else if (returned) {
      value = machine_.returned;
      value.known =
          value.known && machine_.returned_kind == value_kind(function.types[statement.type]);
    }
    frames_.set(slot, value.value, value.known);
  }
  Observation row{.time = time, .function = function.index, .statement = index};
  if (library) {
    const uint32_t wanted = machine_.wanted();
    const bool measured = wanted >= library->first_measure &&
                          wanted - library->first_measure < library->effects.measures;
    if (told || (!returned && measured)) {
      const Measures measures = take_measures(*library, told);
      if (machine_.observer) show_transfers(index, *library, measures, value, row);
    }
  }
  if (machine_.observer && codes_.observes(function.function, index)) {
    row.has_value = value.known;
    row.value = value.value;
    machine_.observer->see(row);
  }
}

}  // namespace vestige
