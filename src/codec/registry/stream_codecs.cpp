// The stream codecs by number and by name: a codec is a folder in codec/stream and a row here. The
// bidirectional ones are one folder; the row's number says which predictor and how much context.
#include <algorithm>
#include <array>
#include <string>

#include "codec/stream/bidirectional/bidirectional_stream.h"
#include "codec/stream/checkpoint/checkpoint_stream.h"
#include "codec/stream/packed/packed_stream.h"
#include "codec/stream/runs/runs_stream.h"
#include "codec/stream/sequitur/sequitur_stream.h"
#include "codec/stream_codec.h"

namespace vestige {

namespace {

struct StreamCodecRow {
  StreamCodec codec;
  std::string_view name;
  std::unique_ptr<StreamEncoder> (*make)(StreamCodec codec);
  Result<std::unique_ptr<StreamCursor>> (*open)(StreamCodec codec, ByteView bytes);
};

template <auto make, auto open>
constexpr StreamCodecRow row(StreamCodec codec, std::string_view name) {
  return {codec, name, [](StreamCodec) { return make(); },
          [](StreamCodec, ByteView bytes) { return open(bytes); }};
}

constexpr StreamCodecRow bidirectional(StreamCodec codec, std::string_view name) {
  return {codec, name, make_bidirectional_encoder, open_bidirectional};
}

// In the order of reports: fast to decode first.
constexpr std::array kRows = {
    row<make_packed_stream_encoder, open_packed_stream>(StreamCodec::packed, "packed"),
    row<make_checkpoint_encoder, open_checkpoint>(StreamCodec::checkpoint, "checkpoint"),
    bidirectional(StreamCodec::fcm1, "fcm1"),
    bidirectional(StreamCodec::fcm2, "fcm2"),
    bidirectional(StreamCodec::fcm3, "fcm3"),
    bidirectional(StreamCodec::dfcm1, "dfcm1"),
    bidirectional(StreamCodec::dfcm2, "dfcm2"),
    bidirectional(StreamCodec::dfcm3, "dfcm3"),
    bidirectional(StreamCodec::last2, "last2"),
    bidirectional(StreamCodec::last4, "last4"),
    bidirectional(StreamCodec::last8, "last8"),
    bidirectional(StreamCodec::last2_stride, "last2-stride"),
    bidirectional(StreamCodec::last4_stride, "last4-stride"),
    bidirectional(StreamCodec::last8_stride, "last8-stride"),
    row<make_runs_encoder, open_runs>(StreamCodec::runs, "runs"),
    row<make_sequitur_encoder, open_sequitur>(StreamCodec::sequitur, "sequitur"),
};

constexpr auto kCodecs = [] {
  std::array<StreamCodec, kRows.size()> codecs{};
  for (size_t i = 0; i < codecs.size(); ++i) codecs[i] = kRows[i].codec;
  return codecs;
}();

// Null: the number may come from a file.
const StreamCodecRow* row_of(StreamCodec codec) {
  const auto found = std::ranges::find(kRows, codec, &StreamCodecRow::codec);
  return found == kRows.end() ? nullptr : &*found;
}

}  // namespace

std::string_view name_of(StreamCodec codec) {
  const StreamCodecRow* found = row_of(codec);
  return found ? found->name : "unknown";
}

Result<StreamCodec> stream_codec_named(std::string_view name) {
  const auto found = std::ranges::find(kRows, name, &StreamCodecRow::name);
  if (found != kRows.end()) return found->codec;
  std::string known;
  for (const StreamCodecRow& each : kRows)
    known += std::string(known.empty() ? "" : ", ") + std::string(each.name);
  return fail(ErrorKind::usage,
              "no stream codec is called '" + std::string(name) + "'; there are: " + known);
}

std::span<const StreamCodec> stream_codecs() { return kCodecs; }

std::unique_ptr<StreamEncoder> make_stream_encoder(StreamCodec codec) {
  const StreamCodecRow* found = row_of(codec);
  return found ? found->make(codec) : nullptr;
}

Result<std::unique_ptr<StreamCursor>> open_stream(StreamCodec codec, ByteView bytes) {
  const StreamCodecRow* found = row_of(codec);
  if (!found)
    return fail(ErrorKind::unsupported, "stream codec " +
                                            std::to_string(static_cast<unsigned>(codec)) +
                                            " is not known to this version");
  return found->open(codec, bytes);
}

}  // namespace vestige
