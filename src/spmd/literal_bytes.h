// The literals of all threads of a form as bytes, and back.
//
// They are coded thread by thread, through one model (literal_model.h), while the thread is played:
// in the order in which they come up, so that the model knows what was played before each. What
// playing does not reach (or would take too long to) follows stream by stream.
//
//     literals := varint numbers there are, varint of them told, bits (codec/entropy/range_coder.h), zeros so that there are
//                 kNumbersPerByte for a byte at most
//     bits     := thread*                          of threads with literals
//     thread   := list*, number*, number*          by rising stream id; as they are played; the rest, list by list
//     list     := 0 kind unit                      a new one
//               | 1 + signed number - expected     one that was there before, by its number from 0; the one behind the
//                                                  last stream's is expected
//     kind     := 1 + place                        size and rounds of a list the thread had lately
//               | 0 size length repeated?          repeated: where length is not 0
//     number   := a difference from the list's last number, in units
//
// The last `repeated` numbers of a list are rounds (literal_rounds.h): their differences are those
// `length` before, and are not told. Version 8 has no rounds: neither the second varint nor a
// length.
//
// (signed: zigzag). Lists are the literals of one stream without the base, so streams that are a
// base apart have the same. A thread is played until all its new lists are told, or for kSteps for
// each of their numbers and kMoreSteps, or until it fails; both sides do that alike.
#pragma once

#include <span>
#include <vector>

#include "base/bytes.h"
#include "spmd/form.h"

namespace vestige::spmd {

// Literals of a form, in order of threads and ids. `stream` is the place of the id among all that
// have literals.
struct LiteralsOf {
  uint32_t thread = 0, stream = 0;
  StreamId id;
  const Stream* numbers = nullptr;
};
Bytes encode_literals(const Form& form, std::span<const LiteralsOf> all);
// Of the numbers, whatever blocks they are in.
uint64_t checksum_of_literals(std::span<const LiteralsOf> all);

struct LiteralsTo {
  uint32_t thread = 0, stream = 0;
  StreamId id;
  Stream* numbers = nullptr;
};
// The form lacks nothing but the literals. False when the bytes make no sense.
bool decode_literals(ByteView bytes, const Form& form, std::span<const LiteralsTo> all,
                     uint8_t version);

}  // namespace vestige::spmd
