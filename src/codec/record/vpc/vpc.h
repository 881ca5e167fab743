// Codecs `vpc` and `vpc2`: every value of a record predicted by many value predictors at once, and
// the number of one that is right written in its place.
//
// Burtscher and Jeeradit, "Compressing Extended Program Traces Using Value Predictors" (PACT 2003);
// docs/codecs.md lists what the paper leaves open and how it is decided here.
//
// Why it works on traces: instructions repeat, and what they load, store or jump to mostly repeats
// per instruction, goes in strides, or follows the values before it as it did last time. Some
// predictor of the set is right in nine cases of ten and more, mostly the same one: its code is one
// bit.
//
// The fields of a layout: the PC field is predicted globally, from the PCs before it; every other
// field by the values it had at the same PC. Without a PC field everything is predicted globally.
//
// Byte grammar:
//     parameters := plan                                      vpc_plan.h
//     block      := the rows' bits, filled up to a byte       vpc
//                 | zstd frame part, flushed                  vpc2, zstd_stage.h
//     row        := value of the PC field, values of the other fields in the layout's order
//     value      := field_coder.h
// Predictors, codes and the zstd window live on from block to block.
//
// Cost: 10 + 27 predictions for a record of PC and data, 100–300 ns a record each way. Memory: 51
// MiB of tables for such a record, 26.5 more for each further field, whatever the trace's length;
// vpc2 needs 5 MiB more to decode and 17 to encode.
#pragma once

#include <memory>

#include "codec/record_codec.h"

namespace vestige {

// Who codes the PC field: this codec, or another, whose decoder knows the PCs before the values
// (hybrid/). Then blocks hold the other fields only, and decode() finds the PCs in their column.
enum class VpcPcs : uint8_t { coded, told };

// Fails (usage) on a layout or a list of predictors that makes no sense.
Result<std::unique_ptr<RecordEncoder>> make_vpc_encoder(const RecordLayout& layout,
                                                        const RecordCodecOptions& options,
                                                        bool second_stage,
                                                        VpcPcs pcs = VpcPcs::coded);
// `parameters` are the encoder's; anything else fails (corrupt, unsupported).
Result<std::unique_ptr<RecordDecoder>> make_vpc_decoder(const RecordLayout& layout,
                                                        ByteView parameters, bool second_stage,
                                                        VpcPcs pcs = VpcPcs::coded);

// Rows of a full block.
inline constexpr size_t kVpcBlockRows = 256 * 1024;

}  // namespace vestige
