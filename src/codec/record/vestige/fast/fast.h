// The fast levels, 1 … 3, of our own codec for traces of records: repeated stretches of the program
// found by their PCs, values taken over from them or shifted, what is left through zstd.
// model.h explains the idea and the bytes.
#pragma once

#include <memory>

#include "codec/record_codec.h"

namespace vestige {

// `options.level` beyond 3 counts as 3, below 1 as 1. The encoder may be used from one thread.
std::unique_ptr<RecordEncoder> make_fast_encoder(const RecordLayout& layout,
                                                 const RecordCodecOptions& options);
// Fails with `corrupt` when the parameters are not those of a fast level.
Result<std::unique_ptr<RecordDecoder>> make_fast_decoder(const RecordLayout& layout,
                                                         ByteView parameters);

}  // namespace vestige
