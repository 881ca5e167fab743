// The last step of a prediction (secondary symbol estimation): what bits followed when the models
// said p, by a small context. Corrects what all of them are wrong about together.
#pragma once

#include <cstdint>
#include <vector>

#include "codec/record/vestige/strong/logistic.h"

namespace vestige::strong {

class Refinement {
 public:
  explicit Refinement(size_t contexts) : cells_(contexts * kCells) {
    for (size_t i = 0; i < cells_.size(); ++i)
      cells_[i] = squash((static_cast<int>(i % kCells) - 16) * 128);
  }
  // Between the two cells nearest to `stretched`, by distance.
  uint32_t refined(int stretched, size_t context) {
    const unsigned x = static_cast<unsigned>(stretched + 2048);
    const size_t at = context * kCells + x / 128;
    const uint64_t right = x % 128;
    nearest_ = at + (right >= 64);
    return static_cast<uint32_t>((cells_[at] * (128 - right) + cells_[at + 1] * right) / 128);
  }
  void learn(bool bit) {
    uint32_t& cell = cells_[nearest_];
    cell += bit ? ((kMost - cell) >> kRate) : -((cell - kLeast) >> kRate);
  }

 private:
  static constexpr size_t kCells = 33;
  static constexpr int kRate = 6;
  static constexpr uint32_t kLeast = 400, kMost = ~uint32_t{0} - 400;
  std::vector<uint32_t> cells_;
  size_t nearest_ = 0;
};

}  // namespace vestige::strong
