// Rows of a raw trace to columns of integers and back. Little-endian, no padding between fields.
#pragma once

#include "base/bytes.h"
#include "codec/record_codec.h"

namespace vestige {

// Takes whole rows: raw.size() is a multiple of the layout's width. Sets rows and columns.
void split_rows(const RecordLayout& layout, ByteView raw, RecordBlock& block);
// The inverse; `raw` is resized. The high bytes of a value that its field has no room for are lost:
// decoders promise there are none, and the caller's checksum over the rows holds them to it.
void merge_rows(const RecordLayout& layout, const RecordBlock& block, Bytes& raw);

}  // namespace vestige
