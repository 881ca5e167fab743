// Streams of every shape a trace has, for the tests of stream codecs.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace vestige {

using Random = std::mt19937_64;
using Stream = std::vector<uint64_t>;

struct Shape {
  std::string name;
  Stream (*make)(Random& random, size_t size);
};

inline Stream generate(size_t size, auto value) {
  Stream out(size);
  for (size_t i = 0; i < size; ++i) out[i] = value(i);
  return out;
}

inline const std::vector<Shape>& shapes() {
  static const std::vector<Shape> list = {
      {"constant",
       [](Random& random, size_t size) { return Stream(size, random() >> random() % 64); }},
      {"strided",
       [](Random& random, size_t size) {
         const uint64_t base = random(), step = random() % 2 ? random() % 64 : random();
         return generate(size, [&](size_t i) { return base + i * step; });
       }},
      {"nested strides",
       [](Random& random, size_t size) {
         const uint64_t base = random() >> 16, inner = 1 + random() % 100;
         return generate(size, [&](size_t i) { return base + i % inner * 8 + i / inner * 4096; });
       }},
      {"random", [](Random& random,
                    size_t size) { return generate(size, [&](size_t) { return random(); }); }},
      {"few values",
       [](Random& random, size_t size) {
         const Stream values = generate(1 + random() % 12, [&](size_t) { return random(); });
         return generate(size, [&](size_t) { return values[random() % values.size()]; });
       }},
      {"small values",
       [](Random& random, size_t size) {
         return generate(size, [&](size_t) { return random() % 5; });
       }},
      {"periodic with noise",
       [](Random& random, size_t size) {
         const Stream period = generate(1 + random() % 40, [&](size_t) { return random() >> 20; });
         return generate(size, [&](size_t i) {
           return random() % 16 == 0 ? random() >> 40 : period[i % period.size()];
         });
       }},
      {"a walk",
       [](Random& random, size_t size) {
         uint64_t at = random();
         return generate(size, [&](size_t) { return at += random() % 17 - 8; });
       }},
      {"runs",
       [](Random& random, size_t size) {
         uint64_t value = 0;
         return generate(size, [&](size_t) {
           if (random() % 20 == 0) value = random() % 1000;
           return value;
         });
       }},
      {"phases",
       [](Random& random, size_t size) {
         const uint64_t base = random() >> 20;
         return generate(size, [&](size_t i) {
           switch (i * 4 / size) {
             case 0:
               return base + i * 8;
             case 1:
               return random();
             case 2:
               return random() % 3;
             default:
               return i % 7 * 1000;
           }
         });
       }},
      {"extremes",
       [](Random& random, size_t size) {
         static constexpr uint64_t kValues[] = {
             0, 1, UINT64_MAX, uint64_t{1} << 63, (uint64_t{1} << 63) - 1, UINT64_MAX - 1};
         return generate(size, [&](size_t) { return kValues[random() % 6]; });
       }},
      // The numbers that mark vacant slots (fcm_walk.h) are values like any other.
      {"vacancy marks",
       [](Random& random, size_t size) {
         return generate(
             size, [&](size_t) { return 0x7fb5d329728ea185 + random() % 4 * 0x81dadef4bc2dd44d; });
       }},
  };
  return list;
}

}  // namespace vestige
