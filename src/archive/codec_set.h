// Where an archive gets its codecs from: the registry of record_codec.h, or a test's own.
#pragma once

#include <algorithm>
#include <thread>

#include "codec/record_codec.h"

namespace vestige {

struct CodecSet {
  decltype(&record_codec_named) named;
  decltype(&make_record_encoder) encoder;
  decltype(&make_record_decoder) decoder;
};

CodecSet registered_codecs();

// How many threads decode when the user wanted `wanted`; 0: no wish.
inline unsigned decoding_threads(unsigned wanted) {
  return wanted > 0 ? wanted : std::max(std::thread::hardware_concurrency(), 1u);
}

// How many threads an encoder gets.
inline unsigned codec_threads(unsigned wanted) {
  return wanted > 0 ? wanted : std::clamp(std::thread::hardware_concurrency(), 1u, 2u);
}

}  // namespace vestige
