// The frame of a stream that is cut into segments of a fixed number of values, each encoded by
// itself: `packed`, `checkpoint` and the bidirectional codecs have it.
//
// Byte grammar:
//     stream  := varint count, size*, segment*
//     size    := varint bytes of a segment; none for the last one, which takes what is left
//     segment := the codec's own; of as many values as the codec says, the last one of those left
// A stream of no values is the one byte 0.
//
// Memory of an encoder: the values of one segment, and the bytes of those before it.
#pragma once

#include <span>
#include <vector>

#include "codec/stream_codec.h"

namespace vestige {

class SegmentedEncoder : public StreamEncoder {
 public:
  explicit SegmentedEncoder(size_t segment_values) : segment_values_(segment_values) {}
  void append(std::span<const uint64_t> values) final;
  uint64_t size() const final { return size_; }
  Bytes finish() final;

 private:
  // Appends the segment's bytes. Segments come in order; `first` is the stream's first.
  virtual void encode_segment(std::span<const uint64_t> values, bool first, ByteWriter& out) = 0;

  size_t segment_values_;
  uint64_t size_ = 0;
  std::vector<uint64_t> segment_;  // being filled; closed when another value comes
  std::vector<size_t> sizes_;
  ByteWriter segments_;
};

struct SegmentedStream {
  uint64_t size = 0;  // values
  std::vector<ByteView> segments;
};
// `what` names the stream in errors. The segments lie in `bytes`.
Result<SegmentedStream> read_segments(ByteView bytes, uint64_t segment_values, const char* what);

// Sizes of all pieces but the last, then the pieces, up to the end. False: they are cut short.
bool read_pieces(ByteReader& in, size_t count, std::vector<ByteView>& pieces);

}  // namespace vestige
