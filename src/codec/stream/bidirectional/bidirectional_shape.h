// What the number of a bidirectional codec says: which predictor, of which size, over what.
#pragma once

#include "codec/stream_codec.h"

namespace vestige {

struct BidirectionalShape {
  bool fcm;          // else last-n
  unsigned context;  // numbers of context, or places of the table
  bool differences;
  size_t segment;  // values
};

inline constexpr size_t kFcmSegment = 64 * 1024;
inline constexpr size_t kLastSegment = 16 * 1024;

// `codec` must be one of fcm1 … last8_stride.
constexpr BidirectionalShape shape_of(StreamCodec codec) {
  const unsigned n = static_cast<unsigned>(codec) - static_cast<unsigned>(StreamCodec::fcm1);
  const bool differences = n / 3 % 2 == 1;
  if (n < 6) return {true, n % 3 + 1, differences, kFcmSegment};
  return {false, 2u << n % 3, differences, kLastSegment};
}

}  // namespace vestige
