// A grammar as bytes.
//
// The grammar is written in the order of the stream: the start rule's symbols from left to right,
// and a rule's body in the place of its first use (so rules need no numbers when they are new, and
// reader and writer know the whole stream up to here). Nothing is written that follows from the
// invariants or from what was written before.
//
//   grammar  := symbols:varint bits         symbols: of all bodies
//   bits     := the range coder's payload (codec/entropy/range_coder.h) of:
//   start    := item*                       until all symbols have been met
//   body     := item item (more item)* end  end and more: one bit, before each item but the first
//                                           two
//   item     := [first] kind symbol         `first`, the terminal it begins with, is left out for
//                                           the first item of a body: that is known
//   first    := which of the terminals met before; or a new one and its value
//   kind     := known | rule | run
//   symbol   := known: which of the symbols that begin with `first` (nothing if there is one)
//             | rule:  body                 the next rule, numbered when its body ends
//             | run:   count (new body | known symbol)
//
// How probable each bit is, is told by GrammarModel. Trailing zeros make sure of kSymbolsPerByte.
//
// Cost: writing and reading take about the same, some hundred nanoseconds a symbol.
#pragma once

#include "base/bytes.h"
#include "codec/sequitur/plain_grammar.h"
#include "vestige/result.h"

namespace vestige::sequitur {

// No grammar has more symbols for each of its bytes: the reader's memory is bounded by that.
inline constexpr uint64_t kSymbolsPerByte = 64;

// Every rule but the start rule must be used somewhere.
Bytes encode_grammar(const PlainGrammar& grammar);

// Fails with `corrupt` on bytes that make no grammar, or are cut short. Other damage may give
// another grammar, all of whose symbols stand for something: checksums are the container's.
Result<PlainGrammar> decode_grammar(ByteView bytes);

}  // namespace vestige::sequitur
