// Codes a column of values of a block, stretch by stretch, after the leading column, with the
// guesses of repeat/values.h.
//
//   row := group            rows whose favourites are safe: all right, or the first that is not
//        | hit              a decision: the favourite of the repeated row is right
//        | code             after a group or hit that fails, or without a favourite to try
//   code := kind of guess   4 bits: the guesses by row and PC, kShiftedByCode and kAgainCode with a
//                           distance, or kFirstPlain + base and what the value is off from the base
//   plain := bytes nibble, byte*    zigzag unless the base is 0, the highest byte first
//
// Whether a favourite is right is foretold by its record, by the PC and the next one, and above all
// by which other guesses agree with it.
#pragma once

#include "codec/entropy/range_coder.h"
#include "codec/record/vestige/mix/foresight.h"
#include "codec/record/vestige/mix/nibble_model.h"
#include "codec/record/vestige/repeat/values.h"

namespace vestige::mix {

// Sizes of tables, powers of two given by their exponents.
struct ValueSizes {
  unsigned flags;     // contexts of decisions
  unsigned kinds;     // contexts of codes
  unsigned literals;  // contexts of bytes
};

// Whatever the width of the words.
template <class Coder>
class ValueCoder {
 public:
  virtual ~ValueCoder() = default;
  // The rows, the first of which is number `first`, must not cross the end of the history. `leads`
  // are the same rows of the leading column, or empty when they say nothing about values.
  virtual void run(Coder& coder, std::span<const uint64_t> leads, ColumnOf<Coder> rows,
                   uint32_t first, const std::vector<repeat::Segment>& segments) = 0;
  virtual uint8_t favourite(uint32_t row) = 0;  // what was right there
};

template <class Coder, class Word, class Rules>
class ValueCoderOf final : public ValueCoder<Coder> {
 public:
  ValueCoderOf(const repeat::Shape& shape, const ValueSizes& sizes)
      : model_(shape),
        states_(model_.mask() + 1 + 8),
        hits_(sizes.flags, 4 * (repeat::kRichKinds + 1)),
        codes_(sizes.kinds, 4),
        distances_(12, 2),
        literals_(sizes.literals, 8 * kBases) {}

  void run(Coder& coder, std::span<const uint64_t> leads, ColumnOf<Coder> rows, uint32_t first,
           const std::vector<repeat::Segment>& segments) override {
    leads_ = leads;
    first_ = first;
    Word* const words = &value(first);
    if constexpr (!Coder::kDecoding)
      for (size_t i = 0; i < rows.size(); ++i) words[i] = static_cast<Word>(rows[i]);
    for (repeat::Segment segment : segments) {
      while (segment.rows > 0) {
        const uint32_t done = run_group(coder, segment);
        segment.row += done;
        segment.from += done;
        segment.rows -= done;
      }
    }
    if constexpr (Coder::kDecoding)
      for (size_t i = 0; i < rows.size(); ++i) rows[i] = words[i];
  }
  uint8_t favourite(uint32_t row) override { return kind(row); }

 private:
  using Model = repeat::ValueModel<Word, true, Rules::kShared, Rules::kLines>;
  using Guesses = typename Model::Guesses;
  static constexpr unsigned kKinds = repeat::kRichKinds;
  static constexpr size_t kFetched = 4;  // rows ahead
  static constexpr unsigned kShiftedByCode = kKinds;
  static constexpr unsigned kAgainCode = kShiftedByCode + 1;
  static constexpr unsigned kFirstPlain = kAgainCode + 1;
  static constexpr unsigned kBases = 16 - kFirstPlain;  // a prefix of Model::bases
  static_assert(kBases <= repeat::kBases);

