// Numbers of a fixed width packed into bytes, least significant bit first.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/bytes.h"

namespace vestige {

inline size_t packed_bytes(size_t numbers, unsigned width) {
  // Without the product numbers · width, which may not fit.
  return numbers / 8 * width + (numbers % 8 * width + 7) / 8;
}

// Appends number − base for every number; each difference must fit `width` bits.
inline void pack_bits_of_width(std::span<const uint64_t> numbers, uint64_t base, unsigned width,
                               Bytes& out) {
  if (width == 0) return;
  size_t at = out.size();
  out.resize(at + packed_bytes(numbers.size(), width) + sizeof(uint64_t));
  const size_t end = out.size() - sizeof(uint64_t);
  uint64_t word = 0;
  unsigned used = 0;
  for (const uint64_t number : numbers) {
    const uint64_t value = number - base;
    word |= value << used;
    used += width;
    if (used < 64) continue;
    std::memcpy(out.data() + at, &word, sizeof word);
    at += sizeof word;
    used -= 64;
    word = used == 0 ? 0 : value >> (width - used);
  }
  if (used > 0) std::memcpy(out.data() + at, &word, sizeof word);
  out.resize(end);
}

namespace bit_packing {

template <class T>
void widen(const uint8_t* in, uint64_t base, std::span<uint64_t> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    T number;
    std::memcpy(&number, in + i * sizeof(T), sizeof(T));
    out[i] = base + number;
  }
}

// `in` must be readable for 8 bytes from the first byte of every number.
inline void unpack_narrow(const uint8_t* in, uint64_t base, unsigned width,
                          std::span<uint64_t> out) {
  const uint64_t mask = (uint64_t{1} << width) - 1;
  size_t bit = 0;
  for (uint64_t& number : out) {
    uint64_t word;
    std::memcpy(&word, in + bit / 8, sizeof word);
    number = base + ((word >> bit % 8) & mask);
    bit += width;
  }
}

inline void unpack_wide(const uint8_t* in, uint64_t base, unsigned width, std::span<uint64_t> out) {
  const uint64_t mask = ~uint64_t{0} >> (64 - width);
  size_t bit = 0;
  for (uint64_t& number : out) {
    uint64_t word;
    std::memcpy(&word, in + bit / 8, sizeof word);
    const unsigned skip = bit % 8;
    word >>= skip;
    // The ninth byte exists only where the number reaches into it.
    if (skip + width > 64) word |= uint64_t{in[bit / 8 + 8]} << (64 - skip);
    number = base + (word & mask);
    bit += width;
  }
}

}  // namespace bit_packing

// The inverse: in.size() must be packed_bytes(out.size(), width), and width at most 64.
inline void unpack_bits_of_width(ByteView in, uint64_t base, unsigned width,
                                 std::span<uint64_t> out) {
  switch (width) {
    case 0:
      std::ranges::fill(out, base);
      return;
    case 8:
      return bit_packing::widen<uint8_t>(in.data(), base, out);
    case 16:
      return bit_packing::widen<uint16_t>(in.data(), base, out);
    case 32:
      return bit_packing::widen<uint32_t>(in.data(), base, out);
    case 64:
      return bit_packing::widen<uint64_t>(in.data(), base, out);
    default:
      break;
  }
  // All but the last few numbers have eight readable bytes; those few are unpacked from a copy.
  const size_t whole =
      in.size() >= 8 ? std::min((in.size() - 8) * 8 / width, out.size()) / 8 * 8 : 0;
  const auto unpack = [&](const uint8_t* bytes, std::span<uint64_t> numbers) {
    if (width <= 57)
      bit_packing::unpack_narrow(bytes, base, width, numbers);
    else
      bit_packing::unpack_wide(bytes, base, width, numbers);
  };
  unpack(in.data(), out.first(whole));
  std::array<uint8_t, 256> tail{};
  for (size_t at = whole; at < out.size(); at += 8) {
    const size_t numbers = std::min<size_t>(8, out.size() - at);
    std::memcpy(tail.data(), in.data() + at / 8 * width, packed_bytes(numbers, width));
    unpack(tail.data(), out.subspan(at, numbers));
  }
}

}  // namespace vestige
