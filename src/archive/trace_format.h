// What a raw trace looks like: some bytes in front, then records of fields. Told by the user
// (--format) or guessed.
//
//   vpc          4 bytes in front; PC u32, data u64 (the VPC paper's)
//   cf           events of control flow, u32
//   refs         memory references: PC u64, address u64, flags u8
//   u64          one column
//   record:SPEC  anything else: items separated by commas,
//                  ITEM  = TYPE | NAME [SEP] TYPE | TYPE [SEP] NAME
//                        | ('skip' | 'header' | 'preamble') ':' BYTES | 'nopc'
//                  SEP   = ':' | '=' | '@', which may be left out before and behind plain digits
//                  TYPE  = 1 … 8 (bytes) | 16 24 … 64 (bits)
//                        | ('u' | 'i' | 's') 8 16 24 … 64 (bits)
//                The field named `pc` is the PC. When none is, the first of several fields acts as
//                the PC, unless `nopc` is given. A TYPE alone (u8, u16, i32 …) is a SPEC, too.
//
// A wrong format costs size, never bytes: what does not fill a record is kept as it is.
#pragma once

#include <string>
#include <string_view>

#include "codec/record_codec.h"
#include "vestige/result.h"

namespace vestige {

struct TraceFormat {
  std::string name;     // as above, in its canonical spelling
  size_t preamble = 0;  // bytes in front of the first record
  RecordLayout layout;  // at least one field
};

// Limits of a layout, on disk as well (archive_header.h).
inline constexpr size_t kMaxFields = 64;
inline constexpr size_t kMaxPreamble = 1 << 16;

// Fails (wrong use) with a sentence that says what a format looks like.
Result<TraceFormat> parse_trace_format(std::string_view text);

}  // namespace vestige
