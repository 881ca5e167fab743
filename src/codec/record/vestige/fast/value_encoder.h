// Codes a column of values of a block, stretch by stretch, after the leading column (model.h).
#pragma once

#include "codec/record/vestige/fast/streams.h"
#include "codec/record/vestige/repeat/values.h"

namespace vestige::fast {

// Whatever the width of the words.
class ValueEncoder {
 public:
  virtual ~ValueEncoder() = default;
  // The rows, the first of which is number `row`, must not cross the end of the history. `leads`
  // are the same rows of the leading column, or null when they say nothing about values.
  virtual void encode(const uint64_t* in, const uint64_t* leads, uint32_t row, uint32_t rows,
                      const std::vector<Segment>& segments) = 0;
  // As encode(), of a bare column.
  virtual void keep(const uint64_t* in, uint32_t row, uint32_t rows) = 0;
  virtual void end_block() = 0;
  virtual void restart(uint64_t rows) = 0;      // as if new, after so many rows; between blocks
  virtual uint8_t favourite(uint32_t row) = 0;  // what was right there

  std::array<Plane, kValueStreams> planes;
};

template <class Word, bool kRich>
class ValueEncoderOf final : public ValueEncoder {
 public:
  explicit ValueEncoderOf(const Shape& shape) : model_(shape) {}

  void encode(const uint64_t* in, const uint64_t* leads, uint32_t row, uint32_t rows,
              const std::vector<Segment>& segments) override {
    for (Plane& plane : planes) plane.reserve(2 * size_t{rows} + 16);
    leads_ = leads;
    first_ = row;
    rows_ = rows;
    Word* const words = model_.values() + (row & model_.mask());
    for (uint32_t i = 0; i < rows; ++i) words[i] = static_cast<Word>(in[i]);
    for (Segment segment : segments) {
      while (segment.rows > 0) {
        const uint32_t piece =
            std::min(segment.rows, model_.mask() + 1 - (segment.from & model_.mask()));
        encode_rows(segment.row, segment.from, piece);
        segment.row += piece;
        segment.from += piece;
        segment.rows -= piece;
      }
    }
  }
  void keep(const uint64_t* in, uint32_t row, uint32_t rows) override {
    model_.keep(in, row, rows);
  }
  void end_block() override { gap_ = 0; }
  void restart(uint64_t rows) override { model_.restart(rows); }
  uint8_t favourite(uint32_t row) override { return model_.kinds()[row & model_.mask()]; }

 private:
  static constexpr uint8_t kUndecided = kFavourAgain - 1;
  // One in so many rows of those that were plain the last time is searched for.
  static constexpr uint32_t kSearchOfHopeless = 16;
  using Guesses = typename ValueModel<Word, kRich>::Guesses;
  static constexpr unsigned kKinds = ValueModel<Word, kRich>::kKinds;

