#include "delta_codec.h"

#include <gtest/gtest.h>

#include <random>

namespace vestige {
namespace {

constexpr uint8_t kParameter = 0x5a;

class DeltaEncoder final : public RecordEncoder {
 public:
  DeltaEncoder(const RecordLayout& layout, int level)
      : rows_(level == 1   ? 7
              : level == 9 ? 50'000
                           : size_t{64} * level),
        last_(layout.fields.size()) {
    for (const RecordField& field : layout.fields)
      explanation_.push_back({field.name, {"last", "none"}, {0, 0}, {}, 0});
  }
  Bytes encode(const RecordBlock& block) override {
    ByteWriter out;
    for (size_t f = 0; f < last_.size(); ++f)
      for (const uint64_t value : block.columns[f]) {
        ++explanation_[f].counts[value != last_[f]];
        out.svarint(static_cast<int64_t>(value - std::exchange(last_[f], value)));
      }
    return out.take();
  }
  Bytes parameters() const override { return {kParameter}; }
  size_t block_rows() const override { return rows_; }
  const Explanation* explanation() const override { return &explanation_; }

 private:
  size_t rows_;
  std::vector<uint64_t> last_;
  Explanation explanation_;
};

class DeltaDecoder final : public RecordDecoder {
 public:
  explicit DeltaDecoder(size_t fields) : last_(fields) {}
  Result<void> decode(ByteView bytes, RecordBlock& block) override {
    ByteReader in(bytes);
    block.columns.resize(last_.size());
    for (size_t f = 0; f < last_.size(); ++f) {
      block.columns[f].resize(block.rows);
      for (uint64_t& value : block.columns[f])
        value = last_[f] += static_cast<uint64_t>(in.svarint());
    }
    if (in.failed() || in.remaining() > 0) return fail(ErrorKind::corrupt, "bad differences");
    return {};
  }

 private:
  std::vector<uint64_t> last_;
};

Result<RecordCodec> delta_named(std::string_view name, RecordCodecOptions&) {
  if (name == "vestige") return RecordCodec::vestige;
  if (name == "vpc2") return RecordCodec::vpc2;
  return fail(ErrorKind::usage, "there is no codec " + std::string(name));
}

Result<std::unique_ptr<RecordEncoder>> delta_encoder(RecordCodec, const RecordLayout& layout,
                                                     const RecordCodecOptions& options) {
  return std::make_unique<DeltaEncoder>(layout, options.level);
}

Result<std::unique_ptr<RecordDecoder>> delta_decoder(RecordCodec, const RecordLayout& layout,
                                                     ByteView parameters, unsigned) {
  if (parameters.size() != 1 || parameters[0] != kParameter)
    return fail(ErrorKind::corrupt, "bad parameters");
  return std::make_unique<DeltaDecoder>(layout.fields.size());
}

}  // namespace

CodecSet delta_codecs() { return {delta_named, delta_encoder, delta_decoder}; }

Bytes compressed(ByteView raw, const CompressOptions& options, const CodecSet& codecs) {
  MemorySource source(raw);
  auto compression = Compression::open(source, options, codecs);
  EXPECT_TRUE(compression) << compression.error().message;
  MemorySink sink;
  const auto report = compression->run(sink);
  EXPECT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->in, raw.size());
  EXPECT_EQ(report->out, sink.bytes().size());
  return sink.bytes();
}

Decompressed decompressed(ByteView archive, const CodecSet& codecs,
                          const DecompressOptions& options) {
  Decompressed result;
  MemorySource source(archive);
  auto decompression = Decompression::open(source, options, codecs);
  if (!decompression) {
    result.problem = decompression.error().message;
    return result;
  }
  result.opened = true;
  MemorySink sink;
  const auto report = decompression->run(sink);
  if (!report) {
    result.problem = report.error().message;
    return result;
  }
  EXPECT_EQ(report->out, sink.bytes().size());
  result.bytes = sink.bytes();
  result.problem = report->problem;
  return result;
}

Bytes trace_like(size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes;
  while (bytes.size() < size) {
    const size_t length = 1 + random() % 40;
    const uint8_t first = static_cast<uint8_t>(random()), step = random() % 3;
    const bool noise = random() % 4 == 0;
    for (size_t i = 0; i < length; ++i)
      bytes.push_back(noise ? static_cast<uint8_t>(random())
                            : static_cast<uint8_t>(first + i * step));
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace vestige
