// The record codecs by number and by name: a codec is a folder in codec/record and a row here.
#include <algorithm>
#include <array>

#include "codec/record/hybrid/hybrid.h"
#include "codec/record/streams/stream_records.h"
#include "codec/record/vestige/levels.h"
#include "codec/record/vpc/vpc.h"
#include "codec/record_codec.h"
#include "codec/stream_codec.h"

namespace vestige {

namespace {

Result<void> check(const RecordLayout& layout, ErrorKind kind) {
  if (layout.fields.empty()) return fail(kind, "a record needs at least one field");
  for (const RecordField& field : layout.fields)
    if (field.width < 1 || field.width > 8)
      return fail(kind, "field '" + field.name + "' is " + std::to_string(field.width) +
                            " bytes wide; 1 to 8 are possible");
  if (std::ranges::count_if(layout.fields, &RecordField::is_pc) > 1)
    return fail(kind, "a record has at most one field that is the PC");
  return {};
}

struct RecordCodecRow {
  RecordCodec codec;
  std::string_view name;
  Result<std::unique_ptr<RecordEncoder>> (*make)(const RecordLayout& layout,
                                                 const RecordCodecOptions& options);
  Result<std::unique_ptr<RecordDecoder>> (*open)(const RecordLayout& layout, ByteView parameters,
                                                 unsigned threads);
};

template <bool second_stage>
constexpr RecordCodecRow vpc(RecordCodec codec, std::string_view name) {
  return {codec, name,
          [](const RecordLayout& layout, const RecordCodecOptions& options) {
            return make_vpc_encoder(layout, options, second_stage);
          },
          [](const RecordLayout& layout, ByteView parameters, unsigned) {
            return make_vpc_decoder(layout, parameters, second_stage);
          }};
}

// A codec of one thread.
template <auto make, auto open>
constexpr RecordCodecRow row(RecordCodec codec, std::string_view name) {
  return {codec, name, make, [](const RecordLayout& layout, ByteView parameters, unsigned) {
            return open(layout, parameters);
          }};
}

constexpr std::array kRows = {
    RecordCodecRow{RecordCodec::vestige, "vestige", make_level_encoder, make_level_decoder},
    vpc<false>(RecordCodec::vpc, "vpc"),
    vpc<true>(RecordCodec::vpc2, "vpc2"),
    row<make_hybrid_encoder, make_hybrid_decoder>(RecordCodec::hybrid, "hybrid"),
    row<make_streams_encoder, make_streams_decoder>(RecordCodec::streams, "select"),
};

Result<const RecordCodecRow*> row_of(RecordCodec codec) {
  const auto found = std::ranges::find(kRows, codec, &RecordCodecRow::codec);
  if (found != kRows.end()) return &*found;
  return fail(ErrorKind::unsupported, "record codec " +
                                          std::to_string(static_cast<unsigned>(codec)) +
                                          " is not known to this version");
}

}  // namespace

Result<RecordCodec> record_codec_named(std::string_view name, RecordCodecOptions& options) {
  if (const auto found = std::ranges::find(kRows, name, &RecordCodecRow::name);
      found != kRows.end()) {
    if (found->codec == RecordCodec::streams) options.stream_codec.clear();
    return found->codec;
  }
  if (stream_codec_named(name)) {
    options.stream_codec = name;
    return RecordCodec::streams;
  }
  std::string known;
  for (const RecordCodecRow& each : kRows)
    known += std::string(known.empty() ? "" : ", ") + std::string(each.name);
  for (const StreamCodec codec : stream_codecs()) known += ", " + std::string(name_of(codec));
  return fail(ErrorKind::usage,
              "no codec is called '" + std::string(name) + "'; there are: " + known);
}

Result<std::unique_ptr<RecordEncoder>> make_record_encoder(RecordCodec codec,
                                                           const RecordLayout& layout,
                                                           const RecordCodecOptions& options) {
  if (auto sound = check(layout, ErrorKind::usage); !sound) return std::unexpected(sound.error());
  auto found = row_of(codec);
  if (!found) return std::unexpected(std::move(found.error()));
  return (*found)->make(layout, options);
}

Result<std::unique_ptr<RecordDecoder>> make_record_decoder(RecordCodec codec,
                                                           const RecordLayout& layout,
                                                           ByteView parameters, unsigned threads) {
  if (auto sound = check(layout, ErrorKind::corrupt); !sound) return std::unexpected(sound.error());
  auto found = row_of(codec);
  if (!found) return std::unexpected(std::move(found.error()));
  return (*found)->open(layout, parameters, threads);
}

}  // namespace vestige
