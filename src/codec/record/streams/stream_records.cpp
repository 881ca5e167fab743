#include "codec/record/streams/stream_records.h"

#include "codec/stream_codec.h"

namespace vestige {

namespace {

std::unexpected<Error> bad(const std::string& what) {
  return fail(ErrorKind::corrupt, "streams: " + what);
}

class StreamsEncoder final : public RecordEncoder {
 public:
  explicit StreamsEncoder(std::optional<StreamCodec> codec) : codec_(codec) {}

  Bytes encode(const RecordBlock& block) override {
    ByteWriter out;
    for (const std::vector<uint64_t>& column : block.columns) {
      const StreamCodec codec = codec_ ? *codec_ : select_stream_codec(column, StreamGoal::size);
      write_stream_column(codec, column, out);
    }
    return out.take();
  }
  Bytes parameters() const override {
    return {codec_ ? static_cast<uint8_t>(*codec_) : uint8_t{0}};
  }
  size_t block_rows() const override { return kStreamRows; }

 private:
  std::optional<StreamCodec> codec_;  // nothing: selected
};

class StreamsDecoder final : public RecordDecoder {
 public:
  explicit StreamsDecoder(const RecordLayout& layout) : layout_(layout) {}

  Result<void> decode(ByteView bytes, RecordBlock& block) override {
    ByteReader in(bytes);
    block.columns.resize(layout_.fields.size());
    for (size_t i = 0; i < block.columns.size(); ++i)
      if (auto read = read_stream_column(in, layout_.fields[i], block.rows, block.columns[i]);
          !read)
        return read;
    if (in.failed() || in.remaining() != 0) return bad("a block does not end where it should");
    return {};
  }

 private:
  RecordLayout layout_;
};

}  // namespace

void write_stream_column(StreamCodec codec, std::span<const uint64_t> values, ByteWriter& out) {
  const auto encoder = make_stream_encoder(codec);
  encoder->append(values);
  const Bytes bytes = encoder->finish();
  out.u8(static_cast<uint8_t>(codec));
  out.varint(bytes.size());
  out.bytes(bytes);
}

Result<void> read_stream_column(ByteReader& in, const RecordField& field, size_t rows,
                                std::vector<uint64_t>& column) {
  const auto codec = static_cast<StreamCodec>(in.u8());
  const ByteView bytes = in.bytes(in.varint());
  if (in.failed()) return bad("column '" + field.name + "' is cut short");
  auto cursor = open_stream(codec, bytes);
  if (!cursor) return std::unexpected(cursor.error());
  if ((*cursor)->size() != rows) return bad("column '" + field.name + "' has other rows");
  column.resize(rows);
  if ((*cursor)->read(column) != rows) {
    const Error* error = (*cursor)->error();
    return error ? std::unexpected(*error) : bad("column '" + field.name + "' ends early");
  }
  uint64_t any = 0;
  for (const uint64_t value : column) any |= value;
  if (field.width < 8 && any >> 8 * field.width != 0)
    return bad("column '" + field.name + "' has a value wider than its field");
  return {};
}

Result<std::unique_ptr<RecordEncoder>> make_streams_encoder(const RecordLayout&,
                                                            const RecordCodecOptions& options) {
  std::optional<StreamCodec> codec;
  if (!options.stream_codec.empty()) {
    const auto named = stream_codec_named(options.stream_codec);
    if (!named) return std::unexpected(named.error());
    codec = *named;
  }
  return std::make_unique<StreamsEncoder>(codec);
}

Result<std::unique_ptr<RecordDecoder>> make_streams_decoder(const RecordLayout& layout,
                                                            ByteView parameters) {
  // The number is for reports; every column says its own.
  if (parameters.size() != 1) return bad("the parameters are damaged");
  return std::make_unique<StreamsDecoder>(layout);
}

}  // namespace vestige
