// Arithmetic coding with fine probabilities, 32 bits wide.
//
// The strong models are often sure to one part in a million, and a trace holds millions of values:
// with 16 bits the surest decision still costs 0.0004 bits, which alone is more than some columns
// need.
#pragma once

#include "codec/entropy/range_coder.h"

namespace vestige::strong {

using FineEncoder = mix::RangeEncoderOf<32>;
using FineDecoder = mix::RangeDecoderOf<32>;
using mix::ColumnOf;

}  // namespace vestige::strong
