// The bytes of a variable as far as they are known. Sparse: an array of millions of elements costs
// what was touched of it, and at most kMostLines lines; beyond, everything is forgotten.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace vestige {

class VariableImage {
 public:
  static constexpr size_t kMostLines = 1 << 20;

  // Sets a byte; whether that is news.
  bool set(uint64_t at, uint8_t value) {
    if (lines_.size() >= kMostLines && !lines_.contains(at / kLine)) lines_.clear();
    Line& line = lines_[at / kLine];
    const uint64_t bit = uint64_t{1} << at % kLine;
    const bool news = !(line.known & bit) || line.bytes[at % kLine] != value;
    line.known |= bit;
    line.bytes[at % kLine] = value;
    return news;
  }
  // Whether it was known.
  bool forget(uint64_t at) {
    const auto line = lines_.find(at / kLine);
    if (line == lines_.end()) return false;
    const uint64_t bit = uint64_t{1} << at % kLine;
    const bool was = line->second.known & bit;
    line->second.known &= ~bit;
    return was;
  }
  bool forget(uint64_t first, uint64_t end) {
    bool was = false;
    if (end - first > lines_.size() * kLine) {
      for (auto& [number, line] : lines_)
        for (uint64_t i = 0; i < kLine; ++i)
          if (const uint64_t at = number * kLine + i; at >= first && at < end)
            was = forget(at) || was;
      return was;
    }
    for (uint64_t at = first; at < end; ++at) was = forget(at) || was;
    return was;
  }
  void clear() { lines_.clear(); }
  // False: not known.
  bool get(uint64_t at, uint8_t& value) const {
    const auto line = lines_.find(at / kLine);
    if (line == lines_.end() || !(line->second.known >> at % kLine & 1)) return false;
    value = line->second.bytes[at % kLine];
    return true;
  }

 private:
  static constexpr uint64_t kLine = 64;
  struct Line {
    std::array<uint8_t, kLine> bytes{};
    uint64_t known = 0;
  };
  std::unordered_map<uint64_t, Line> lines_;
};

}  // namespace vestige
