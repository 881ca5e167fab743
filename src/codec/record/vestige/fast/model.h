// The fast levels of our own codec: what encoder and decoder share. The model is that of
// repeat/model.h; here is how it becomes bytes without any arithmetic coding.
//
// A count says for how many rows the favourites hold; with d = 0 or 1 such rows cost the encoder a
// comparison of vectors and the decoder a copy. Only rows that break the pattern, and those whose
// value must be guessed from the PC's own history, take the slow way. A row whose value was
// unpredictable the last time round, or predictable in another way each time, is not expected to be
// predictable now: its code is in a stream of its own and does not end the count.
//
//   parameters := level:u8
//   block   := mode:u8 [bare:varint] lead column*
//                                           one `column` per field but the leading one, in order;
//                                           nothing when the block has no rows
//   mode    := bit 0: of the lead its differences, zigzag (never of a PC), not its values; bit 1:
//              there is `bare`, a bit for each field, not 0 and not the lead's
//   lead    := stream of each LeadStream
//   column  := stream of each ValueStream
//            | plane*                       of a bare field (bare.h): one for each byte of its
//                                           width, the lowest first. Nothing is learnt from its
//                                           rows, and all have the favourite kPlain
//   plane   := 0:u8 byte of each row | 1:u8 stream of them
//   stream  := size:varint                  raw bytes
//              (bytes | packed:varint bytes)  as they are below kLeastPacked, else the next flush
//                                             of the one zstd frame all streams of a trace share
//
// Counts are written as bytes that add up, 255 meaning that another follows. The last count of a
// block is left out: a count that is not there lasts until the end.
//
//   lead: while the lead is matched, a count (kRuns) of rows that repeat, then a miss. A miss has a
//     code: 0 … 3 a place in the list of what lately followed the lead's last value, the guess that
//     just failed left out; kKnown a place in the table of known values; kNew all bytes.
//   column: a count (kGaps) of rows whose favourite guess is right, then a code (kCodes); a row
//     whose favourite is explicit has a code (kExplicitCodes) in any case. A code is the number of
//     a guess; kShiftedBy or kAgain and a distance; kCached and a place in the table of values; or
//     kPlain + 9 · base + n and n bytes of the value (base 0) or of its zigzag distance from base.
//
// Invariant: a PC learns from its value exactly when the row's favourite is a guess by the PC, or
// the row has a code and that is neither kSame nor kShifted.
//
// Cost: memory constant (9 MB at level 1 for one PC and one value column, 36 MB at level 3); time
// about 1 ns per row that repeats, 15 to 60 ns for one that does not, less for a bare one.
#pragma once

#include "codec/record/vestige/repeat/model.h"

namespace vestige::fast {

using namespace repeat;

struct FastShape {
  Shape shape;
  bool rich;  // more context lengths, more kinds of guesses
  int zstd_level;
};
inline constexpr uint8_t kLevels = 3;
inline constexpr FastShape kShapes[kLevels] = {
    {{19, 15, 11, 12, 12, 3, 64}, false, 1},
    {{20, 16, 13, 14, 14, 16, 128}, true, 1},
    {{21, 17, 14, 15, 16, UINT32_MAX, 128}, true, 9},
};

// Bits of a block's mode.
inline constexpr uint8_t kDifferences = 1, kBare = 2;

// Streams of the leading column, and of each other.
enum LeadStream { kRuns, kMisses, kKnownLow, kKnownHigh, kNewBytes, kLeadStreams = kNewBytes + 8 };
enum ValueStream {
  kGaps,
  kCodes,
  kExplicitCodes,
  kDistances,  // of kShiftedBy
  kAges,       // of kAgain
  kCacheLow,
  kCacheHigh,
  kOneByte,
  kTwoLow,
  kTwoHigh,
  kWideBytes,  // of values of three bytes and more, byte by byte
  kValueStreams = kWideBytes + 8
};

// Codes of a miss of the lead: 0 … kSuccessors − 1, and
inline constexpr uint8_t kKnown = kSuccessors, kNew = kSuccessors + 1;
// Codes of a value: a Kind; kPlain is the first of 9 · kBases.
inline constexpr uint8_t kCodeEnd = kPlain + 9 * kBases;

// A favourite that was right once after another one failed: not yet to be counted on.
inline constexpr uint8_t kDoubtful = 0x20;  // | kind
inline constexpr bool is_doubtful(uint8_t favourite) { return (favourite & 0xe0) == kDoubtful; }
inline constexpr uint8_t certain(uint8_t favourite) {
  return is_doubtful(favourite) ? favourite & ~kDoubtful : favourite;
}
inline constexpr bool has_own_code(uint8_t favourite) {
  return is_explicit(favourite) || is_doubtful(favourite);
}
// The favourite after one that failed, when `kind` was right instead.
inline constexpr uint8_t next_favourite(uint8_t favourite, uint8_t kind) {
  if (kind >= kRichKinds || is_explicit(favourite) || favourite == (kind | kDoubtful)) return kind;
  return kind | kDoubtful;
}

}  // namespace vestige::fast
