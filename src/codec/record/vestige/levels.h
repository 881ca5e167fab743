// Our own codec for traces of records, levels 1 … 9. Every level codes a trace column by column,
// the PC first; the columns beside it are predicted with the block's PCs known.
//
//   1 … 3   fast/     repeated stretches by row pointers, byte streams behind zstd
//   4 … 6   mix/      the same rows, each decision predicted by mixed evidence and range-coded
//   7 … 9   strong/   many predictors for every row, mixed in two layers: smallest and slow
//
//   parameters := level:u8 …      the rest is the level's own
#pragma once

#include "codec/record_codec.h"

namespace vestige {

Result<std::unique_ptr<RecordEncoder>> make_level_encoder(const RecordLayout& layout,
                                                          const RecordCodecOptions& options);
Result<std::unique_ptr<RecordDecoder>> make_level_decoder(const RecordLayout& layout,
                                                          ByteView parameters, unsigned threads);

}  // namespace vestige
