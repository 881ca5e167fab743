// Our own codec for traces of records, levels 1 … 9. Every level codes a trace column by column,
// the PC first; the columns beside it are predicted with the block's PCs known.
//
// Levels differ in the size of their tables (columns.h).
//
//   parameters := level:u8 …      the rest is the level's own
#pragma once

#include "codec/record_codec.h"

namespace vestige {

Result<std::unique_ptr<RecordEncoder>> make_mix_encoder(const RecordLayout& layout,
                                                        const RecordCodecOptions& options);
Result<std::unique_ptr<RecordDecoder>> make_mix_decoder(const RecordLayout& layout,
                                                        ByteView parameters, unsigned threads);

}  // namespace vestige
