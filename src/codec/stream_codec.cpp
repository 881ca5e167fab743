#include "codec/stream_codec.h"

#include <algorithm>
#include <array>
#include <string>

#include "codec/bidirectional/bidirectional_stream.h"
#include "codec/bidirectional/checkpoint_stream.h"
#include "codec/pack/packed_stream.h"
#include "codec/section/runs_stream.h"
#include "codec/sequitur/sequitur_stream.h"

namespace vestige {

namespace {

struct Named {
  StreamCodec codec;
  std::string_view name;
};

// In the order of reports: fast to decode first.
constexpr std::array kNames = {
    Named{StreamCodec::packed, "packed"},
    Named{StreamCodec::checkpoint, "checkpoint"},
    Named{StreamCodec::fcm1, "fcm1"},
    Named{StreamCodec::fcm2, "fcm2"},
    Named{StreamCodec::fcm3, "fcm3"},
    Named{StreamCodec::dfcm1, "dfcm1"},
    Named{StreamCodec::dfcm2, "dfcm2"},
    Named{StreamCodec::dfcm3, "dfcm3"},
    Named{StreamCodec::last2, "last2"},
    Named{StreamCodec::last4, "last4"},
    Named{StreamCodec::last8, "last8"},
    Named{StreamCodec::last2_stride, "last2-stride"},
    Named{StreamCodec::last4_stride, "last4-stride"},
    Named{StreamCodec::last8_stride, "last8-stride"},
    Named{StreamCodec::runs, "runs"},
    Named{StreamCodec::sequitur, "sequitur"},
};

constexpr auto kCodecs = [] {
  std::array<StreamCodec, kNames.size()> codecs{};
  for (size_t i = 0; i < codecs.size(); ++i) codecs[i] = kNames[i].codec;
  return codecs;
}();

}  // namespace

std::string_view name_of(StreamCodec codec) {
  const auto found = std::ranges::find(kNames, codec, &Named::codec);
  return found == kNames.end() ? "unknown" : found->name;
}

Result<StreamCodec> stream_codec_named(std::string_view name) {
  const auto found = std::ranges::find(kNames, name, &Named::name);
  if (found != kNames.end()) return found->codec;
  std::string known;
  for (const Named& each : kNames)
    known += std::string(known.empty() ? "" : ", ") + std::string(each.name);
  return fail(ErrorKind::usage,
              "no stream codec is called '" + std::string(name) + "'; there are: " + known);
}

std::span<const StreamCodec> stream_codecs() { return kCodecs; }

std::unique_ptr<StreamEncoder> make_stream_encoder(StreamCodec codec) {
  switch (codec) {
    case StreamCodec::packed:
      return make_packed_stream_encoder();
    case StreamCodec::sequitur:
      return make_sequitur_encoder();
    case StreamCodec::runs:
      return make_runs_encoder();
    case StreamCodec::checkpoint:
      return make_checkpoint_encoder();
    default:
      return make_bidirectional_encoder(codec);
  }
}

Result<std::unique_ptr<StreamCursor>> open_stream(StreamCodec codec, ByteView bytes) {
  switch (codec) {
    case StreamCodec::packed:
      return open_packed_stream(bytes);
    case StreamCodec::sequitur:
      return open_sequitur(bytes);
    case StreamCodec::runs:
      return open_runs(bytes);
    case StreamCodec::checkpoint:
      return open_checkpoint(bytes);
    default:
      break;
  }
  // The number may come from a file.
  if (codec < StreamCodec::fcm1 || codec > StreamCodec::last8_stride)
    return fail(ErrorKind::unsupported, "stream codec " +
                                            std::to_string(static_cast<unsigned>(codec)) +
                                            " is not known to this version");
  return open_bidirectional(codec, bytes);
}

size_t StreamCursor::read(std::span<uint64_t> out) {
  size_t done = 0;
  while (done < out.size() && next(out[done])) ++done;
  return done;
}

size_t StreamCursor::read_back(std::span<uint64_t> out) {
  size_t done = 0;
  while (done < out.size() && prev(out[done])) ++done;
  return done;
}

}  // namespace vestige
