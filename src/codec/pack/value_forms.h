// The numbers of the byte grammar of values.h, shared by its two halves.
#pragma once

#include <cstdint>

namespace vestige::value_forms {

enum Transform : uint8_t { plain = 0, delta = 1, delta_of_delta = 2, dictionary = 3 };
enum PlaneLayout : uint8_t { frames = 0, uniform = 1, planes = 2, varints = 3 };
enum PlaneKind : uint8_t { raw_plane = 0, constant_plane = 1, zstd_plane = 2 };

inline constexpr uint8_t kZstd = 16;
inline constexpr uint8_t kMethodBits = 31;
inline constexpr uint64_t kFrame = 256;

inline uint8_t method(Transform transform, PlaneLayout layout, bool zstd) {
  return static_cast<uint8_t>(transform | layout << 2 | (zstd ? kZstd : 0));
}

inline uint64_t zigzag(uint64_t v) { return v << 1 ^ (0 - (v >> 63)); }
inline uint64_t unzigzag(uint64_t v) { return v >> 1 ^ (0 - (v & 1)); }

}  // namespace vestige::value_forms
