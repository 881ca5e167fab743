// Choosing a codec for a stream, as the WET paper does (section 4, "Selection"): compress a part
// with every candidate and keep the best.
//
// The part is the first kSelectionSample values and, when the caller has twice as many, as many
// from the middle, compressed apart: a stream's beginning is often unlike the rest. When the caller
// has more than kSelectionFinal, the best few meet again on that many, with the grammar among them:
// it alone gains from repetition further apart than a segment. What counts:
//     size           the size
//     speed          the size, among the codecs that decode a block at a time: packed, checkpoint
//     random_access  the size and an eighth of a bit a value; but checkpoint, whose jumps are
//                    cheap, wins against any that is not a quarter smaller
// Where sizes differ by less than 2 %, the one that decodes faster wins. Cost: sixteen codecs on
// the samples, up to half a second, and as much again for the final round; nothing is kept.
#pragma once

#include "codec/stream_codec.h"

namespace vestige {

inline constexpr size_t kSelectionSample = 64 * 1024;
inline constexpr size_t kSelectionFinal = 512 * 1024;

}  // namespace vestige
