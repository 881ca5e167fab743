// A run of equal differences (the parallel-executions paper, section 2.4): `count` values, each
// `difference` more than the one before, modulo 2^64. The value before the first one of a stream is
// 0: the paper's 10, 14, 18, 22, 42 is 10^1 4^3 20^1.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "vestige/result.h"

namespace vestige::section {

struct DifferenceRun {
  uint64_t difference = 0;
  uint64_t count = 0;  // at least 1
  bool operator==(const DifferenceRun&) const = default;
};

inline uint64_t fold(const DifferenceRun& run) {  // sequitur/symbol_tables.h
  return run.difference * 0x9e3779b97f4a7c15 ^ run.count;
}

// A table of different runs as bytes, coded adaptively: most differences come again with other
// counts.
//
//   table := runs:varint bits           bits: the range coder's payload of
//   run   := [which of the differences met before | a new one, folded to a small number] count
//
// Decoding fails with `corrupt` on bytes that make no table; its memory goes with their number.
Bytes encode_run_table(const std::vector<DifferenceRun>& runs);
Result<std::vector<DifferenceRun>> decode_run_table(ByteView bytes);

}  // namespace vestige::section
