// Any words through each codec and back: forwards, backwards, by seek. The first two bytes say how
// often the rest is repeated and how it is spread over 32 bits, so that streams of several blocks
// are met.
#include <vector>

#include "codec/word_codec.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vestige;
  if (size < 2) return 0;
  // Long streams are slow, and all alike: few inputs ask for one.
  const size_t most = data[0] == 255 ? size_t{kWordBlock} + 1000 : 4000;
  std::vector<uint32_t> words;
  for (size_t round = 0; round <= size_t{data[0]} * data[0]; ++round)
    for (size_t i = 2; i < size && words.size() < most; ++i)
      words.push_back(data[i] * (data[1] % 2 ? 0x01000193u : 1u) +
                      (data[1] % 4 > 1 ? static_cast<uint32_t>(round) : 0));
  for (const WordCodec codec : {WordCodec::packed, WordCodec::context}) {
    auto encoder = make_word_encoder(codec);
    encoder->append(words);
    const Bytes bytes = encoder->finish();
    auto cursor = WordCursor::open(codec, bytes);
    require(cursor.has_value(), "what was written is not read");
    require(cursor->size() == words.size(), "the number of words");
    uint32_t word = 0;
    for (const uint32_t expected : words)
      require(cursor->next(word) && word == expected, "forwards");
    require(!cursor->next(word), "more words than there were");
    for (size_t i = words.size(); i-- > 0;)
      require(cursor->prev(word) && word == words[i], "backwards");
    for (const size_t at : {words.size() / 2, words.size() / 3, words.size() - words.size() / 5}) {
      require(cursor->seek(at), "a seek");
      require(cursor->next(word) ? word == words[at] : at == words.size(), "after a seek");
    }
    require(cursor->error() == nullptr, "an error");
  }
  return 0;
}
