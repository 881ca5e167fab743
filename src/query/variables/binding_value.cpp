#include "query/variables/binding_value.h"

#include <algorithm>
#include <vector>

namespace vestige {

namespace {

int64_t as_signed(const BindingWord& word) {
  const unsigned gap = 64 - word.bits;
  return static_cast<int64_t>(word.value << gap) >> gap;
}

std::optional<uint64_t> two(BindingStep::Kind kind, const BindingWord& a, const BindingWord& b) {
  using Kind = BindingStep::Kind;
  const int64_t left = as_signed(a), right = as_signed(b);
  switch (kind) {
    case Kind::add:
      return a.value + b.value;
    case Kind::subtract:
      return a.value - b.value;
    case Kind::multiply:
      return a.value * b.value;
    case Kind::divide:
      if (right == 0) return std::nullopt;
      if (right == -1) return 0 - static_cast<uint64_t>(left);
      return static_cast<uint64_t>(left / right);
    case Kind::modulo:
      if (b.value == 0) return std::nullopt;
      return a.value % b.value;
    case Kind::and_:
      return a.value & b.value;
    case Kind::or_:
      return a.value | b.value;
    case Kind::xor_:
      return a.value ^ b.value;
    case Kind::shift_left:
      return b.value < 64 ? a.value << b.value : 0;
    case Kind::shift_right:
      return b.value < 64 ? a.value >> b.value : 0;
    case Kind::shift_right_signed:
      return static_cast<uint64_t>(left >> (b.value < 64 ? b.value : 63));
    case Kind::equal:
      return left == right;
    case Kind::differ:
      return left != right;
    case Kind::less:
      return left < right;
    case Kind::less_equal:
      return left <= right;
    case Kind::greater:
      return left > right;
    case Kind::greater_equal:
      return left >= right;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<uint64_t> binding_value(const Binding& binding,
                                      std::span<const std::optional<BindingWord>> operands) {
  using Kind = BindingStep::Kind;
  if (binding.steps.empty()) {
    if (operands.empty() || !operands[0]) return std::nullopt;
    return operands[0]->value;
  }
  std::vector<BindingWord> stack;
  for (const BindingStep& step : binding.steps) {
    switch (step.kind) {
      case Kind::operand:
        if (!operands[step.number]) return std::nullopt;
        stack.push_back(*operands[step.number]);
        break;
      case Kind::number:
        stack.push_back({step.number, 64});
        break;
      case Kind::negate:
        stack.back().value = 0 - stack.back().value;
        break;
      case Kind::not_:
        stack.back().value = ~stack.back().value;
        break;
      case Kind::sign_extend:
        stack.back() = {static_cast<uint64_t>(
                            as_signed({stack.back().value, static_cast<unsigned>(step.number)})),
                        64};
        break;
      case Kind::zero_extend:
        if (step.number < 64) stack.back().value &= (uint64_t{1} << step.number) - 1;
        stack.back().bits = 64;
        break;
      default: {
        const BindingWord right = stack.back();
        stack.pop_back();
        const auto result = two(step.kind, stack.back(), right);
        if (!result) return std::nullopt;
        // The result is as wide as what was computed with; a bare number adapts.
        const unsigned bits = std::min(stack.back().bits, right.bits);
        stack.back() = {bits < 64 ? *result & ((uint64_t{1} << bits) - 1) : *result, bits};
      }
    }
  }
  return stack.back().value;
}

}  // namespace vestige