  // In which guesses are tried. A large table forgets less than a small one.
  static constexpr auto kOrder = [] {
    using enum repeat::Kind;
    if constexpr (Rules::kShared)
      return std::array<unsigned, kKinds>{kSame,    kShifted,   kStride,     kLast,   kByLast,
                                          kByThree, kByLastTwo, kByPrevious, kByStep, kByStrides};
    else
      return std::array<unsigned, kKinds>{kSame,       kShifted,    kStride,  kLast,   kByLastTwo,
                                          kBeforeLast, kByPrevious, kByThird, kByStep, kByStrides};
  }();

  Foresight& state(uint32_t row) { return states_[row & model_.mask()]; }
  uint8_t& kind(uint32_t row) { return model_.kinds()[row & model_.mask()]; }
  Word& value(uint32_t row) { return model_.values()[row & model_.mask()]; }
  repeat::RowContext context_of(uint32_t row) const {
    const uint32_t i = row - first_;
    if (leads_.empty()) return {};
    return {leads_[i], i + 1 < leads_.size() ? leads_[i + 1] : 0};
  }

  // Codes the first rows of a segment and gives their number.
  uint32_t run_group(Coder& coder, const repeat::Segment& segment) {
    const uint32_t row = segment.row;
    const uint32_t from = segment.from;
    const uint32_t limit = std::min(segment.rows, model_.mask() + 1 - (from & model_.mask()));
    const uint32_t rows = group_rows(&state(from), limit, row - from);
    if (rows == 0) {
      run_row(coder, row, from, repeat::is_explicit(kind(from)));
      return 1;
    }
    uint32_t right = 0;
    if constexpr (!Coder::kDecoding)
      while (right < rows && is_foreseen(row + right, from + right)) ++right;
    right = groups_.code(coder, right, rows, 0);
    if constexpr (Coder::kDecoding)
      for (uint32_t i = 0; i < right; ++i) foresee(row + i, from + i);
    if (right == rows) return rows;
    run_row(coder, row + right, from + right, true);
    return right + 1;
  }
  // For rows of groups: whether the favourite is right, and if so, what follows from it.
  bool is_foreseen(uint32_t row, uint32_t from) {
    const uint8_t favourite = kind(from);
    const Word actual = value(row);
    if (repeat::is_by_pc(favourite)) {
      Guesses guesses;
      model_.guess(row, context_of(row), guesses);
      if (guesses.of[favourite] != actual) return false;
      model_.learn(guesses, actual);
    } else if (model_.by_rows(row, from, favourite) != actual) {
      return false;
    }
    kind(row) = favourite;
    state(row) = state(from);
    return true;
  }
  // The same when it is known to be right.
  void foresee(uint32_t row, uint32_t from) {
    const uint8_t favourite = kind(from);
    if (repeat::is_by_pc(favourite)) {
      Guesses guesses;
      model_.guess(row, context_of(row), guesses);
      value(row) = guesses.of[favourite];
      model_.learn(guesses, value(row));
    } else {
      value(row) = model_.by_rows(row, from, favourite);
    }
    kind(row) = favourite;
    state(row) = state(from);
  }

  // What is known of a row before its value is.
  struct Known {
    uint32_t row;
    uint32_t from;
    uint8_t favourite;
    bool has_guess;  // the favourite is one
    Word foreseen;   // by it
    uint64_t pc;     // hashes
    uint64_t next;
    Guesses guesses;
  };
  Known look(uint32_t row, uint32_t from) {
    const repeat::RowContext context = context_of(row);
    Known known;
    known.row = row;
    known.from = from;
    known.favourite = kind(from);
    known.has_guess = !repeat::is_explicit(known.favourite);
    known.pc = hashed(context.pc + 1);
    known.next = hashed(context.next_pc + 2);
    Guesses& guesses = known.guesses;
    model_.guess(row, context, guesses);
    guesses.of[repeat::kSame] = model_.by_rows(row, from, repeat::kSame);
    guesses.of[repeat::kShifted] = model_.by_rows(row, from, repeat::kShifted);
    known.foreseen = !known.has_guess           ? Word{0}
                     : known.favourite < kKinds ? guesses.of[known.favourite]
                                                : model_.by_rows(row, from, known.favourite);
    return known;
  }

