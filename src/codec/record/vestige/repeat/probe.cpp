#include "codec/record/vestige/repeat/probe.h"

namespace vestige::repeat {
namespace {

constexpr size_t kSamples = 4;
constexpr size_t kSampleRows = 2048;
constexpr unsigned kTableBits = 12;

// Bytes that the values of a sample cost when one that the two before it foretell costs nothing.
class Cost {
 public:
  void add(uint64_t value) {
    uint64_t& guess = table_[place(scramble(context_), kTableBits)];
    if (guess != value) bytes_ += bytes_of(value) + 1;
    guess = value;
    context_ = (context_ << 32) + scramble(value);
  }
  uint64_t bytes() const { return bytes_; }

 private:
  std::array<uint64_t, size_t{1} << kTableBits> table_{};
  uint64_t context_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace

bool differences_are_shorter(std::span<const uint64_t> column, unsigned width) {
  Cost values;
  Cost differences;
  const size_t rows = std::min(kSampleRows, column.size() / kSamples + 1);
  for (size_t sample = 0; sample < kSamples; ++sample) {
    const size_t first = column.size() / kSamples * sample;
    for (size_t i = first + 1; i < std::min(first + rows, column.size()); ++i) {
      values.add(column[i]);
      differences.add(difference(column[i], column[i - 1], width));
    }
  }
  return differences.bytes() < values.bytes();
}

}  // namespace vestige::repeat
