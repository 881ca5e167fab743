// Bare columns: a block's rows of one field, byte by byte, with nothing foretold (model.h).
//
// Numbers that come of no other ones (what a program measures, draws or reads, floating point above
// all) are not foretold by anything, and to look for what foretells them is what costs most. What
// there is to save lies in single bytes: signs, exponents, zeros at one end. So such a column goes
// as one plane for each byte of its width, packed where the plane is no noise.
#pragma once

#include "codec/record/vestige/fast/streams.h"

namespace vestige::fast {

// Appends the planes of a column.
void put_bare(std::span<const uint64_t> values, unsigned width, StreamPacker& packer,
              ByteWriter& out);

// Reads them into `values`, all of it; false when they are not there.
bool take_bare(ByteReader& in, unsigned width, StreamUnpacker& unpacker,
               std::span<uint64_t> values);

// When a column of the encoder goes bare: where coding it saves little, and bare it is hardly
// larger. Both are tried again now and then.
class BareTrials {
 public:
  // Asked once a block.
  bool goes_bare() {
    if (left_ == 0) return false;
    --left_;
    return true;
  }
  // What came of it.
  void was_coded(size_t rows, unsigned width, size_t bytes);
  void was_bare(size_t rows, size_t bytes);

 private:
  uint32_t blocks_ = 0;    // how many in a row go bare
  uint32_t left_ = 0;      // of those
  uint32_t patience_ = 0;  // blocks to be coded, whatever comes of them
  double coded_cost_ = 0;  // bytes a row, the last time
};

}  // namespace vestige::fast
