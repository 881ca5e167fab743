// The interface of codecs for one stream of 64-bit integers. Codecs know integers only: no files,
// no programs. Each is a folder in codec/stream; codec/registry opens encoded bytes by the codec
// number that is stored with them.
//
// Thread safety: an encoder and a cursor belong to one thread; any number of cursors may read the
// same bytes (a cursor that rewrites what it walks over owns what it rewrites).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "vestige/result.h"

namespace vestige {

// On disk (docs/codecs.md): append, never renumber.
enum class StreamCodec : uint8_t {
  packed = 1,      // packed/: dictionary, delta or plain bit packing by block, then zstd
  sequitur = 2,    // sequitur/: a grammar
  runs = 3,        // runs/: Diff∘RLE∘SEQ, runs of (start, stride, count) under a grammar
  checkpoint = 4,  // checkpoint/: predicted block by block from checkpoints
  fcm1 = 16,       // bidirectional/: the WET paper's; the number is the context size
  fcm2 = 17,
  fcm3 = 18,
  dfcm1 = 19,
  dfcm2 = 20,
  dfcm3 = 21,
  last2 = 22,
  last4 = 23,
  last8 = 24,
  last2_stride = 25,
  last4_stride = 26,
  last8_stride = 27,
};

class StreamEncoder {
 public:
  virtual ~StreamEncoder() = default;
  virtual void append(std::span<const uint64_t> values) = 0;
  virtual uint64_t size() const = 0;  // values appended since the last finish
  // Gives the bytes of everything appended and starts over, empty. The bytes say how many values
  // they hold.
  virtual Bytes finish() = 0;
};

// A place between two values of a stream: `position` values lie before it.
class StreamCursor {
 public:
  virtual ~StreamCursor() = default;
  virtual uint64_t size() const = 0;
  virtual uint64_t position() const = 0;  // 0 … size
  // Each gives the value it moves over, and false at the end (or beginning), or when the bytes turn
  // out to be damaged: then error() says how, and every later call gives false.
  virtual bool next(uint64_t& value) = 0;
  virtual bool prev(uint64_t& value) = 0;
  virtual bool seek(uint64_t position) = 0;
  // As many values as fit or are left, in stream order, moving forwards; fewer only at the end or
  // on damage. read_back moves backwards and gives values in the order it meets them.
  virtual size_t read(std::span<uint64_t> out);
  virtual size_t read_back(std::span<uint64_t> out);
  virtual const Error* error() const = 0;
};

std::unique_ptr<StreamEncoder> make_stream_encoder(StreamCodec codec);
// The bytes must outlive the cursor. Fails on anything that is not the output of finish().
Result<std::unique_ptr<StreamCursor>> open_stream(StreamCodec codec, ByteView bytes);

// "fcm2", "last4-stride", …; the registry of names for command lines and reports.
std::string_view name_of(StreamCodec codec);
Result<StreamCodec> stream_codec_named(std::string_view name);
std::span<const StreamCodec> stream_codecs();  // all of them

// What selection tries for (select.h).
enum class StreamGoal : uint8_t { size, speed, random_access };
// Tries candidates on the first part of the stream and keeps the best for the goal.
StreamCodec select_stream_codec(std::span<const uint64_t> prefix, StreamGoal goal);

}  // namespace vestige