  // Neither the rows nor those they repeat cross the end of the history.
  void encode_rows(uint32_t row, uint32_t from, uint32_t rows) {
    const Word* const here = model_.values() + (row & model_.mask());
    const Word* const there = model_.values() + (from & model_.mask());
    uint8_t* const kinds_here = model_.kinds() + (row & model_.mask());
    const uint8_t* const kinds_there = model_.kinds() + (from & model_.mask());
    Word off = static_cast<Word>(model_.value(row - 1) - model_.value(from - 1));
    const uint32_t step = std::min<uint32_t>(row - from, 8);  // what lies further is not yet known
    for (uint32_t at = 0; at < rows; at += step) {
      const uint32_t count = std::min(rows - at, step);
      uint64_t favourites;
      std::memcpy(&favourites, kinds_there + at, 8);
      std::memcpy(kinds_here + at, &favourites, 8);  // what lies beyond `count` is written later
      const auto offs = Eight(here + at).rows - Eight(there + at).rows;
      uint8_t right;
      if (favourites == 0) {
        if (__builtin_reduce_or(offs) == 0) {
          gap_ += count;
          off = 0;
          continue;
        }
        right = lanes(offs == 0);
      } else {
        auto before = __builtin_shufflevector(offs, offs, 0, 0, 1, 2, 3, 4, 5, 6);
        before[0] = off;
        const auto kinds = Eight(kinds_there + at).rows;
        right = (lanes(offs == 0) & lanes(kinds == uint8_t{kSame})) |
                (lanes(offs == before) & lanes(kinds == uint8_t{kShifted}));
      }
      off = here[at + count - 1] - there[at + count - 1];
      uint32_t slow = ~right & (0xffu >> (8 - count));
      uint32_t done = 0;
      while (slow != 0) {
        const auto next = static_cast<uint32_t>(std::countr_zero(slow));
        gap_ += next - done;
        encode_row(row + at + next, from + at + next);
        done = next + 1;
        slow &= slow - 1;
      }
      gap_ += count - done;
    }
  }
  // A row whose favourite is wrong, explicit, or neither kSame nor kShifted.
  void encode_row(uint32_t row, uint32_t from) {
    uint8_t& kind = model_.kinds()[row & model_.mask()];  // holds the favourite
    const uint8_t favourite = kind;
    const Word value = model_.value(row);
    if (is_distant(favourite) && model_.by_rows(row, from, favourite) == value) {
      ++gap_;
      kind = model_.cheapest(row, from, favourite);
      return;
    }
    Guesses guesses;
    if (is_by_pc(favourite)) {
      model_.guess(row, context_of(row), guesses);
      if (guesses.of[favourite] == value) {
        ++gap_;
        kind = model_.cheapest(row, from, favourite);
        model_.learn(guesses, value);
        return;
      }
    }
    if (!has_own_code(favourite)) {
      planes[kGaps].put_count(gap_);
      gap_ = 0;
    }
    Plane& codes = planes[has_own_code(favourite) ? kExplicitCodes : kCodes];
    kind = model_.cheapest(row, from, kUndecided);
    if (kind != kUndecided) {
      codes.put(kind);
      kind = next_favourite(favourite, kind);
      if (is_by_pc(favourite)) model_.learn(guesses, value);
      return;
    }
    if (!is_by_pc(favourite)) model_.guess(row, context_of(row), guesses);
    kind = next_favourite(favourite, encode_unlike_repeated(row, from, favourite, guesses, codes));
    model_.learn(guesses, value);
  }
  RowContext context_of(uint32_t row) const {
    const uint32_t i = row - first_;
    if (leads_ == nullptr) return {};
    return {leads_[i], i + 1 < rows_ ? leads_[i + 1] : 0};
  }
  // Writes the code of a value and gives the favourite that comes of it.
  uint8_t encode_unlike_repeated(uint32_t row, uint32_t from, uint8_t favourite,
                                 const Guesses& guesses, Plane& codes) {
    const Word value = model_.value(row);
    for (uint8_t k = kShifted + 1; k < kKinds; ++k) {
      if (guesses.of[k] == value) {
        codes.put(k);
        return k;
      }
    }
    const bool hopeless = favourite == kPlain && row % kSearchOfHopeless != 0;
    if (hopeless) return encode_plain_or_cached(row, from, guesses, codes);
    if (const uint32_t distance = model_.as_far_off(row, from); distance > 0) {
      codes.put(kShiftedBy);
      planes[kDistances].put(distance);
      return static_cast<uint8_t>(kFavourShiftedBy + distance - 1);
    }
    if (!worth_a_place(value)) return encode_plain(row, from, guesses, codes);
    if (const uint32_t age = model_.age_of(row); age > 0) {
      codes.put(kAgain);
      planes[kAges].put(age);
      return static_cast<uint8_t>(kFavourAgain + age - 1);
    }
    return encode_plain_or_cached(row, from, guesses, codes);
  }
  uint8_t encode_plain_or_cached(uint32_t row, uint32_t from, const Guesses& guesses,
                                 Plane& codes) {
    const Word value = model_.value(row);
    const size_t place = model_.cache_place(value);
    if (!worth_a_place(value) || model_.cached(place) != value)
      return encode_plain(row, from, guesses, codes);
    codes.put(kCached);
    planes[kCacheLow].put(place);
    planes[kCacheHigh].put(place >> 8);
    return kCached;
  }
  uint8_t encode_plain(uint32_t row, uint32_t from, const Guesses& guesses, Plane& codes) {
    const Word value = model_.value(row);
    model_.cached(model_.cache_place(value)) = value;
    // Which base is the best, and so how many bytes are left, follows no pattern: nothing here
    // branches on it, but on whether there are more than two.
    const auto bases = model_.bases(row, from, guesses);
    uint64_t shortest = value;
    unsigned best = bytes_of(value) << 3;  // and the base below
    for (unsigned b = 1; b < kBases; ++b) {
      const auto step = static_cast<std::make_signed_t<Word>>(value - bases[b]);
      const uint64_t distance = static_cast<Word>(zigzag(static_cast<uint64_t>(int64_t{step})));
      const unsigned found = bytes_of(distance) << 3 | b;
      const bool shorter = found >> 3 < best >> 3;
      shortest = shorter ? distance : shortest;
      best = shorter ? found : best;
    }
    const unsigned bytes = best >> 3;
    codes.put(kPlain + 9 * (best & 7) + bytes);
    if (bytes > 2) {
      for (unsigned b = 0; b < sizeof(Word); ++b)
        planes[kWideBytes + b].put_if(b < bytes, shortest >> (8 * b));
    } else {
      planes[kOneByte].put_if(bytes == 1, shortest);
      planes[kTwoLow].put_if(bytes == 2, shortest);
      planes[kTwoHigh].put_if(bytes == 2, shortest >> 8);
    }
    return kPlain;
  }

  ValueModel<Word, kRich> model_;
  uint64_t gap_ = 0;  // rows since the last code after a count
  const uint64_t* leads_ = nullptr;
  uint32_t first_ = 0;
  uint32_t rows_ = 0;
};

}  // namespace vestige::fast
