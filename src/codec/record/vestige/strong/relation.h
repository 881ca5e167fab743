// What a value differed by from each of the column's last values when its context came up before.
// Fields of one object, slots of one frame, elements of one row keep their distances while their
// base moves: after the first of them has told where the base is now, the others are known. Which
// of the last values belongs to the same object is learnt per context: the one whose difference
// stayed the same most often in a row.
//
// A context keeps only its latest differences, so it learns from one occurrence, and says nothing
// of the value itself: a second base is no told value.
#pragma once

#include <array>
#include <cstdint>

#include "codec/record/vestige/strong/slots.h"
#include "codec/record/vestige/strong/table.h"

namespace vestige::strong {

// `kRelated`: how many rows are looked back.
template <size_t kRelated>
class RelationModel {
 public:
  using LastValues = std::array<uint64_t, kRelated>;  // the latest first

  explicit RelationModel(unsigned bits) : entries_(bits) {}
  void prefetch(uint64_t hash) {
    const char* entry = reinterpret_cast<const char*>(&entries_.at_hash(hash));
    for (size_t line = 0; line < sizeof(Entry); line += 64) __builtin_prefetch(entry + line);
  }
  // The values that the steadiest differences make now.
  CandidateSlot& find(uint64_t hash, const LastValues& last) {
    now_ = &entries_.at_hash(hash);
    if (now_->check != (hash | 1)) {
      *now_ = Entry{};
      now_->check = hash | 1;
    }
    shown_ = CandidateSlot{};
    for (size_t k = 0; k < kRelated; ++k) {
      if (now_->run[k] > shown_.count[kCandidates - 1]) show(now_->difference[k] + last[k], k);
    }
    return shown_;
  }
  void learn(uint64_t value, const LastValues& last) {
    Entry& entry = *now_;
    std::array<uint8_t, kRelated> same;
    for (size_t k = 0; k < kRelated; ++k) {
      const uint64_t difference = value - last[k];
      same[k] = difference == entry.difference[k];
      entry.difference[k] = difference;
    }
    if (!entry.seen) same.fill(0);
    entry.seen = true;
    for (size_t k = 0; k < kRelated; ++k) {
      entry.outcomes[k] = static_cast<uint8_t>(entry.outcomes[k] << 1 | same[k]);
      const uint8_t run = entry.run[k];
      const uint8_t longer = static_cast<uint8_t>(run + (run < 255));
      const uint8_t shaken = static_cast<uint8_t>(run > 32 ? 4 : run > 3 ? 3 : run / 2);
      entry.run[k] = same[k] ? longer : shaken;
    }
  }

 private:
  struct alignas(64) Entry {
    std::array<uint64_t, kRelated> difference;
    std::array<uint8_t, kRelated> run;  // for how many occurrences the difference was the same
    std::array<uint8_t, kRelated> outcomes;
    uint64_t check;
    bool seen;
  };

  // Keeps the steadiest three, without equals.
  void show(uint64_t value, size_t k) {
    const uint8_t run = now_->run[k];
    size_t at = 0;
    while (at < kCandidates - 1 && shown_.count[at] != 0 && shown_.value[at] != value) ++at;
    if (shown_.value[at] == value && shown_.count[at] >= run) return;
    for (; at > 0 && shown_.count[at - 1] < run; --at) {
      shown_.value[at] = shown_.value[at - 1];
      shown_.count[at] = shown_.count[at - 1];
      shown_.outcomes[at] = shown_.outcomes[at - 1];
    }
    shown_.value[at] = value;
    shown_.count[at] = run;
    shown_.outcomes[at] = now_->outcomes[k];
  }

  BigTable<Entry> entries_;
  Entry* now_ = nullptr;
  CandidateSlot shown_{};
};

}  // namespace vestige::strong
