// Codes the leading column of a block, stretch by stretch (model.h).
#pragma once

#include "codec/record/vestige/fast/streams.h"
#include "codec/record/vestige/repeat/lead.h"

namespace vestige::fast {

// Which of these was right, for reports.
enum LeadOutcome : uint8_t { kLeadRepeats, kLeadFollows, kLeadKnown, kLeadNew };

// Whatever the width of the words.
class LeadEncoder {
 public:
  virtual ~LeadEncoder() = default;
  // The rows must not cross the end of the history. `outcomes`, when given, has an entry per row.
  virtual void encode(const uint64_t* in, uint32_t rows, LeadOutcome* outcomes) = 0;
  virtual void end_block() = 0;
  virtual void restart(uint64_t rows) = 0;  // as if new, after so many rows; between blocks
  virtual const std::vector<Segment>& segments() const = 0;

  std::array<Plane, kLeadStreams> planes;
};

template <class Word, bool kRich>
class LeadEncoderOf final : public LeadEncoder {
 public:
  LeadEncoderOf(const Shape& shape, unsigned width) : model_(shape), width_(width) {}

  void encode(const uint64_t* in, uint32_t rows, LeadOutcome* outcomes) override {
    for (Plane& plane : planes) plane.reserve(2 * size_t{rows} + 16);
    const uint32_t first = model_.row;
    const uint32_t end = first + rows;
    Word* const words = &model_.at(first);
    for (uint32_t i = 0; i < rows; ++i) words[i] = static_cast<Word>(in[i]);
    model_.begin_stretch();
    for (;;) {
      if (model_.matched) {
        const uint32_t alike = repeated(end - model_.row);
        run_ += alike;
        model_.repeat(alike);
        if (model_.row == end) break;
        planes[kRuns].put_count(run_);
        run_ = 0;
      } else if (model_.row == end) {
        break;
      }
      const LeadOutcome outcome = code_miss();
      if (outcomes != nullptr) outcomes[model_.row - first] = outcome;
      model_.miss();
    }
  }
  void end_block() override { run_ = 0; }
  void restart(uint64_t rows) override { model_.restart(rows); }
  const std::vector<Segment>& segments() const override { return model_.segments(); }

 private:
  // How many of the next rows are what row `from` … says, at most `limit`.
  uint32_t repeated(uint32_t limit) {
    const Word* const here = &model_.at(model_.row);
    uint32_t n = 0;
    while (n < limit) {
      const uint32_t at = (model_.from + n) & model_.mask();
      const Word* const there = &model_.at(at);
      const uint32_t piece = std::min(limit - n, model_.mask() + 1 - at);
      uint32_t i = 0;
      while (i + 8 <= piece &&
             __builtin_reduce_or(Eight(here + n + i).rows ^ Eight(there + i).rows) == 0)
        i += 8;
      while (i < piece && here[n + i] == there[i]) ++i;
      n += i;
      if (i < piece) break;
    }
    return n;
  }
  LeadOutcome code_miss() {
    const Word value = model_.at(model_.row);
    auto& list = model_.successors();
    uint8_t code = 0;
    unsigned i = 0;
    for (; i < kSuccessors && list.values[i] != value; ++i)
      code += !model_.matched || list.values[i] != model_.at(model_.from);
    model_.promote(list, value);
    if (i < kSuccessors) {
      planes[kMisses].put(code);
      return kLeadFollows;
    }
    const size_t place = model_.known_place(value);
    if (worth_a_place(value) && model_.known(place) == value) {
      planes[kMisses].put(kKnown);
      planes[kKnownLow].put(place);
      planes[kKnownHigh].put(place >> 8);
      return kLeadKnown;
    }
    model_.known(place) = value;
    planes[kMisses].put(kNew);
    for (unsigned b = 0; b < width_; ++b)
      planes[kNewBytes + b].put(static_cast<uint64_t>(value) >> (8 * b));
    return kLeadNew;
  }

  LeadModel<Word, kRich> model_;
  unsigned width_;
  uint64_t run_ = 0;
};

}  // namespace vestige::fast
