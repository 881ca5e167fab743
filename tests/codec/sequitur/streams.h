// Streams of every shape for round trips, from a seed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace vestige {

using Random = std::mt19937_64;

// Literals and copies of what came before, some of them several times: what grammars are for.
inline std::vector<uint64_t> repetitive(Random& random, size_t size, uint64_t alphabet,
                                        size_t longest, uint64_t most_times) {
  std::vector<uint64_t> out;
  while (out.size() < size) {
    if (out.empty() || random() % 3 == 0) {
      out.push_back(random() % alphabet);
      continue;
    }
    const size_t length = 1 + random() % std::min(out.size(), longest);
    const size_t from = random() % (out.size() - length + 1);
    const std::vector<uint64_t> copy(out.begin() + static_cast<ptrdiff_t>(from),
                                     out.begin() + static_cast<ptrdiff_t>(from + length));
    for (uint64_t times = 1 + random() % most_times; times > 0 && out.size() < size; --times)
      out.insert(out.end(), copy.begin(), copy.end());
  }
  out.resize(size);
  return out;
}

// What a program of a few functions would record: entries, blocks, loops of varying length, calls,
// exits.
inline std::vector<uint64_t> control_flow(Random& random, size_t size) {
  constexpr uint64_t kEntry = uint64_t{1} << 30, kExit = uint64_t{1} << 31;
  std::vector<uint64_t> out;
  struct Activation {
    uint64_t function;
    uint64_t block;
    uint64_t trips;
  };
  std::vector<Activation> stack;
  while (out.size() < size) {
    if (stack.empty()) {
      stack.push_back({random() % 4, 0, random() % 9});
      out.push_back(kEntry | stack.back().function);
    }
    Activation& top = stack.back();
    out.push_back(top.block);
    const uint64_t blocks = 5 + top.function * 3;
    if (top.block == 3 && top.trips > 0) {
      --top.trips;
      top.block = 1;
    } else if (top.block == 4 && stack.size() < 4 && random() % 4 == 0) {
      ++top.block;
      stack.push_back({(top.function + 1) % 4, 0, random() % 5});
      out.push_back(kEntry | stack.back().function);
    } else if (top.block + 1 >= blocks) {
      out.push_back(kExit);
      stack.pop_back();
    } else {
      top.block += top.block == 2 && random() % 8 == 0 ? 2 : 1;
    }
  }
  out.resize(size);
  return out;
}

// Of a kind chosen by `shape`, about `size` long.
inline constexpr unsigned kShapes = 10;
inline std::vector<uint64_t> stream_of_shape(Random& random, unsigned shape, size_t size) {
  std::vector<uint64_t> out(size);
  const uint64_t base = random(), stride = random() % 2 ? random() % 64 : random();
  switch (shape) {
    case 0:  // constant
      std::fill(out.begin(), out.end(), base);
      break;
    case 1:  // strided
      for (size_t i = 0; i < size; ++i) out[i] = base + i * stride;
      break;
    case 2: {  // nested strides
      const uint64_t inner = 1 + random() % 7, middle = 1 + random() % 5, row = random() % 1000;
      for (size_t i = 0; i < size; ++i)
        out[i] = base + i % inner * stride + i / inner % middle * row + i / inner / middle * 4096;
      break;
    }
    case 3:  // random, few values
      for (uint64_t& value : out) value = random() % (1 + base % 6);
      break;
    case 4:  // random, all values
      for (uint64_t& value : out) value = random();
      break;
    case 5: {  // periodic with noise
      const uint64_t period = 1 + random() % 12;
      for (size_t i = 0; i < size; ++i) out[i] = random() % 16 == 0 ? random() % 9 : i % period;
      break;
    }
    case 6:  // extremes
      for (uint64_t& value : out) {
        constexpr uint64_t kExtremes[] = {0, 1, ~uint64_t{0}, uint64_t{1} << 63, ~uint64_t{0} >> 1};
        value = kExtremes[random() % 5];
      }
      break;
    case 7:
      out = repetitive(random, size, 1 + base % 5, 30, 4);
      break;
    case 8:
      out = control_flow(random, size);
      break;
    default:  // runs of runs
      for (size_t i = 0; i < size;) {
        const uint64_t value = random() % 3;
        for (uint64_t n = 1 + random() % 6; n > 0 && i < size; --n) out[i++] = value;
      }
      break;
  }
  return out;
}

}  // namespace vestige
