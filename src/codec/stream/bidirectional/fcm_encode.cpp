// encode_fcm() of fcm_walk.h.
#include <algorithm>
#include <bit>

#include "codec/pack/bits.h"
#include "codec/pack/values.h"
#include "codec/stream/bidirectional/fcm_walk.h"

namespace vestige {

namespace {

// Slots per distinct context. Two contexts in one slot cost little (the list stays in stream
// order), a table that leaves the first-level cache costs speed.
constexpr size_t kSlotsPerContext = 4;

// The hash of the context before each number; its top bits are the slot in a table of any size.
template <unsigned N>
std::vector<uint32_t> contexts_of(std::span<const uint64_t> numbers) {
  std::vector<uint32_t> contexts(numbers.size());
  fcm::ContextWindow<N> window;
  for (size_t i = 0; i < numbers.size(); ++i) {
    contexts[i] = static_cast<uint32_t>(window.hash() >> 32);
    window.step_forward(numbers[i]);
  }
  return contexts;
}

unsigned table_bits_for(const std::vector<uint32_t>& contexts) {
  const unsigned bits = std::min<unsigned>(
      kMostTableBits, static_cast<unsigned>(std::bit_width(contexts.size())) + 2);
  std::vector<uint64_t> seen(words_for_bits(size_t{1} << bits));
  size_t distinct = 0;
  for (const uint32_t context : contexts) {
    const size_t at = context >> (32 - bits);
    distinct += !(seen[at / 64] >> at % 64 & 1);
    seen[at / 64] |= uint64_t{1} << at % 64;
  }
  return std::clamp(static_cast<unsigned>(std::bit_width(distinct * kSlotsPerContext - 1)), 1u,
                    kMostTableBits);
}

// The number of the first marker that no value of the list equals.
uint64_t vacancy_for(std::span<const uint64_t> list) {
  for (uint64_t vacancy = 0;; ++vacancy)
    if (std::ranges::find(list, fcm::kVacant + vacancy * fcm::kVacancyStep) == list.end())
      return vacancy;
}

}  // namespace

Bytes encode_fcm(std::span<const uint64_t> numbers, unsigned order) {
  const std::vector<uint32_t> contexts = order == 1   ? contexts_of<1>(numbers)
                                         : order == 2 ? contexts_of<2>(numbers)
                                                      : contexts_of<3>(numbers);
  const unsigned table_bits = table_bits_for(contexts);
  const auto slot = [&](size_t i) { return contexts[i] >> (32 - table_bits); };

  // Compress from the end to the beginning. A slot not yet met is primed: it holds what it is
  // given.
  std::vector<uint64_t> table(size_t{1} << table_bits);
  std::vector<bool> met(table.size());
  std::vector<uint64_t> vacated(words_for_bits(numbers.size()));
  for (size_t i = numbers.size(); i-- > 0;) {
    if (met[slot(i)] && table[slot(i)] != numbers[i]) vacated[i / 64] |= uint64_t{1} << i % 64;
    met[slot(i)] = true;
    table[slot(i)] = numbers[i];
  }
  // Then once forwards, to write what each vacant slot is given where it is used.
  std::vector<bool>& held = met;
  held.assign(table.size(), false);
  std::vector<uint64_t> list;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!held[slot(i)]) list.push_back(numbers[i]);
    held[slot(i)] = !(vacated[i / 64] >> i % 64 & 1);
  }

  ByteWriter out;
  const uint64_t vacancy = vacancy_for(list);
  out.u8(static_cast<uint8_t>(table_bits | (vacancy != 0 ? 128 : 0)));
  if (vacancy != 0) out.varint(vacancy);
  pack_bits(vacated, numbers.size(), out);
  pack_values(list, out);
  return out.take();
}

}  // namespace vestige
