// Undoes lead_encoder.h.
#pragma once

#include "codec/record/vestige/fast/streams.h"
#include "codec/record/vestige/repeat/lead.h"

namespace vestige::fast {

class LeadDecoder {
 public:
  virtual ~LeadDecoder() = default;
  // The streams of a block are in `planes`.
  virtual void begin_block() = 0;
  // The rows must not cross the end of the history. False when the streams make no sense.
  virtual bool decode(uint64_t* out, uint32_t rows) = 0;
  virtual const std::vector<Segment>& segments() const = 0;

  std::array<PlaneReader, kLeadStreams> planes;
};

template <class Word, bool kRich>
class LeadDecoderOf final : public LeadDecoder {
 public:
  LeadDecoderOf(const Shape& shape, unsigned width) : model_(shape), width_(width) {}

  void begin_block() override { run_ = model_.matched ? planes[kRuns].next_count() : 0; }
  bool decode(uint64_t* out, uint32_t rows) override {
    const uint32_t end = model_.row + rows;
    const Word* const words = &model_.at(model_.row);
    bool sound = true;
    model_.begin_stretch();
    for (;;) {
      if (model_.matched) {
        const auto repeated = static_cast<uint32_t>(std::min<uint64_t>(run_, end - model_.row));
        copy(repeated);
        run_ -= run_ == UINT64_MAX ? 0 : repeated;
        model_.repeat(repeated);
      }
      if (model_.row == end) break;
      sound &= decode_miss();
      model_.miss();
      if (model_.matched) run_ = planes[kRuns].next_count();
    }
    for (uint32_t i = 0; i < rows; ++i) out[i] = words[i];
    for (const PlaneReader& plane : planes) sound &= !plane.failed();
    return sound;
  }
  const std::vector<Segment>& segments() const override { return model_.segments(); }

 private:
  // Rows `from` … to `row` …; eight at once where that does not read what is not yet written.
  void copy(uint32_t rows) {
    Word* const here = &model_.at(model_.row);
    uint32_t period = model_.row - model_.from;
    uint32_t n = 0;
    if (period < 8) {
      // A short loop: once a few rounds of it stand, copy from as many rounds back.
      uint32_t rounds = period;
      while (rounds < 8) rounds += period;
      for (; n < std::min(rows, rounds); ++n) here[n] = model_.at(model_.from + n);
      period = rounds;
    }
    while (n < rows) {
      const uint32_t at = (model_.row + n - period) & model_.mask();
      const Word* const there = &model_.at(at);
      const uint32_t piece = std::min(rows - n, model_.mask() + 1 - at);
      for (uint32_t i = 0; i < piece; i += 8)
        std::memcpy(here + n + i, there + i, 8 * sizeof(Word));
      n += piece;
    }
  }
  bool decode_miss() {
    const uint8_t code = planes[kMisses].next();
    auto& list = model_.successors();
    Word value = 0;
    bool sound = true;
    if (code < kSuccessors) {
      unsigned i = 0;
      unsigned skipped = 0;
      for (; i < kSuccessors; ++i) {
        if (model_.matched && list.values[i] == model_.at(model_.from)) continue;
        if (skipped++ == code) break;
      }
      sound = i < kSuccessors;
      if (sound) value = list.values[i];
    } else if (code == kKnown) {
      const size_t low = planes[kKnownLow].next();
      const size_t place = low | size_t{planes[kKnownHigh].next()} << 8;
      sound = place >> model_.kKnownBits == 0;
      if (sound) value = model_.known(place);
    } else {
      sound = code == kNew;
      uint64_t bytes = 0;
      for (unsigned b = 0; b < width_; ++b)
        bytes |= uint64_t{planes[kNewBytes + b].next()} << (8 * b);
      value = static_cast<Word>(bytes);
      model_.known(model_.known_place(value)) = value;
    }
    model_.promote(list, value);
    model_.at(model_.row) = value;
    return sound;
  }

  LeadModel<Word, kRich> model_;
  unsigned width_;
  uint64_t run_ = 0;  // rows still to repeat before the next miss
};

}  // namespace vestige::fast
