// Undoes value_encoder.h.
#pragma once

#include "codec/record/vestige/fast/streams.h"
#include "codec/record/vestige/repeat/values.h"

namespace vestige::fast {

class ValueDecoder {
 public:
  virtual ~ValueDecoder() = default;
  // The streams of a block are in `planes`.
  virtual void begin_block() = 0;
  // As ValueEncoder::encode. False when the streams make no sense.
  virtual bool decode(uint64_t* out, const uint64_t* leads, uint32_t row, uint32_t rows,
                      const std::vector<Segment>& segments) = 0;
  // The rows are there already: of a bare column.
  virtual void keep(const uint64_t* values, uint32_t row, uint32_t rows) = 0;

  std::array<PlaneReader, kValueStreams> planes;
};

template <class Word, bool kRich>
class ValueDecoderOf final : public ValueDecoder {
 public:
  ValueDecoderOf(const Shape& shape, unsigned width) : model_(shape), fits_(mask_of(width)) {}

  void begin_block() override { gap_ = planes[kGaps].next_count(); }
  bool decode(uint64_t* out, const uint64_t* leads, uint32_t row, uint32_t rows,
              const std::vector<Segment>& segments) override {
    leads_ = leads;
    first_ = row;
    rows_ = rows;
    sound_ = true;
    for (Segment segment : segments) {
      while (segment.rows > 0) {
        const uint32_t piece =
            std::min(segment.rows, model_.mask() + 1 - (segment.from & model_.mask()));
        decode_rows(segment.row, segment.from, piece);
        segment.row += piece;
        segment.from += piece;
        segment.rows -= piece;
      }
    }
    const Word* const words = model_.values() + (row & model_.mask());
    uint64_t all = 0;
    for (uint32_t i = 0; i < rows; ++i) {
      out[i] = words[i];
      all |= words[i];
    }
    for (const PlaneReader& plane : planes) sound_ &= !plane.failed();
    return sound_ && (all & ~fits_) == 0;
  }
  void keep(const uint64_t* values, uint32_t row, uint32_t rows) override {
    model_.keep(values, row, rows);
  }

 private:
  using Guesses = typename ValueModel<Word, kRich>::Guesses;
  static constexpr unsigned kKinds = ValueModel<Word, kRich>::kKinds;
  static constexpr uint64_t kNeitherSameNorShifted = 0xfefefefefefefefe;
  static_assert(kSame == 0 && kShifted == 1);

  void decode_rows(uint32_t row, uint32_t from, uint32_t rows) {
    Word* const here = model_.values() + (row & model_.mask());
    const Word* const there = model_.values() + (from & model_.mask());
    uint8_t* const kinds_here = model_.kinds() + (row & model_.mask());
    const uint8_t* const kinds_there = model_.kinds() + (from & model_.mask());
    const uint32_t step = std::min<uint32_t>(row - from, 8);  // what lies further is not yet known
    Word off = static_cast<Word>(model_.value(row - 1) - model_.value(from - 1));
    for (uint32_t at = 0; at < rows; at += step) {
      const uint32_t count = std::min(rows - at, step);
      uint64_t favourites;
      std::memcpy(&favourites, kinds_there + at, 8);
      const uint64_t valid = favourites & (~uint64_t{0} >> (64 - 8 * count));
      if (gap_ >= count && (valid & kNeitherSameNorShifted) == 0) {
        // What these write beyond `count` is overwritten by the rows that belong there.
        std::memcpy(kinds_here + at, &favourites, 8);
        if (valid == 0) {
          Eight(there + at).store(here + at);
          off = 0;
        } else {
          for (uint32_t i = at; i < at + count; ++i) {
            off &= static_cast<Word>(0 - kinds_there[i]);
            here[i] = static_cast<Word>(there[i] + off);
          }
        }
        spend(count);
        continue;
      }
      for (uint32_t i = at; i < at + count; ++i) {
        const uint8_t favourite = kinds_there[i];
        kinds_here[i] = favourite;
        if (favourite <= kShifted && gap_ > 0) {
          off &= static_cast<Word>(0 - favourite);
          here[i] = static_cast<Word>(there[i] + off);
          spend(1);
        } else {
          decode_row(row + i, from + i);
          off = static_cast<Word>(here[i] - there[i]);
        }
      }
    }
  }
  void spend(uint32_t rows) { gap_ -= gap_ == UINT64_MAX ? 0 : rows; }

