// The stream codec `sequitur`: a stream as a grammar, or as several when it does not fit one of
// bounded size.
//
//   stream := grammars:varint (size:varint grammar)*     grammar: grammar_bytes.h
//
// The encoder holds one growing grammar, at most kMostBytes of it; when that is reached the grammar
// is written and a new one begins, which knows nothing of the one before.
//
// Reading decodes all grammars into one (join() in grammar.h): its memory goes with the bytes, not
// with the length of the stream. Cursors then move on the grammar.
#pragma once

#include <memory>
#include <vector>

#include "codec/sequitur/grammar.h"
#include "codec/sequitur/grammar_builder.h"
#include "codec/stream_codec.h"

namespace vestige {

namespace sequitur {

// The bytes of a stream of any length, in bounded memory.
class StreamWriter {
 public:
  static constexpr size_t kMostBytes = size_t{64} << 20;
  explicit StreamWriter(size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  void append(std::span<const uint64_t> values);
  uint64_t size() const { return size_; }
  uint64_t symbols() const { return builder_.symbols(); }  // of the last grammar, so far
  Bytes finish();

 private:
  void write();
  size_t most_bytes_;
  GrammarBuilder builder_;
  uint64_t size_ = 0, grammars_ = 0;
  ByteWriter written_;
};

Result<Grammar> load_stream(ByteView bytes);

}  // namespace sequitur

std::unique_ptr<StreamEncoder> make_sequitur_encoder();
Result<std::unique_ptr<StreamCursor>> open_sequitur(ByteView bytes);

}  // namespace vestige
