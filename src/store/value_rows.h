// Values told, as rows of our own record codec: statement (in the PC's place), paths since the
// value before, value.
//
//   rows  := (count:varint size:varint block)*     until the chunk's count is reached
//
// The codec starts afresh in every chunk, so a chunk decodes alone; the time before its first row
// is 0.
#pragma once

#include <memory>

#include "base/spares.h"
#include "codec/record_codec.h"
#include "store/chunks.h"

namespace vestige {

class ValueRowsEncoder {
 public:
  // `spares`: where codecs come from and go to between chunks, shared by many; null: each chunk
  // has a new one. A codec has some 11 MiB, most of which a long chunk touches.
  explicit ValueRowsEncoder(Spares<RecordEncoder>* spares = nullptr);
  void append(const ToldValue& value);
  uint64_t count() const { return count_; }
  Bytes finish();  // and starts over

 private:
  void begin();
  void write_block();
  Spares<RecordEncoder>* const spares_;
  std::unique_ptr<RecordEncoder> encoder_;
  RecordBlock block_;
  ByteWriter out_;
  uint64_t count_ = 0;
  uint64_t time_ = 0;
};

class ValueRowsDecoder {
 public:
  // The bytes must outlive it.
  ValueRowsDecoder(ByteView rows, uint64_t count);
  // The next values, none at the end.
  Result<std::vector<ToldValue>> next();

 private:
  ByteReader in_;
  uint64_t left_;
  uint64_t time_ = 0;
  std::unique_ptr<RecordDecoder> decoder_;
};

}  // namespace vestige
