// Rows that repeat: what the levels of our own codec share.
//
// The idea. A program repeats itself: the PC column of its trace is made of stretches seen before.
// So the column that leads (the PC; without one the first column) is coded as in LZP (C. Bloom,
// "LZP: a new data compression algorithm", DCC 1996): after a miss the last few PCs, hashed, name
// an earlier row to go on from, and rows repeat what followed there until the next miss. No offset
// is ever written.
//
// The other columns follow once the PCs of a stretch of rows are known. Each row has a row that it
// repeats, and its value is most often
//   – the value of that row (the same data again), or
//   – off by just what an earlier row, d rows before, was off by from the row that one repeats (the
//     same walk over another object, another stack frame: all that hangs on one pointer moves
//     together, and d tells who else hangs on it),
// and what was right at the repeated row, its favourite, is tried first here, so d is written once,
// the first time. Rows whose favourite is wrong are guessed from the history of their PC.
//
// Departures from LZP: rows of records instead of bytes, several context lengths, and the rows just
// before a new match repeat its rows as well, since the next PC tells more about the target of an
// indirect jump, or the object worked on, than the PCs before.
//
// Invariants, on which encoder and decoder agree row by row:
//   1. All tables change by what has been coded only; rows are numbered modulo 2^32.
//   2. A row is repeated only from at most history − kStretchRows − kSlack rows before: the encoder
//      has written up to kStretchRows rows ahead, and vectors up to 8 beyond those.
//   3. Every row of a stretch lies in exactly one segment; segments are in order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace vestige::repeat {

inline constexpr size_t kBlockRows = 1 << 18;
inline constexpr uint32_t kStretchRows = 1 << 15;  // leads of so many rows, then their values
// What contexts and distances reach back, and vectors ahead.
inline constexpr uint32_t kSlack = 256;

// Sizes of tables are powers of two, given by their exponents.
struct Shape {
  unsigned history;   // rows remembered
  unsigned contexts;  // of each context length's table
  unsigned successors;
  unsigned recent;      // PCs whose last values are remembered
  unsigned values;      // of each table of values by context
  uint32_t findable;    // rows after a miss that later misses can find
  uint32_t searched;    // rows before that the encoder looks for one as far off
  unsigned shared = 0;  // of each table of values that all PCs share
};

inline constexpr unsigned kSuccessors = 4;  // values remembered to have followed a lead

// Kinds of guesses, in the order in which they are tried, and of other ways to tell a value.
enum Kind : uint8_t {
  // By the repeated row:
  kSame,     // its value
  kShifted,  // off by what the row before was off by
  // By the PC:
  kStride,      // its last value and its stride
  kLast,        // its last value
  kByLastTwo,   // what followed its last two values
  kBeforeLast,  // its last value but one
  kPlainKinds,
  kByPrevious = kPlainKinds,  // what the column's previous value led to
  kByThird,                   // the same, by the value three rows back
  kByStep,     // the step from the previous value, by the step before and the next PC
  kByStrides,  // its stride, by its last two strides
  kRichKinds,
  // Models with shared tables have these in place of two of the above:
  kByLast = kBeforeLast,  // what followed the PC's last value, at whichever PC
  kByThree = kByThird,    // what followed the column's last three values
  // Others:
  kShiftedBy = 14,  // off by what the row a distance before was off by
  kAgain = 15,      // the value of the row a distance before
  kCached = 16,     // a place in a table of values
  kPlain = 17,      // the value itself
};
// The favourite of the rows that repeat a row is what was right there: a kind, kCached or kPlain
// (both explicit), or with the distance in the lower bits
inline constexpr uint8_t kFavourAgain = 0x40;      // + distance − 1
inline constexpr uint8_t kFavourShiftedBy = 0x80;  // + distance − 1
inline constexpr uint32_t kMaxAge = 64, kMaxDistance = 128;
inline constexpr bool is_explicit(uint8_t favourite) {
  return favourite == kCached || favourite == kPlain;
}
inline constexpr bool is_distant(uint8_t favourite) { return favourite >= kFavourAgain; }
inline constexpr bool is_by_pc(uint8_t kind) { return kind > kShifted && kind < kRichKinds; }

inline constexpr unsigned kBases = 5;  // none, the previous value, the PC's last, kSame, kShifted

inline uint64_t scramble(uint64_t x) {
  x *= 0x9e3779b97f4a7c15;
  return x ^ (x >> 29);
}
inline uint64_t fold(uint64_t x) { return x * 0xd6e8feb86659fd93; }
// The place of a scrambled number in a table.
inline size_t place(uint64_t scrambled, unsigned bits) { return scrambled >> (64 - bits); }

inline unsigned bytes_of(uint64_t x) {
  return (71 - static_cast<unsigned>(std::countl_zero(x))) / 8;
}
inline uint64_t zigzag(uint64_t x) {
  return (x << 1) ^ static_cast<uint64_t>(static_cast<int64_t>(x) >> 63);
}
inline uint64_t unzigzag(uint64_t x) { return (x >> 1) ^ (0 - (x & 1)); }
inline uint64_t mask_of(unsigned width) { return ~uint64_t{0} >> (64 - 8 * width); }
// Small values are cheaper as bytes than as places in a table.
inline bool worth_a_place(uint64_t x) { return x >> 16 != 0; }

// Eight rows at once. Never handed over by value: machines differ in how they would pass it.
template <class Word>
struct Eight {
  using Rows = Word __attribute__((ext_vector_type(8)));
  Rows rows;

  explicit Eight(const Word* at) { std::memcpy(&rows, at, sizeof rows); }
  void store(Word* at) const { std::memcpy(at, &rows, sizeof rows); }
};
// The rows behind `from`, `period` rows before those of `to`, that so many rows repeat. May write 7
// beyond.
template <class Word>
void copy_rows(Word* to, const Word* from, uint32_t rows, uint32_t period) {
  if (period >= 8)
    for (uint32_t i = 0; i < rows; i += 8) Eight(from + i).store(to + i);
  else
    for (uint32_t i = 0; i < rows; ++i) to[i] = from[i];
}
// Bit i is set where lane i of a comparison holds.
template <class Comparison>
uint8_t lanes(const Comparison& comparison) {
  using Bits = bool __attribute__((ext_vector_type(8)));
  return std::bit_cast<uint8_t>(__builtin_convertvector(comparison, Bits));
}

// Rows row … row + rows − 1 repeat rows from ….
struct Segment {
  uint32_t row;
  uint32_t rows;
  uint32_t from;
};

}  // namespace vestige::repeat
