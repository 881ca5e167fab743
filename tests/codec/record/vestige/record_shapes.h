// Layouts and contents of blocks of records, for tests of record codecs.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "codec/record_codec.h"

namespace vestige {

inline RecordLayout layout_of(std::initializer_list<std::pair<int, bool>> fields) {
  RecordLayout layout;
  for (const auto& [width, pc] : fields)
    layout.fields.push_back({pc ? "pc" : "data", static_cast<uint8_t>(width), pc});
  return layout;
}
inline const std::vector<RecordLayout> kLayouts = {
    layout_of({{4, true}, {8, false}}),              // vpc
    layout_of({{8, true}, {8, false}, {1, false}}),  // refs
    layout_of({{4, true}}),                          // cf
    layout_of({{8, false}}),                         // u64
    layout_of({{2, false}, {3, false}}),             // no PC, odd widths
    layout_of({{1, false}, {7, false}, {5, true}}),  // the PC last
};

// One column of a random kind: constant, strided, nested strides, random, periodic with noise,
// extremes.
inline std::vector<uint64_t> random_column(std::mt19937_64& random, size_t rows, uint64_t mask) {
  std::vector<uint64_t> column(rows);
  const uint64_t start = random(), stride = random() % 3 ? random() % 64 : random();
  const uint64_t inner = 1 + random() % 20, period = 1 + random() % 12;
  const uint64_t kind = random() % 7;
  for (size_t i = 0; i < rows; ++i) {
    uint64_t value = 0;
    switch (kind) {
      case 0:
        value = start;
        break;
      case 1:
        value = start + i * stride;
        break;
      case 2:
        value = start + i % inner * stride + i / inner * 4096;
        break;
      case 3:
        value = random();
        break;
      case 4:
        value = random() % 9 == 0 ? random() : start + i % period * 8;
        break;
      case 5:
        value = random() % 2 ? ~uint64_t{0} : random() % 2 ? uint64_t{1} << 63 : 0;
        break;
      default:
        value = random() % 4 ? random() % 5 : start + random() % 1000;
        break;
    }
    column[i] = value & mask;
  }
  return column;
}
inline RecordBlock random_block(std::mt19937_64& random, const RecordLayout& layout, size_t rows) {
  RecordBlock block;
  block.rows = rows;
  for (const RecordField& field : layout.fields)
    block.columns.push_back(random_column(
        random, rows, field.width == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * field.width) - 1));
  return block;
}

// What a program would leave: a few procedures called in a changing order, each with its own PCs,
// constants, a counter, and addresses in an object that changes from call to call.
inline RecordBlock program_block(std::mt19937_64& random, const RecordLayout& layout, size_t rows) {
  RecordBlock block;
  block.rows = rows;
  block.columns.resize(layout.fields.size());
  uint64_t counter = 0;
  while (block.columns[0].size() < rows) {
    const uint64_t procedure = random() % 20;
    const uint64_t object = 0x7f0000000000 + random() % 50 * 4096;
    for (uint64_t i = 0; i < 5 + procedure * 3 && block.columns[0].size() < rows; ++i) {
      for (size_t f = 0; f < layout.fields.size(); ++f) {
        const RecordField& field = layout.fields[f];
        uint64_t value = field.is_pc      ? 0x401000 + procedure * 256 + i * 4
                         : i % 5 == 0     ? ++counter
                         : i % 5 == 1     ? procedure
                         : random() % 200 ? object + i * 8 + f
                                          : random();
        if (field.width < 8) value &= (uint64_t{1} << 8 * field.width) - 1;
        block.columns[f].push_back(value);
      }
    }
  }
  return block;
}

}  // namespace vestige
