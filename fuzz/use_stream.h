// What the fuzz targets of stream codecs do with a cursor, and how they make values of bytes.
#pragma once

#include <algorithm>
#include <vector>

#include "codec/stream_codec.h"
#include "fuzz.h"

namespace vestige {

// Of a stream that hostile bytes gave: it may be of any length, so a little at both ends and in the
// middle.
inline void use_stream(StreamCursor& cursor) {
  constexpr uint64_t kSteps = 2000;
  uint64_t value = 0;
  const uint64_t size = cursor.size();
  for (const uint64_t from : {uint64_t{0}, size / 2, size - std::min(size, kSteps)}) {
    require(cursor.seek(from) && cursor.position() == from, "a seek");
    std::vector<uint64_t> ahead;
    while (ahead.size() < kSteps && cursor.next(value)) ahead.push_back(value);
    require(ahead.size() == std::min(kSteps, size - from), "forwards");
    require(cursor.position() == from + ahead.size(), "a position");
    for (size_t i = ahead.size(); i-- > 0;)
      require(cursor.prev(value) && value == ahead[i], "backwards is not the reverse of forwards");
  }
  require(!cursor.seek(size) || !cursor.next(value), "more than there is");
  require(size == ~uint64_t{0} || !cursor.seek(size + 1), "a seek beyond the end");
}

inline void require_stream(StreamCursor& cursor, const std::vector<uint64_t>& values) {
  uint64_t value = 0;
  require(cursor.size() == values.size(), "the number of values");
  for (const uint64_t expected : values)
    require(cursor.next(value) && value == expected, "forwards");
  require(!cursor.next(value), "more values than there were");
  for (size_t i = values.size(); i-- > 0;)
    require(cursor.prev(value) && value == values[i], "backwards");
  for (size_t at = 0; at <= values.size(); at += 1 + values.size() / 7) {
    require(cursor.seek(at), "a seek");
    require(cursor.next(value) ? value == values[at] : at == values.size(), "after a seek");
  }
}

// The first byte says how a byte becomes a value, the second how often all of it is repeated.
inline std::vector<uint64_t> values_of(const uint8_t* data, size_t size) {
  std::vector<uint64_t> values;
  if (size < 2) return values;
  constexpr size_t kMost = 20000;
  for (unsigned round = 0; round <= data[1] % 16u; ++round)
    for (size_t i = 2; i < size && values.size() < kMost; ++i) {
      switch (data[0] % 5) {
        case 0:
          values.push_back(data[i]);
          break;
        case 1:  // few values
          values.push_back(data[i] % 3);
          break;
        case 2:  // all bits
          values.push_back(data[i] * 0x0101010101010101u ^ (uint64_t{data[i]} << 60));
          break;
        case 3:  // runs
          for (unsigned n = 0; n <= data[i] >> 5u; ++n) values.push_back(data[i] & 7);
          break;
        default:  // strides
          values.push_back((values.empty() ? 0 : values.back()) + (data[i] & 15) - 7);
          break;
      }
    }
  return values;
}

}  // namespace vestige
