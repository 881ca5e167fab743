// Any bytes through compress and back, by any codec, format and level; then a change of one byte of
// the compressed file: what comes out must be a beginning of what went in, and be said to be one.
// The first bytes: codec, format, level, how often the rest is repeated, u16 which byte is changed.
#include <algorithm>

#include "archive/compression.h"
#include "archive/decompression.h"
#include "fuzz.h"

namespace vestige {
namespace {

constexpr const char* kCodecs[] = {
    "vestige", "vestige", "vpc",        "vpc2", "sequitur", "runs",         "packed", "fcm1",
    "dfcm3",   "last2",   "checkpoint", "fcm3", "last8",    "last4-stride", "select", "hybrid"};
constexpr const char* kFormats[] = {
    "", "vpc", "cf", "refs", "u64", "u8", "record:pc:4,value:3", "record:skip:2,8,2,1,nopc"};

struct Back {
  Bytes bytes;
  bool whole = false;
};

Back decompressed(ByteView file) {
  MemorySource source(file);
  DecompressOptions options;
  options.threads = 1;
  auto decompression = Decompression::open(source, options, registered_codecs());
  if (!decompression) return {};
  MemorySink sink;
  const auto report = decompression->run(sink);
  require(report.has_value(), "memory that cannot be read");
  return {sink.bytes(), report->problem.empty()};
}

}  // namespace
}  // namespace vestige

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vestige;
  ByteReader in(ByteView(data, size));
  CompressOptions options;
  options.codec = kCodecs[in.u8() % std::size(kCodecs)];
  options.format = kFormats[in.u8() % std::size(kFormats)];
  options.level = 1 + in.u8() % 9;
  options.threads = 1;
  const uint8_t repeat = in.u8();
  const uint16_t place = in.u16();
  if (in.failed()) return 0;
  options.explain = repeat % 2;
  const ByteView piece = in.bytes(in.remaining());
  Bytes raw;
  for (size_t i = 0; i <= repeat && raw.size() < 20'000; ++i)
    raw.insert(raw.end(), piece.begin(), piece.end());

  MemorySource source(raw);
  auto compression = Compression::open(source, options, registered_codecs());
  require(compression.has_value(), "a codec refuses the format");
  MemorySink sink;
  require(compression->run(sink).has_value(), "memory that cannot be written");
  Bytes file = sink.bytes();
  const Back same = decompressed(file);
  require(same.whole && same.bytes == raw, "what comes out is not what went in");

  file[place % file.size()] ^= static_cast<uint8_t>(1 + place / file.size() % 255);
  const Back changed = decompressed(file);
  require(!changed.whole, "a changed byte is not seen");
  require(changed.bytes.size() <= raw.size() &&
              std::equal(changed.bytes.begin(), changed.bytes.end(), raw.begin()),
          "damage gets through");
  return 0;
}
