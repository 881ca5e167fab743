// Any values to a grammar, to bytes and back; both invariants on the way.
#include "../tests/codec/sequitur/plain.h"
#include "codec/stream/sequitur/sequitur_stream.h"
#include "use_stream.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vestige;
  const std::vector<uint64_t> values = values_of(data, size);
  sequitur::GrammarBuilder builder;
  builder.append(std::span(values).first(values.size() / 2));
  require(sequitur::broken_invariant(builder.so_far()).empty(), "an invariant, halfway");
  builder.append(std::span(values).subspan(values.size() / 2));
  const sequitur::PlainGrammar grammar = builder.finish();
  require(sequitur::broken_invariant(grammar).empty(), "an invariant");
  require(sequitur::expand(grammar) == values, "the expansion");

  sequitur::StreamWriter writer(size % 2 ? sequitur::StreamWriter::kMostBytes : 20000);
  writer.append(values);
  const Bytes bytes = writer.finish();
  auto cursor = open_sequitur(bytes);
  require(cursor.has_value(), "what was written is not read");
  require_stream(**cursor, values);
  return 0;
}
