// WordCursor of word_codec.h, over the blocks of whichever codec it is.
#include <algorithm>
#include <string>

#include "codec/groups/node_words.h"
#include "codec/pack/packed_words.h"
#include "codec/predict/context_words.h"
#include "codec/sequitur/grammar_words.h"
#include "codec/word_codec.h"

namespace vestige {

namespace {

Result<std::unique_ptr<WordCursor::Blocks>> open_blocks(WordCodec codec, ByteView bytes) {
  switch (codec) {
    case WordCodec::packed:
      return open_packed_blocks(bytes);
    case WordCodec::context:
      return open_context_blocks(bytes);
    case WordCodec::sequitur:
      return open_grammar_blocks(bytes);
    case WordCodec::nodes:
      return open_node_blocks(bytes);
    default:
      break;
  }
  return fail(ErrorKind::unsupported,
              "word codec " + std::to_string(static_cast<unsigned>(codec)) +
                  " is not known to this build; read the trace with a newer vestige");
}

}  // namespace

std::unique_ptr<WordEncoder> make_word_encoder(WordCodec codec, WorkerPool* pool) {
  switch (codec) {
    case WordCodec::packed:
      return make_packed_encoder();
    case WordCodec::context:
      return make_context_encoder(pool);
    case WordCodec::sequitur:
      return std::make_unique<GrammarWordsEncoder>();
    case WordCodec::nodes:
      return std::make_unique<NodeWordsEncoder>();
    default:
      return nullptr;
  }
}

Result<WordCursor> WordCursor::open(WordCodec codec, ByteView bytes) {
  auto blocks = open_blocks(codec, bytes);
  if (!blocks) return std::unexpected(std::move(blocks.error()));
  return WordCursor(std::move(*blocks));
}

WordCursor::WordCursor(std::unique_ptr<Blocks> blocks)
    : blocks_(std::move(blocks)), size_(blocks_->size()) {}
WordCursor::WordCursor(WordCursor&&) noexcept = default;
WordCursor& WordCursor::operator=(WordCursor&&) noexcept = default;
WordCursor::~WordCursor() = default;

bool WordCursor::enter(uint64_t position) {
  if (position >= size_) return false;
  const uint64_t n = position / kWordBlock;
  const uint64_t words = std::min<uint64_t>(kWordBlock, size_ - n * kWordBlock);
  auto block = blocks_->decode(n);
  failed_ = !block || block->size() != words;
  if (failed_) {
    error_ = block ? Error{ErrorKind::corrupt, "a block holds the wrong number of words"}
                   : std::move(block.error());
    // The decoder's buffer may have been overwritten: forget the block, keep the position.
    block_begin_ += at_;
    block_ = {};
    at_ = 0;
    return false;
  }
  block_ = *block;
  block_begin_ = n * kWordBlock;
  at_ = position - block_begin_;
  return true;
}

bool WordCursor::enter_before() {
  const uint64_t position = block_begin_ + at_;
  if (position == 0 || !enter(position - 1)) return false;
  ++at_;
  return true;
}

bool WordCursor::seek(uint64_t position) {
  if (position > size_) return false;
  if (position >= block_begin_ && position - block_begin_ < block_.size()) {
    at_ = position - block_begin_;
    return true;
  }
  if (position < size_) return enter(position);
  block_ = {};
  block_begin_ = size_;
  at_ = 0;
  return true;
}

}  // namespace vestige
