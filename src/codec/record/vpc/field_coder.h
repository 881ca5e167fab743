// Codes one field's values, row by row, into bits and back (VPC paper, section 3).
//
//     value      := code of a right prediction: of several, the most frequent code
//                 | code of "none", miss
//                 | code of "outside", the value in all 8·width bits    a PC not below the range
//     miss       := the value in ⌈log2 range⌉ bits                      of a PC
//                 | code of the nearest prediction, difference          of another field
//     difference := code of the length less 1, sign, magnitude without its leading one
// Codes are dynamic Huffman codes (adaptive_huffman.h), per field one set for the predictions and
// one for the lengths; each code is counted right after it is written or read.
//
// The difference is value - prediction modulo 2^(8·width), taken as negative (sign 1) where that
// gives the lesser magnitude: 1 … 2^(8·width-1). The length is that of the magnitude in bits. Of
// equally near predictions the one with the most frequent code is taken.
#pragma once

#include <memory>

#include "codec/entropy/bit_stream.h"
#include "codec/record/vpc/vpc_plan.h"

namespace vestige::vpc {

// A row goes: open(line) – encode(value) or decode(value) – update(value). Opening fetches from
// memory what the other two need, so it is best done early.
class FieldCoder {
 public:
  virtual ~FieldCoder() = default;
  virtual void open(uint32_t line) = 0;
  // Gives the number of the prediction that was right, or how many there are when none was.
  virtual unsigned encode(uint64_t value, BitWriter& out) = 0;
  // False when the bits are not what encode() writes.
  virtual bool decode(uint64_t& value, BitReader& in) = 0;
  virtual void update(uint64_t value) = 0;
  virtual size_t table_bytes() const = 0;
};

// `range` of the PCs; 0: every value of the field's width.
std::unique_ptr<FieldCoder> make_field_coder(const FieldPlan& plan, uint64_t range);

}  // namespace vestige::vpc
