#include "codec/groups/selected_stream.h"

#include <algorithm>

namespace vestige {

namespace {

using enum StreamCodec;

constexpr StreamCodec kAll[] = {fcm1,  fcm2,  fcm3,  dfcm1,        dfcm2,        dfcm3,
                                last2, last4, last8, last2_stride, last4_stride, last8_stride};
constexpr StreamCodec kForFew[] = {last2, last2_stride, dfcm1};
constexpr StreamCodec kForSteady[] = {last2_stride};

// Equal values, or ones that rise or fall by the same amount: very many streams of a trace.
bool steady(std::span<const uint64_t> values) {
  for (size_t i = 2; i < values.size(); ++i)
    if (values[i] - values[i - 1] != values[1] - values[0]) return false;
  return true;
}

}  // namespace

StreamCodec encode_selected(std::span<const uint64_t> values, ByteWriter& out) {
  const auto sample = values.first(std::min(values.size(), kSelectedSample));
  std::span<const StreamCodec> candidates = kAll;
  if (values.size() <= kSelectedFew) candidates = kForFew;
  if (steady(values)) candidates = kForSteady;
  StreamCodec best = candidates.front();
  Bytes shortest;
  for (const StreamCodec codec : candidates) {
    const auto encoder = make_stream_encoder(codec);
    encoder->append(candidates.size() == 1 ? values : sample);
    Bytes bytes = encoder->finish();
    if (!shortest.empty() && bytes.size() >= shortest.size()) continue;
    shortest = std::move(bytes);
    best = codec;
  }
  if (candidates.size() > 1 && sample.size() < values.size()) {
    const auto encoder = make_stream_encoder(best);
    encoder->append(values);
    shortest = encoder->finish();
  }
  out.u8(static_cast<uint8_t>(best));
  out.varint(shortest.size());
  out.bytes(shortest);
  return best;
}

Result<SelectedStream> read_selected(ByteReader& in) {
  SelectedStream stream;
  stream.codec = static_cast<StreamCodec>(in.u8());
  stream.bytes = in.bytes(in.varint());
  if (in.failed() || stream.codec < StreamCodec::fcm1 || stream.codec > StreamCodec::last8_stride)
    return fail(ErrorKind::corrupt, "the stream has no bidirectional codec");
  return stream;
}

Result<std::vector<uint64_t>> decode_selected(ByteReader& in, uint64_t most) {
  const auto stream = read_selected(in);
  if (!stream) return std::unexpected(stream.error());
  auto cursor = open_stream(stream->codec, stream->bytes);
  if (!cursor) return std::unexpected(std::move(cursor.error()));
  if ((*cursor)->size() > most)
    return fail(ErrorKind::corrupt, "the stream has more values than there are");
  std::vector<uint64_t> values((*cursor)->size());
  if ((*cursor)->read(values) != values.size())
    return fail(ErrorKind::corrupt, "the stream is damaged");
  return values;
}

}  // namespace vestige
