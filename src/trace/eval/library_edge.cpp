// What is known of a call of unrecorded code when it comes back: program/library.h.

#include "trace/eval/evaluator.h"

namespace vestige {

namespace {

using Value = Machine::Passed;

// The terms of one call.
struct CallTerms {
  const FrameStack& frames;
  const FunctionCode& function;
  const Statement& call;
  const std::vector<Value>& measures;
  Value result;

  Value of(const LibraryTerm& term) const {
    switch (term.kind) {
      case LibraryTerm::Kind::none:
        return {};
      case LibraryTerm::Kind::number:
        return {term.number, true};
      case LibraryTerm::Kind::argument: {
        const uint32_t slot = function.slot(call.operands[term.number]);
        const Activation& frame = frames.top();
        return {frames.slots(frame)[slot], frames.is_known(frame, slot)};
      }
      case LibraryTerm::Kind::result:
        return result;
      case LibraryTerm::Kind::measure: {
        Value value = measures[term.number];
        value.known = value.known && value.value != kUnmeasured;
        return value;
      }
    }
    return {};
  }

  // Nothing: it cannot be told.
  std::optional<bool> holds(const LibraryRange& range) const {
    if (range.when == LibraryRange::When::always) return true;
    const Value tested = of(range.tested);
    if (!tested.known) return std::nullopt;
    if (range.when == LibraryRange::When::nonzero) return tested.value != 0;
    if (range.when == LibraryRange::When::zero) return tested.value == 0;
    const unsigned gap = 64u - std::max<unsigned>(function.types[call.type].bits, 1);
    const auto number = static_cast<int64_t>(tested.value << gap) >> gap;
    return number >= static_cast<int64_t>(range.bound);
  }

  Value length(const LibraryRange& range) const {
    Value length = of(range.length);
    if (range.times.kind != LibraryTerm::Kind::none) {
      const Value times = of(range.times);
      length.known = length.known && times.known &&
                     !__builtin_mul_overflow(length.value, times.value, &length.value);
    }
    length.known = length.known && !__builtin_add_overflow(length.value, range.plus, &length.value);
    if (range.most.kind != LibraryTerm::Kind::none) {
      const Value most = of(range.most);
      if (!most.known) return {};
      length.value = std::min(length.value, most.value);
    }
    return length;
  }
};

}  // namespace

Evaluator::Measures Evaluator::take_measures(const FunctionCode::Library& library, bool told) {
  constexpr SimpleType kWord{SimpleType::Kind::integer, 64, 8};
  Measures measures;
  for (uint32_t m = 0; m < library.effects.measures; ++m) {
    const uint32_t index = library.first_measure + m;
    measures.emplace_back();
    if (told || machine_.told_index() == index)
      measures.back() = machine_.read_told(*frames_.top().function, index, kWord);
  }
  return measures;
}

void Evaluator::show_outside_call(uint32_t index, Value result) {
  const Activation& frame = frames_.top();
  const FunctionCode& function = *frame.function;
  const Statement& call = function.function.statements[index];
  const size_t others = call.op == Op::invoke ? 3 : 1;
  std::vector<std::optional<uint64_t>> arguments;
  for (size_t i = 0; i + others < call.operands.size(); ++i) {
    const uint32_t slot = function.slot(call.operands[i]);
    auto& argument = arguments.emplace_back();
    if (function.type(call.operands[i]).bits != 0 && frames_.is_known(frame, slot))
      argument = frames_.slots(frame)[slot];
  }
  OutsideCall shown{.time = machine_.time,
                    .call_time = frame.time,
                    .function = function.index,
                    .statement = index,
                    .arguments = arguments,
                    .result = {}};
  if (result.known) shown.result = result.value;
  machine_.observer->outside_call(shown);
}

void Evaluator::show_transfers(uint32_t index, const FunctionCode::Library& library,
                               const Measures& measures, Value result, Observation& row) {
  const Activation& frame = frames_.top();
  const Statement& call = frame.function->function.statements[index];
  const CallTerms terms{frames_, *frame.function, call, measures, result};
  bool wrote = false;
  for (const LibraryRange& range : library.effects.ranges) {
    const std::optional<bool> holds = terms.holds(range);
    if (holds == false) continue;
    const bool writes = range.kind != LibraryRange::Kind::read;
    const Value to = terms.of(range.to), from = terms.of(range.from);
    const Value offset =
        range.offset.kind == LibraryTerm::Kind::none ? Value{0, true} : terms.of(range.offset);
    const Value length = terms.length(range);
    const bool nowhere = (to.known && to.value == 0) || (from.known && from.value == 0);
    const bool onto_itself = range.kind == LibraryRange::Kind::copy && to.known && from.known &&
                             offset.known && to.value + offset.value == from.value;
    if (nowhere || onto_itself || (length.known && length.value == 0)) continue;
    Transfer shown{.time = machine_.time,
                   .call_time = frame.time,
                   .function = frame.function->index,
                   .statement = index,
                   .kind = range.kind};
    shown.has_to = holds && writes && to.known && offset.known;
    if (shown.has_to) shown.to = to.value + offset.value;
    shown.has_from = holds && from.known;
    if (shown.has_from) shown.from = from.value;
    shown.has_length = length.known;
    if (shown.has_length) shown.length = length.value;
    machine_.observer->transfer(shown);
    if ((row.has_address || row.has_source) && (wrote || !writes)) continue;
    wrote = writes;
    row.has_address = writes ? shown.has_to : shown.has_from;
    row.address = writes ? shown.to : shown.from;
    row.has_source = range.kind == LibraryRange::Kind::copy && shown.has_from;
    row.source = row.has_source ? shown.from : 0;
    row.has_length = shown.has_length;
    row.length = shown.length;
  }
}

}  // namespace vestige