  // The rows behind a slow one are often slow, too.
  void fetch_ahead(uint32_t row) {
    if constexpr (!Rules::kShared) return;
    const size_t i = row - first_;
    if (i + kFetched >= leads_.size()) return;
    model_.fetch_recent(leads_[i + kFetched]);
    model_.fetch_tables(leads_[i + 1]);
    model_.fetch_line(row);
  }
  // `wrong`: the favourite is known to be, or there is none.
  void run_row(Coder& coder, uint32_t row, uint32_t from, bool wrong) {
    fetch_ahead(row);
    const Known known = look(row, from);
    const Foresight before = state(from);
    if (!wrong && code_hit(coder, known, before)) {
      value(row) = known.foreseen;
      kind(row) = model_.cheapest(row, from, known.favourite);
      state(row) = after<Rules::kSafeAfter>(before, true);
    } else {
      state(row) =
          known.has_guess ? after<Rules::kSafeAfter>(before, false) : without_successes(before);
      code_value(coder, known);
    }
    model_.learn(known.guesses, value(row));
  }
  bool code_hit(Coder& coder, const Known& known, Foresight before) {
    unsigned agree = 0;
    for (unsigned k = 0; k < kKinds; ++k)
      agree |= unsigned{known.guesses.of[k] == known.foreseen} << k;
    const uint64_t favourite = known.favourite;
    const uint64_t left = kind(known.row - 1);
    const bool right =
        hits_.code(coder, value(known.row) == known.foreseen,
                   {hashed((favourite * 256 + before) * 1024 + agree),
                    hashed(known.pc + known.next * 3 + favourite),
                    hashed(known.pc + recent_ % 256 * kHashB + 1),
                    hashed(known.pc + (agree | left << 10) * kHashB + 2)},
                   std::min(successes(before), 3u) + 4 * static_cast<size_t>(std::popcount(agree)));
    recent_ = recent_ * 2 + right;
    return right;
  }

