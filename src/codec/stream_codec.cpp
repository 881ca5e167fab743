#include "codec/stream_codec.h"

namespace vestige {

size_t StreamCursor::read(std::span<uint64_t> out) {
  size_t done = 0;
  while (done < out.size() && next(out[done])) ++done;
  return done;
}

size_t StreamCursor::read_back(std::span<uint64_t> out) {
  size_t done = 0;
  while (done < out.size() && prev(out[done])) ++done;
  return done;
}

}  // namespace vestige
