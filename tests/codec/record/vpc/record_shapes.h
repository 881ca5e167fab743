// Blocks of records of the shapes that traces have, and some that they never have.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "codec/record_codec.h"

namespace vestige {

struct RecordShape {
  std::string name;
  // The value of a field in a row.
  std::function<uint64_t(size_t row, size_t field, std::mt19937_64& random)> value;
};

const std::vector<RecordShape>& record_shapes();

// Values are cut to the fields' widths.
RecordBlock shaped_block(const RecordLayout& layout, const RecordShape& shape, size_t rows,
                         uint64_t seed, size_t first_row = 0);

// PC of 4 bytes and data of 8: the VPC paper's.
RecordLayout vpc_layout();
// Every kind of layout: several data fields, no PC, a PC alone, all widths, the PC in the middle.
const std::vector<RecordLayout>& record_layouts();

}  // namespace vestige
