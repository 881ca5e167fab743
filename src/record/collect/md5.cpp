#include "record/collect/md5.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

namespace vestige {

namespace {

const std::array<uint32_t, 64>& sines() {
  static const auto table = [] {
    std::array<uint32_t, 64> t{};
    for (int i = 0; i < 64; ++i)
      t[i] = static_cast<uint32_t>(std::floor(std::fabs(std::sin(i + 1.0)) * 4294967296.0));
    return t;
  }();
  return table;
}

}  // namespace

uint64_t md5_low(std::string_view text) {
  static constexpr int kTurns[4][4] = {
      {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  std::string padded(text);
  padded.push_back('\x80');
  while (padded.size() % 64 != 56) padded.push_back('\0');
  const uint64_t bits = text.size() * 8;
  padded.append(reinterpret_cast<const char*>(&bits), 8);

  std::array<uint32_t, 4> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (size_t at = 0; at < padded.size(); at += 64) {
    uint32_t m[16];
    std::memcpy(m, padded.data() + at, 64);
    auto [a, b, c, d] = state;
    for (int i = 0; i < 64; ++i) {
      uint32_t f = 0;
      int k = 0;
      switch (i / 16) {
        case 0:
          f = (b & c) | (~b & d);
          k = i;
          break;
        case 1:
          f = (d & b) | (~d & c);
          k = 5 * i + 1;
          break;
        case 2:
          f = b ^ c ^ d;
          k = 3 * i + 5;
          break;
        default:
          f = c ^ (b | ~d);
          k = 7 * i;
          break;
      }
      const uint32_t sum = a + f + sines()[i] + m[k % 16];
      a = d;
      d = c;
      c = b;
      b += std::rotl(sum, kTurns[i / 16][i % 4]);
    }
    state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
  }
  return state[0] | uint64_t{state[1]} << 32;
}

}  // namespace vestige
