// What a bidirectional predictor does with one segment: a run of numbers compressed by itself.
//
// A walk stands between two numbers of its segment and steps both ways. Moving rewrites its tables;
// it owns those, the segment's bytes stay as they are and may be walked by many.
#pragma once

#include <memory>
#include <span>

#include "base/bytes.h"
#include "vestige/result.h"

namespace vestige {

class SegmentWalk {
 public:
  virtual ~SegmentWalk() = default;
  // Stands at the beginning of the segment afterwards. `count` is how many numbers it has. The
  // bytes are not needed any more.
  virtual Result<void> load(ByteView bytes, size_t count) = 0;
  // Give as many numbers as fit or are left; backward in the order it meets them. Fewer come only
  // at an end, or when the segment turns out to be damaged: then none come any more.
  virtual size_t forward(std::span<uint64_t> out) = 0;
  virtual size_t backward(std::span<uint64_t> out) = 0;
  virtual size_t position() const = 0;
};

}  // namespace vestige
