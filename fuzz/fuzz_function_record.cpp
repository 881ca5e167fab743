// A function's record: whatever decodes must mean the same when it is written and read again, and
// its paths must come apart.
#include "fuzz.h"
#include "program/numbering.h"
#include "program/record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vestige;
  const auto function = decode_function(ByteView(data, size));
  if (!function) {
    require(!function.error().message.empty(), "an error without a message");
    return 0;
  }
  const Bytes once = encode_function(*function);
  const auto again = decode_function(once);
  require(again.has_value(), "what was written is not read");
  require(encode_function(*again) == once, "what was read is not what was written");

  const auto numbering = number_paths(function->segments);
  require(numbering.has_value(), "an accepted record has no numbering");
  if (function->path_count == 0) return 0;
  for (const uint64_t number : {uint64_t{0}, function->path_count / 2, function->path_count - 1}) {
    const DecodedPath path = decode_path(function->segments, *numbering, number);
    require(!path.segments.empty(), "an empty path");
    require(function->segments[path.segments.front()].start != SegmentStart::none,
            "a path without a start");
  }
  return 0;
}
