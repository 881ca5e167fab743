// Numbers for pieces of memory, each in one of its lives (threads/lives.h).
//
// One owner thread. Memory: some 60 bytes for each piece.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "query/threads/lives.h"

namespace vestige::races {

class LivePlaces {
 public:
  explicit LivePlaces(size_t processes) : lives_(processes) {}

  // Memory that is handed out.
  void begin(uint32_t process, uint64_t first, uint64_t end) { lives_[process].begin(first, end); }
  uint32_t number(uint32_t process, uint64_t address, uint64_t bytes) {
    const LiveMemory place{process, address, lives_[process].at(address)};
    const auto [at, fresh] = numbers_.try_emplace(place, static_cast<uint32_t>(places_.size()));
    if (fresh) places_.push_back({address, bytes});
    return at->second;
  }
  uint64_t address(uint32_t place) const { return places_[place].first; }
  uint64_t bytes(uint32_t place) const { return places_[place].second; }

 private:
  struct LiveMemory {
    uint32_t process = 0;
    uint64_t address = 0, life = 0;
    bool operator==(const LiveMemory&) const = default;
  };
  struct PlaceHash {
    size_t operator()(const LiveMemory& place) const {
      return (place.address ^ place.life << 40 ^ uint64_t{place.process} << 56) *
                 0x9e3779b97f4a7c15 >>
             7;
    }
  };
  std::vector<threads::Lives> lives_;  // by process
  std::unordered_map<LiveMemory, uint32_t, PlaceHash> numbers_;
  std::vector<std::pair<uint64_t, uint64_t>> places_;  // address, bytes
};

}  // namespace vestige::races
