#include "record_shapes.h"

#include <algorithm>

namespace vestige {

const std::vector<RecordShape>& record_shapes() {
  static const std::vector<RecordShape> shapes = {
      {"constant", [](size_t, size_t field, auto&) { return 0x4000 + field; }},
      {"zero", [](size_t, size_t, auto&) { return 0; }},
      {"strided", [](size_t row, size_t field, auto&) { return row * (field + 8) + 1000; }},
      {"nested",
       [](size_t row, size_t field, auto&) {
         return field == 0 ? 0x400000 + row % 7 * 4
                           : 0x7fff0000 + row / 7 % 13 * 8 + row / 91 * 4096;
       }},
      {"random", [](size_t, size_t, std::mt19937_64& random) { return random(); }},
      {"small random", [](size_t, size_t, std::mt19937_64& random) { return random() % 5; }},
      {"periodic with noise",
       [](size_t row, size_t field, std::mt19937_64& random) {
         if (random() % 20 == 0) return random() >> random() % 64;
         return static_cast<uint64_t>((row % 23) * (row % 23) * 0x1001 + field);
       }},
      {"extremes",
       [](size_t, size_t, std::mt19937_64& random) {
         const uint64_t ends[] = {0,
                                  1,
                                  2,
                                  ~uint64_t{0},
                                  ~uint64_t{0} - 1,
                                  uint64_t{1} << 63,
                                  (uint64_t{1} << 63) - 1,
                                  (uint64_t{1} << 63) + 1,
                                  0x8000,
                                  0x7f,
                                  0x80};
         return ends[random() % std::size(ends)];
       }},
      {"many PCs",
       [](size_t row, size_t field, std::mt19937_64& random) {
         return field == 0 ? random() % 100'000 * 16 : row / 3 + random() % 2;
       }},
      {"sign changes", [](size_t row, size_t field,
                          auto&) { return (row % 2 == 0 ? row * row : 0 - row * row) + field; }},
  };
  return shapes;
}

RecordBlock shaped_block(const RecordLayout& layout, const RecordShape& shape, size_t rows,
                         uint64_t seed, size_t first_row) {
  std::mt19937_64 random(seed);
  RecordBlock block;
  block.rows = rows;
  block.columns.resize(layout.fields.size());
  for (size_t row = 0; row < rows; ++row)
    for (size_t field = 0; field < layout.fields.size(); ++field) {
      const unsigned spare = 64 - 8 * layout.fields[field].width;
      const uint64_t value = shape.value(first_row + row, field, random);
      block.columns[field].push_back(value << spare >> spare);
    }
  return block;
}

RecordLayout vpc_layout() { return {{{"pc", 4, true}, {"data", 8, false}}}; }

const std::vector<RecordLayout>& record_layouts() {
  static const std::vector<RecordLayout> layouts = {
      vpc_layout(),
      {{{"pc", 8, true}, {"address", 8, false}, {"kind", 1, false}}},
      {{{"event", 4, false}}},
      {{{"pc", 4, true}}},
      {{{"x", 8, false}, {"y", 3, false}}},
      {{{"a", 2, false}, {"pc", 6, true}, {"b", 5, false}, {"c", 7, false}}},
      {{{"bit", 1, false}}},
      {{{"pc", 1, true}, {"data", 1, false}}},
  };
  return layouts;
}

}  // namespace vestige
