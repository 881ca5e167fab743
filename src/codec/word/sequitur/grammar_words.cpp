#include "codec/word/sequitur/grammar_words.h"

#include <algorithm>

#include "codec/sequitur/grammar_cursor.h"

namespace vestige {

namespace {

constexpr uint64_t kMark = 0;
constexpr uint64_t kMostWords = uint64_t{1} << 33;

class GrammarBlocks final : public WordCursor::Blocks {
 public:
  explicit GrammarBlocks(std::shared_ptr<const GrammarWords> words)
      : words_(std::move(words)), cursor_(words_->grammar()) {}

  uint64_t size() const override { return words_->words(); }
  Result<std::span<const uint32_t>> decode(uint64_t n) override {
    const uint64_t begin = n * kWordBlock;
    const uint64_t count = std::min<uint64_t>(kWordBlock, words_->words() - begin);
    if (begin != next_) cursor_.seek(words_->word_sums(), begin);
    block_.clear();
    for (uint32_t terminal = 0; block_.size() < count && cursor_.next(terminal);)
      if (const uint64_t value = words_->grammar().value(terminal); value != kMark)
        block_.push_back(static_cast<uint32_t>(value - 1));
    next_ = begin + block_.size();
    return block_;
  }

 private:
  const std::shared_ptr<const GrammarWords> words_;
  sequitur::GrammarCursor cursor_;
  uint64_t next_ = 0;  // word behind the cursor
  std::vector<uint32_t> block_;
};

}  // namespace

void GrammarWordsEncoder::append(std::span<const uint32_t> words) {
  values_.assign(words.begin(), words.end());
  for (uint64_t& value : values_) ++value;
  writer_.append(values_);
  words_ += words.size();
}

void GrammarWordsEncoder::mark() {
  const uint64_t mark = kMark;
  writer_.append({&mark, 1});
}

Bytes GrammarWordsEncoder::finish() {
  words_ = 0;
  return writer_.finish();
}

GrammarWords::GrammarWords(sequitur::Grammar grammar)
    : grammar_(std::move(grammar)),
      words_(grammar_.rules(), [&](uint32_t t) { return uint64_t{grammar_.value(t) != kMark}; }),
      marks_(grammar_.rules(), [&](uint32_t t) { return uint64_t{grammar_.value(t) == kMark}; }) {}

Result<GrammarWords> GrammarWords::open(ByteView bytes) {
  auto grammar = sequitur::load_stream(bytes);
  if (!grammar) return std::unexpected(std::move(grammar.error()));
  if (std::ranges::any_of(grammar->rules().terminals,
                          [](uint64_t value) { return value > uint64_t{UINT32_MAX} + 1; }))
    return fail(ErrorKind::corrupt, "a grammar of words holds something larger than a word");
  GrammarWords words(std::move(*grammar));
  // No chunk is that long (docs/format.md); a few forged bytes can be.
  if (words.words() > kMostWords)
    return fail(ErrorKind::corrupt, "a grammar of words is longer than any chunk");
  return words;
}

uint64_t GrammarWords::before_mark(uint64_t number) const {
  sequitur::GrammarCursor cursor(grammar_);
  cursor.seek(marks_, number);
  return cursor.before(words_);
}

uint64_t GrammarWords::marks_before(uint64_t word) const {
  if (word >= words()) return marks();
  sequitur::GrammarCursor cursor(grammar_);
  cursor.seek(words_, word);
  return cursor.before(marks_);
}

Result<std::unique_ptr<WordCursor::Blocks>> open_grammar_blocks(ByteView bytes) {
  auto words = GrammarWords::open(bytes);
  if (!words) return std::unexpected(std::move(words.error()));
  return open_grammar_blocks(std::make_shared<const GrammarWords>(std::move(*words)));
}

std::unique_ptr<WordCursor::Blocks> open_grammar_blocks(std::shared_ptr<const GrammarWords> words) {
  return std::make_unique<GrammarBlocks>(std::move(words));
}

}  // namespace vestige
