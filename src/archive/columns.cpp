#include "archive/columns.h"

#include <algorithm>

namespace vestige {
namespace {

// One field at a time over a stretch of rows that stays in the first-level cache: each loop has a
// constant width and no branch.
constexpr size_t kStretchBytes = 16 * 1024;

template <size_t kWidth>
void split_field(const uint8_t* at, size_t stride, size_t rows, uint64_t* out) {
  for (size_t i = 0; i < rows; ++i, at += stride) {
    uint64_t value = 0;
    std::memcpy(&value, at, kWidth);
    out[i] = value;
  }
}

template <size_t kWidth>
void merge_field(const uint64_t* in, size_t rows, uint8_t* at, size_t stride) {
  for (size_t i = 0; i < rows; ++i, at += stride) std::memcpy(at, &in[i], kWidth);
}

using Split = void (*)(const uint8_t*, size_t, size_t, uint64_t*);
using Merge = void (*)(const uint64_t*, size_t, uint8_t*, size_t);
constexpr Split kSplit[] = {split_field<1>, split_field<2>, split_field<3>, split_field<4>,
                            split_field<5>, split_field<6>, split_field<7>, split_field<8>};
constexpr Merge kMerge[] = {merge_field<1>, merge_field<2>, merge_field<3>, merge_field<4>,
                            merge_field<5>, merge_field<6>, merge_field<7>, merge_field<8>};

}  // namespace

void split_rows(const RecordLayout& layout, ByteView raw, RecordBlock& block) {
  const size_t stride = layout.width();
  block.rows = raw.size() / stride;
  block.columns.resize(layout.fields.size());
  for (auto& column : block.columns) column.resize(block.rows);
  const size_t stretch = std::max<size_t>(kStretchBytes / stride, 1);
  for (size_t row = 0; row < block.rows; row += stretch) {
    const size_t rows = std::min(stretch, block.rows - row);
    const uint8_t* at = raw.data() + row * stride;
    for (size_t f = 0; f < layout.fields.size(); ++f) {
      const uint8_t width = layout.fields[f].width;
      kSplit[width - 1](at, stride, rows, block.columns[f].data() + row);
      at += width;
    }
  }
}

void merge_rows(const RecordLayout& layout, const RecordBlock& block, Bytes& raw) {
  const size_t stride = layout.width();
  raw.resize(block.rows * stride);
  const size_t stretch = std::max<size_t>(kStretchBytes / stride, 1);
  for (size_t row = 0; row < block.rows; row += stretch) {
    const size_t rows = std::min(stretch, block.rows - row);
    uint8_t* at = raw.data() + row * stride;
    for (size_t f = 0; f < layout.fields.size(); ++f) {
      const uint8_t width = layout.fields[f].width;
      kMerge[width - 1](block.columns[f].data() + row, rows, at, stride);
      at += width;
    }
  }
}

}  // namespace vestige
