// What memcpy, memmove and memset do to the thread's shadow (program/derive.h), where they are too
// long or too variable to be done inline.
#include "record/runtime/abi.h"

using namespace vestige::protocol;

namespace {

constexpr uint64_t kMask = kShadowBytes - 1;

struct ShadowLine {
  uint64_t words[kShadowPiece / 8];
} __attribute__((packed));

// Not by memmove: the program may have one of its own.
void copy_piece(uint8_t* to, const uint8_t* from, uint64_t count) {
  if (count == kShadowPiece) {
    ShadowLine piece = *reinterpret_cast<const ShadowLine*>(from);
    *reinterpret_cast<ShadowLine*>(to) = piece;
    return;
  }
  const volatile uint8_t* source = from;
  volatile uint8_t* target = to;
  if (to < from)
    for (uint64_t i = 0; i < count; ++i) target[i] = source[i];
  else
    for (uint64_t i = count; i-- > 0;) target[i] = source[i];
}

uint64_t at_most_shadow(uint64_t bytes) { return bytes < kShadowBytes ? bytes : kShadowBytes; }
uint64_t at_most_piece(uint64_t bytes) { return bytes < kShadowPiece ? bytes : kShadowPiece; }

}  // namespace

extern "C" __attribute__((preserve_most)) void __vestige_copy(uint64_t to, uint64_t from,
                                                              uint64_t bytes) {
  uint8_t* shadow = __vestige_thread.shadow;
  bytes = at_most_shadow(bytes);
  if ((to & kMask) <= (from & kMask)) {
    for (uint64_t at = 0; at < bytes; at += kShadowPiece)
      copy_piece(shadow + ((to + at) & kMask), shadow + ((from + at) & kMask),
                 at_most_piece(bytes - at));
  } else {
    for (uint64_t i = (bytes + kShadowPiece - 1) / kShadowPiece; i-- > 0;) {
      const uint64_t at = i * kShadowPiece;
      copy_piece(shadow + ((to + at) & kMask), shadow + ((from + at) & kMask),
                 at_most_piece(bytes - at));
    }
  }
}

extern "C" __attribute__((preserve_most)) void __vestige_fill(uint64_t to, uint64_t value,
                                                              uint64_t bytes) {
  uint8_t* shadow = __vestige_thread.shadow;
  const uint64_t word = (value & 0xff) * 0x0101010101010101;
  bytes = at_most_shadow(bytes);
  for (uint64_t at = 0; at < bytes; at += kShadowPiece) {
    uint8_t* place = shadow + ((to + at) & kMask);
    const uint64_t count = at_most_piece(bytes - at);
    if (count == kShadowPiece) {
      for (uint64_t& part : reinterpret_cast<ShadowLine*>(place)->words)
        *reinterpret_cast<volatile uint64_t*>(&part) = word;
    } else {
      for (uint64_t i = 0; i < count; ++i)
        reinterpret_cast<volatile uint8_t*>(place)[i] = static_cast<uint8_t>(value);
    }
  }
}