  struct Code {
    unsigned kind = 0;
    uint8_t distance = 0;  // less one
    unsigned bytes = 0;
  };
  void code_value(Coder& coder, const Known& known) {
    const uint32_t row = known.row;
    Code code;
    if constexpr (!Coder::kDecoding) code = code_of(known);
    const unsigned possible = possible_guesses(known);
    const auto contexts = [&](uint64_t salt) -> typename NibbleModel<4>::Hashes {
      return {hashed(known.pc + salt),
              hashed(possible + uint64_t{known.favourite} * 1024 + (salt << 32)),
              hashed(known.pc + possible * kHashB + salt),
              hashed(last_code_ + uint64_t{known.favourite} * 64 + (recent_ % 4) * 65536 +
                     (salt << 32))};
    };
    code.kind = codes_.code(coder, code.kind, contexts(0), known.has_guess);
    if (code.kind < kKinds) {
      value(row) = known.guesses.of[code.kind];
      kind(row) = static_cast<uint8_t>(code.kind);
    } else if (code.kind < kFirstPlain) {
      kind(row) = code_distance(coder, known, code);
      value(row) = model_.by_rows(row, known.from, kind(row));
    } else {
      code.bytes = codes_.code(coder, code.bytes, contexts(code.kind), 2 + known.has_guess);
      value(row) = code_plain(coder, known, code);
      kind(row) = repeat::kPlain;
    }
    last_code_ = code.kind;
    recent_ *= 2;
  }
  Code code_of(const Known& known) {
    const Word actual = value(known.row);
    for (const unsigned k : kOrder)
      if (known.guesses.of[k] == actual) return {k};
    if (const uint32_t distance = model_.as_far_off(known.row, known.from); distance > 0)
      return {kShiftedByCode, static_cast<uint8_t>(distance - 1)};
    if (repeat::worth_a_place(actual))
      if (const uint32_t age = model_.age_of(known.row); age > 0)
        return {kAgainCode, static_cast<uint8_t>(age - 1)};
    unsigned base = 0;
    unsigned bytes = repeat::bytes_of(actual);
    const auto bases = model_.bases(known.row, known.from, known.guesses);
    for (unsigned b = 1; b < kBases; ++b) {
      const unsigned needed = repeat::bytes_of(off_by(actual, bases[b]));
      if (needed < bytes) {
        base = b;
        bytes = needed;
      }
    }
    return {kFirstPlain + base, 0, bytes};
  }
  // Guesses, a bit each, that are not known to be wrong and differ from those before.
  static unsigned possible_guesses(const Known& known) {
    const auto& guesses = known.guesses.of;
    unsigned possible = 0;
    for (unsigned i = 0; i < kKinds; ++i) {
      const unsigned k = kOrder[i];
      bool out = known.has_guess && guesses[k] == known.foreseen;
      for (unsigned j = 0; j < i; ++j) out |= guesses[kOrder[j]] == guesses[k];
      possible |= unsigned{!out} << k;
    }
    return possible;
  }
  uint8_t code_distance(Coder& coder, const Known& known, const Code& code) {
    const uint64_t shift = code.kind == kShiftedByCode;
    const uint8_t distance = distances_.code(
        coder, code.distance,
        {hashed(known.pc + shift), hashed(known.pc + known.next * 3 + shift),
         hashed(last_distance_ + 256 * shift), hashed(known.pc + last_distance_ * kHashB + 9)},
        shift);
    last_distance_ = distance;
    return static_cast<uint8_t>(shift ? repeat::kFavourShiftedBy + distance % repeat::kMaxDistance
                                      : repeat::kFavourAgain + distance % repeat::kMaxAge);
  }
  static uint64_t off_by(Word actual, Word base) {
    const auto step = static_cast<std::make_signed_t<Word>>(static_cast<Word>(actual - base));
    return static_cast<Word>(repeat::zigzag(static_cast<uint64_t>(int64_t{step})));
  }
  Word code_plain(Coder& coder, const Known& known, const Code& code) {
    const unsigned base = code.kind - kFirstPlain;
    const unsigned bytes = std::min<unsigned>(code.bytes, sizeof(Word));
    const Word from = model_.bases(known.row, known.from, known.guesses)[base];
    const uint64_t number = base == 0 ? value(known.row) : off_by(value(known.row), from);
    const uint64_t last = known.guesses.recent->last;
    const uint64_t shape = base * 9 + bytes;
    uint64_t higher = 0;
    for (unsigned b = bytes; b-- > 0;) {
      const uint64_t place = b * 64 + shape;
      higher =
          higher << 8 |
          literals_.code(coder, static_cast<uint8_t>(number >> (8 * b)),
                         {hashed(known.pc + higher * kHashB + place), hashed(higher * kHashB + b),
                          hashed(known.pc + (last >> (8 * b) & 255) * kHashB + place),
                          hashed(known.pc + place),
                          hashed((higher & 255) * 4096 + place + (uint64_t{bytes} << 20))},
                         b * kBases + base);
    }
    return static_cast<Word>(base == 0 ? higher : from + repeat::unzigzag(higher));
  }

  Model model_;
  ZeroedTable<Foresight> states_;
  GroupModel groups_;
  FlagModel<4> hits_;
  NibbleModel<4> codes_;
  ByteModel<4> distances_;
  ByteModel<5> literals_;
  std::span<const uint64_t> leads_;
  uint32_t first_ = 0;
  uint64_t recent_ = 0;  // the latest decisions, a bit each: the favourite was right
  uint64_t last_code_ = 0;
  uint64_t last_distance_ = 0;
};

}  // namespace vestige::mix
