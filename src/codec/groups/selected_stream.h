// One stream by the best of the paper's twelve bidirectional codecs (WET, section 4, "Selection"):
// all of them on the beginning, then the one that did best on the rest.
//
//     selected := u8 StreamCodec, varint size, the stream
//
// Unlike select.h no other codec competes, and the beginning is short, since a trace has very many
// short streams; of those with few values three codecs are tried, of steady ones none.
#pragma once

#include <span>
#include <vector>

#include "base/bytes.h"
#include "codec/stream_codec.h"

namespace vestige {

inline constexpr size_t kSelectedSample = 512, kSelectedFew = 48;

// Which codec it took.
StreamCodec encode_selected(std::span<const uint64_t> values, ByteWriter& out);
// One that was read, and not unpacked.
struct SelectedStream {
  StreamCodec codec = StreamCodec::last2_stride;
  ByteView bytes;
};
// Stops behind it.
Result<SelectedStream> read_selected(ByteReader& in);
// Reads one and stops behind it; more values than `most` are an error.
Result<std::vector<uint64_t>> decode_selected(ByteReader& in, uint64_t most);

}  // namespace vestige
