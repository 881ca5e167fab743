#include "codec/record_codec.h"

#include <algorithm>

#include "codec/hybrid/hybrid.h"
#include "codec/levels.h"
#include "codec/predict/vpc.h"
#include "codec/stream_codec.h"
#include "codec/stream_records.h"

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

std::unexpected<Error> unknown(RecordCodec codec) {
  return fail(ErrorKind::unsupported, "record codec " +
                                          std::to_string(static_cast<unsigned>(codec)) +
                                          " is not known to this version");
}

}  // namespace

Result<RecordCodec> record_codec_named(std::string_view name, RecordCodecOptions& options) {
  if (name == "vestige") return RecordCodec::vestige;
  if (name == "vpc") return RecordCodec::vpc;
  if (name == "vpc2") return RecordCodec::vpc2;
  if (name == "hybrid") return RecordCodec::hybrid;
  if (name == "select") {
    options.stream_codec.clear();
    return RecordCodec::streams;
  }
  if (stream_codec_named(name)) {
    options.stream_codec = name;
    return RecordCodec::streams;
  }
  std::string known = "vestige, vpc, vpc2, hybrid, select";
  for (const StreamCodec codec : stream_codecs()) known += ", " + std::string(name_of(codec));
  return fail(ErrorKind::usage,
              "no codec is called '" + std::string(name) + "'; there are: " + known);
}

Result<std::unique_ptr<RecordEncoder>> make_record_encoder(RecordCodec codec,
                                                           const RecordLayout& layout,
                                                           const RecordCodecOptions& options) {
  if (auto sound = check(layout, ErrorKind::usage); !sound) return std::unexpected(sound.error());
  switch (codec) {
    case RecordCodec::vestige:
      return make_level_encoder(layout, options);
    case RecordCodec::vpc:
      return make_vpc_encoder(layout, options, false);
    case RecordCodec::vpc2:
      return make_vpc_encoder(layout, options, true);
    case RecordCodec::streams:
      return make_streams_encoder(layout, options);
    case RecordCodec::hybrid:
      return make_hybrid_encoder(layout, options);
  }
  return unknown(codec);
}

Result<std::unique_ptr<RecordDecoder>> make_record_decoder(RecordCodec codec,
                                                           const RecordLayout& layout,
                                                           ByteView parameters, unsigned threads) {
  if (auto sound = check(layout, ErrorKind::corrupt); !sound) return std::unexpected(sound.error());
  switch (codec) {
    case RecordCodec::vestige:
      return make_level_decoder(layout, parameters, threads);
    case RecordCodec::vpc:
      return make_vpc_decoder(layout, parameters, false);
    case RecordCodec::vpc2:
      return make_vpc_decoder(layout, parameters, true);
    case RecordCodec::streams:
      return make_streams_decoder(layout, parameters);
    case RecordCodec::hybrid:
      return make_hybrid_decoder(layout, parameters);
  }
  return unknown(codec);
}

}  // namespace vestige