  void decode_row(uint32_t row, uint32_t from) {
    uint8_t& kind = model_.kinds()[row & model_.mask()];  // holds the favourite
    Word& value = model_.values()[row & model_.mask()];
    const uint8_t favourite = kind;
    if (is_distant(favourite) && gap_ > 0) {
      spend(1);
      value = model_.by_rows(row, from, favourite);
      kind = model_.cheapest(row, from, favourite);
      return;
    }
    Guesses guesses;
    bool guessed = is_by_pc(favourite);
    if (guessed) model_.guess(row, context_of(row), guesses);
    if (guessed && gap_ > 0) {
      spend(1);
      value = guesses.of[favourite];
      kind = model_.cheapest(row, from, favourite);
    } else {
      const uint8_t code = planes[has_own_code(favourite) ? kExplicitCodes : kCodes].next();
      if (!has_own_code(favourite)) gap_ = planes[kGaps].next_count();
      if (code <= kShifted) {
        kind = code;
        value = model_.by_rows(row, from, kind);
      } else {
        if (!guessed) model_.guess(row, context_of(row), guesses);
        guessed = true;
        value = decode_unlike_repeated(row, from, code, guesses, kind);
      }
      kind = next_favourite(favourite, kind);
    }
    if (guessed) model_.learn(guesses, value);
  }
  RowContext context_of(uint32_t row) const {
    const uint32_t i = row - first_;
    if (leads_ == nullptr) return {};
    return {leads_[i], i + 1 < rows_ ? leads_[i + 1] : 0};
  }
  // A favourite with the distance that comes next.
  uint8_t distant(uint8_t favourite, ValueStream stream, uint32_t most) {
    const uint32_t distance = planes[stream].next();
    if (distance - 1 < most) return static_cast<uint8_t>(favourite + distance - 1);
    sound_ = false;
    return favourite;
  }
  Word decode_unlike_repeated(uint32_t row, uint32_t from, uint8_t code, const Guesses& guesses,
                              uint8_t& kind) {
    if (code < kKinds) {
      kind = code;
      return guesses.of[code];
    }
    if (code == kShiftedBy || code == kAgain) {
      kind = code == kAgain ? distant(kFavourAgain, kAges, kMaxAge)
                            : distant(kFavourShiftedBy, kDistances, kMaxDistance);
      return model_.by_rows(row, from, kind);
    }
    kind = code == kCached ? kCached : kPlain;
    if (code == kCached) {
      const size_t low = planes[kCacheLow].next();
      const size_t place = low | size_t{planes[kCacheHigh].next()} << 8;
      if (place >> model_.kCacheBits == 0) return model_.cached(place);
      sound_ = false;
      return 0;
    }
    if (code < kPlain || code >= kCodeEnd) {
      sound_ = false;
      return 0;
    }
    const unsigned base = (code - kPlain) / 9;
    const unsigned bytes = (code - kPlain) % 9;
    uint64_t number = 0;
    if (bytes == 1) {
      number = planes[kOneByte].next();
    } else if (bytes == 2) {
      number = planes[kTwoLow].next();
      number |= uint64_t{planes[kTwoHigh].next()} << 8;
    } else {
      for (unsigned b = 0; b < bytes; ++b)
        number |= uint64_t{planes[kWideBytes + b].next()} << (8 * b);
    }
    const Word value = static_cast<Word>(
        base == 0 ? number : model_.bases(row, from, guesses)[base] + unzigzag(number));
    model_.cached(model_.cache_place(value)) = value;
    return value;
  }

  ValueModel<Word, kRich> model_;
  const uint64_t fits_;
  uint64_t gap_ = 0;  // rows whose favourite is right before the next code
  const uint64_t* leads_ = nullptr;
  uint32_t first_ = 0;
  uint32_t rows_ = 0;
  bool sound_ = true;
};

}  // namespace vestige::fast
