#include "trace/eval/machine.h"

#include "trace/eval/arithmetic.h"

namespace vestige {

uint64_t Machine::take(uint32_t index, unsigned gap, const uint64_t* held) {
  const uint64_t told = told_values.next().value;
  const uint64_t value = arithmetic::low_bits(told, gap);
  if (value != told) report(EvaluationProblem::Kind::too_wide, index, told);
  if (held && *held == value) report(EvaluationProblem::Kind::needless, index, told);
  told_values.advance();
  return value;
}

void Machine::lose_memory() {
  shadow.forget_all();
  if (touches) touches->touch_all();
}

Machine::Passed Machine::read_told(const FunctionCode& code, uint32_t index,
                                   const SimpleType& type) {
  const uint64_t address = code.place(index);
  uint8_t* place = shadow.bytes() + (address & Shadow::kMask);
  uint64_t held = 0;
  std::memcpy(&held, place, type.bytes);
  const bool known = shadow.known(address, type.bytes);
  const bool told = told_index() == index;
  if (touches) {
    if (told)
      touches->read_told(address, type.bytes, held,
                         arithmetic::low_bits(told_values.next().value, 64u - type.bits), shadow);
    else
      touches->read(address, type.bytes, shadow);
  }
  if (!told) return {held, known};
  const uint64_t value = take(index, 64u - type.bits, known ? &held : nullptr);
  std::memcpy(place, &value, type.bytes);
  shadow.remember(address, type.bytes);
  return {value, true};
}

void Machine::report(EvaluationProblem::Kind kind, uint32_t statement, uint64_t expected,
                     uint64_t found) {
  problems.add({.kind = kind,
                .time = time,
                .function = function ? function->index : kNone,
                .statement = function ? function->statement_of(statement) : kNone,
                .expected = expected,
                .found = found});
}

WideRef make_wide(std::span<const Machine::Passed> parts) {
  WideValue value;
  for (const Machine::Passed& part : parts)
    value.parts.push_back(part.known ? std::optional(part.value) : std::nullopt);
  return std::make_shared<const WideValue>(std::move(value));
}

}  // namespace vestige
