#include "codec/pack/segments.h"

#include <algorithm>
#include <string>
#include <utility>

namespace vestige {

void SegmentedEncoder::append(std::span<const uint64_t> values) {
  size_ += values.size();
  while (!values.empty()) {
    if (segment_.size() == segment_values_) {
      const size_t begin = segments_.size();
      encode_segment(segment_, sizes_.empty(), segments_);
      sizes_.push_back(segments_.size() - begin);
      segment_.clear();
    }
    const size_t n = std::min(values.size(), segment_values_ - segment_.size());
    segment_.insert(segment_.end(), values.begin(), values.begin() + static_cast<ptrdiff_t>(n));
    values = values.subspan(n);
  }
}

Bytes SegmentedEncoder::finish() {
  ByteWriter out;
  out.varint(std::exchange(size_, 0));
  for (const size_t size : sizes_) out.varint(size);
  out.bytes(segments_.buffer());
  if (!segment_.empty()) encode_segment(segment_, sizes_.empty(), out);
  segment_ = {};
  sizes_ = {};
  segments_ = {};
  return out.take();
}

Result<SegmentedStream> read_segments(ByteView bytes, uint64_t segment_values, const char* what) {
  const auto bad = [&](const char* how) {
    return fail(ErrorKind::corrupt, std::string(what) + ": " + how);
  };
  SegmentedStream stream;
  ByteReader in(bytes);
  stream.size = in.varint();
  const uint64_t segments = stream.size / segment_values + (stream.size % segment_values != 0);
  if (in.failed() || segments > in.remaining() || (segments == 0 && in.remaining() > 0))
    return bad("the header is damaged");
  if (!read_pieces(in, segments, stream.segments)) return bad("a segment is cut short");
  return stream;
}

bool read_pieces(ByteReader& in, size_t count, std::vector<ByteView>& pieces) {
  pieces.clear();
  if (count == 0) return true;
  std::vector<uint64_t> sizes(count - 1);
  for (uint64_t& size : sizes) size = in.varint();
  for (const uint64_t size : sizes) pieces.push_back(in.bytes(size));
  pieces.push_back(in.bytes(in.remaining()));
  return !in.failed();
}

}  // namespace vestige
