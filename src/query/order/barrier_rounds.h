// What was given at each round of a barrier. With more users than participants somebody may still
// be on the way out of a round when later ones are over; it takes what its own round was given.
//
// Memory: the last two rounds, and those that somebody has not left.
#pragma once

#include <cstdint>
#include <map>

namespace vestige::threads {

// `Given`: what arrivals add to and departures take.
template <class Given>
class BarrierRounds {
 public:
  // Where an arrival adds. Round 0 holds all arrivals of barriers whose rounds are not known.
  Given& arrive(uint64_t round) {
    if (round > 2)
      std::erase_if(rounds_, [&](const auto& one) {
        return one.first != 0 && one.first + 1 < round && one.second.inside == 0;
      });
    ++inside_;
    Round& joined = rounds_[round];
    ++joined.inside;
    return joined.given;
  }
  // What a departure takes.
  const Given& leave(uint64_t round) {
    Round& left = rounds_[round];
    if (left.inside > 0) --left.inside, --inside_;
    return left.given;
  }
  // Everybody who was seen to arrive has left.
  bool deserted() const { return inside_ == 0; }

 private:
  struct Round {
    Given given;
    uint64_t inside = 0;  // arrived and have not left
  };
  std::map<uint64_t, Round> rounds_;
  uint64_t inside_ = 0;
};

}  // namespace vestige::threads
