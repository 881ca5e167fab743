// The word codec `sequitur`: words as a grammar, with marks between them. A mark takes no position:
// it stands between two words, and is found by its number, without expanding anything (Algorithm 1
// of the parallel-executions paper). Vestige marks synchronization operations.
//
//   bytes := a stream of the codec `sequitur` (sequitur_stream.h); the value 0 is a mark, another
//            is a word plus 1
//
// Decoding memory goes with the bytes; a cursor seeks in the depth of the grammar.
#pragma once

#include <memory>

#include "codec/sequitur/grammar.h"
#include "codec/stream/sequitur/sequitur_stream.h"
#include "codec/word_codec.h"

namespace vestige {

class GrammarWordsEncoder final : public WordEncoder {
 public:
  void append(std::span<const uint32_t> words) override;
  void mark();
  uint64_t size() const override { return words_; }
  uint64_t symbols() const { return writer_.symbols(); }  // of the grammar so far
  uint64_t encoded_bytes() const override { return 0; }
  Bytes finish() override;

 private:
  sequitur::StreamWriter writer_;
  std::vector<uint64_t> values_;
  uint64_t words_ = 0;
};

class GrammarWords {
 public:
  static Result<GrammarWords> open(ByteView bytes);

  uint64_t words() const { return words_.total(); }
  uint64_t marks() const { return marks_.total(); }
  // Words before the mark of this number, from 0; it must be less than marks().
  uint64_t before_mark(uint64_t number) const;
  // Marks before the word of this position, from 0; for words() all of them.
  uint64_t marks_before(uint64_t word) const;

  const sequitur::Grammar& grammar() const { return grammar_; }
  const sequitur::RuleSums& word_sums() const { return words_; }

 private:
  explicit GrammarWords(sequitur::Grammar grammar);
  sequitur::Grammar grammar_;
  sequitur::RuleSums words_, marks_;
};

Result<std::unique_ptr<WordCursor::Blocks>> open_grammar_blocks(ByteView bytes);
std::unique_ptr<WordCursor::Blocks> open_grammar_blocks(std::shared_ptr<const GrammarWords> words);

}  // namespace vestige
