// The word codecs by number: a codec is a folder in codec/word and a row here.
#include <algorithm>
#include <array>
#include <string>

#include "codec/word/context/context_words.h"
#include "codec/word/nodes/node_words.h"
#include "codec/word/packed/packed_words.h"
#include "codec/word/sequitur/grammar_words.h"
#include "codec/word_codec.h"

namespace vestige {

namespace {

struct WordCodecRow {
  WordCodec codec;
  std::unique_ptr<WordEncoder> (*make)(WorkerPool* pool);
  Result<std::unique_ptr<WordCursor::Blocks>> (*open)(ByteView bytes);
};

constexpr std::array kRows = {
    WordCodecRow{WordCodec::packed, [](WorkerPool*) { return make_packed_encoder(); },
                 open_packed_blocks},
    WordCodecRow{WordCodec::context, make_context_encoder, open_context_blocks},
    WordCodecRow{WordCodec::sequitur,
                 [](WorkerPool*) -> std::unique_ptr<WordEncoder> {
                   return std::make_unique<GrammarWordsEncoder>();
                 },
                 open_grammar_blocks},
    WordCodecRow{WordCodec::nodes,
                 [](WorkerPool*) -> std::unique_ptr<WordEncoder> {
                   return std::make_unique<NodeWordsEncoder>();
                 },
                 open_node_blocks},
};

// Null: the number may come from a file.
const WordCodecRow* row_of(WordCodec codec) {
  const auto found = std::ranges::find(kRows, codec, &WordCodecRow::codec);
  return found == kRows.end() ? nullptr : &*found;
}

}  // namespace

std::unique_ptr<WordEncoder> make_word_encoder(WordCodec codec, WorkerPool* pool) {
  const WordCodecRow* found = row_of(codec);
  return found ? found->make(pool) : nullptr;
}

Result<WordCursor> WordCursor::open(WordCodec codec, ByteView bytes) {
  const WordCodecRow* found = row_of(codec);
  if (!found)
    return fail(ErrorKind::unsupported,
                "word codec " + std::to_string(static_cast<unsigned>(codec)) +
                    " is not known to this build; read the trace with a newer vestige");
  auto blocks = found->open(bytes);
  if (!blocks) return std::unexpected(std::move(blocks.error()));
  return WordCursor(std::move(*blocks));
}

}  // namespace vestige
