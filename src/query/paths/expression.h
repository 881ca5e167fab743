// A pattern as a set of positions (Glushkov): each stands for one block or call of the text, and
// says which positions may come next.
//
//   expression := term ('|' term)*
//   term       := factor+
//   factor     := atom ('*' | '+' | '?' | '{n}' | '{n,m}')*
//   atom       := B3 | 3 | . | L12 | @name | @ | '(' expression ')'
//
// What a position accepts is a set of *classes*: class 0 is any block that the pattern does not
// name, and every block and every called function it names has a class of its own.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "vestige/paths.h"

namespace vestige {

using Bits = std::vector<uint64_t>;
inline bool has(const Bits& bits, size_t at) { return bits[at / 64] >> at % 64 & 1; }
inline void put(Bits& bits, size_t at) { bits[at / 64] |= uint64_t{1} << at % 64; }

struct Expression {
  static constexpr size_t kMostPositions = 4096;

  struct Position {
    std::vector<uint16_t> classes;  // what it accepts
    bool call = false;              // a call, not a block
    std::vector<uint32_t> follow;   // positions that may come next
  };
  std::vector<Position> positions;
  std::vector<uint32_t> first, last;

  uint16_t classes = 1;
  std::vector<uint16_t> class_of_block;          // by block of the function
  std::map<uint32_t, uint16_t> class_of_callee;  // by function
  uint16_t other_call = 0;                       // class of calls that are not named; 0: none is
};

Result<Expression> parse_pattern(const Trace& trace, const PatternOptions& options);

}  // namespace vestige
