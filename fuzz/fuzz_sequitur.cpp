// Hostile bytes for the grammar codec. The first byte says how to take the rest:
//   0   as a stream
//   1   as the bits of one grammar that says it has as many symbols as it may
//   2   as a grammar's rules, before they are checked: pairs of bytes are symbols, every so many of
//       them a rule
#include "codec/sequitur/grammar_bytes.h"
#include "codec/sequitur/grammar_cursor.h"
#include "codec/stream/sequitur/sequitur_stream.h"
#include "kinds.h"
#include "use_stream.h"

namespace vestige {
namespace {

using namespace sequitur;

void use(PlainGrammar plain) {
  const auto grammar = Grammar::make(std::move(plain));
  if (!grammar) return;
  GrammarCursor cursor(*grammar);
  for (const uint64_t at : {grammar->size() / 3, grammar->size(), grammar->size() / 2}) {
    require(cursor.seek(at) && cursor.position() == at, "a seek");
    require(cursor.before(grammar->lengths()) == at, "a sum");
    uint32_t one = 0, other = 0;
    if (cursor.next(one)) require(cursor.prev(other) && one == other, "a step");
  }
}

PlainGrammar rules_of(ByteReader in) {
  PlainGrammar out;
  out.terminals = {3, 1, 4};
  const size_t each = 1 + in.u8() % 5;
  for (uint8_t runs = in.u8() % 8; runs > 0; --runs) {
    const uint8_t of = in.u8();
    out.runs.push_back({of % 2 ? rule_symbol(of / 2) : of / 2 % 4u, uint64_t{1} << in.u8() % 64});
  }
  out.ends.clear();
  while (in.remaining() >= 2) {
    const uint8_t kind = in.u8(), number = in.u8();
    out.symbols.push_back(kind % 3 == 0   ? number % 4u
                          : kind % 3 == 1 ? rule_symbol(number)
                                          : kRunBase | (number % 9u));
    if (out.symbols.size() % each == 0)
      out.ends.push_back(static_cast<uint32_t>(out.symbols.size()));
  }
  out.ends.push_back(static_cast<uint32_t>(out.symbols.size()));
  return out;
}

}  // namespace

void use_input(uint8_t kind, ByteView rest) {
  switch (kind % 3) {
    case 0:
      if (auto cursor = open_sequitur(rest)) use_stream(**cursor);
      break;
    case 1: {
      ByteWriter grammar;
      grammar.varint(rest.size() * 16);
      grammar.bytes(rest);
      if (auto plain = sequitur::decode_grammar(grammar.buffer())) use(std::move(*plain));
      break;
    }
    default:
      use(rules_of(ByteReader(rest)));
      break;
  }
}

}  // namespace vestige
