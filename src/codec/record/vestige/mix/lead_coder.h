// Codes the leading column of a block, stretch by stretch: how far it repeats earlier rows
// (repeat/lead.h) and what comes where it does not.
//
//   row := group | hit      while a repetition is under way
//        | miss             else, and after a group or hit that fails
//   group: safe rows, all as foreseen or the first that is not (foresight.h)
//   hit: a decision for the one row at hand
//   miss: a decision for each of a few values that followed the last 5, 3, 2 or 1 rows before,
//     until one is right; when none is, the value's bytes, the highest first
#pragma once

#include "codec/entropy/range_coder.h"
#include "codec/record/vestige/mix/foresight.h"
#include "codec/record/vestige/mix/nibble_model.h"
#include "codec/record/vestige/repeat/lead.h"

namespace vestige::mix {

// Which of these was right, for reports.
enum LeadOutcome : uint8_t { kLeadRepeats, kLeadFollows, kLeadNew };

// Whatever the width of the words.
template <class Coder>
class LeadCoder {
 public:
  virtual ~LeadCoder() = default;
  // The rows must not cross the end of the history. `outcomes`, when given, has an entry per row.
  virtual void run(Coder& coder, ColumnOf<Coder> rows, LeadOutcome* outcomes) = 0;
  virtual const std::vector<repeat::Segment>& segments() const = 0;
};

template <class Coder, class Word, class Rules>
class LeadCoderOf final : public LeadCoder<Coder> {
 public:
  // 2^bits contexts are remembered of each kind.
  LeadCoderOf(const repeat::Shape& shape, unsigned bits, unsigned width)
      : model_(shape),
        width_(width),
        states_(model_.mask() + 1 + 8),
        hits_(bits, 64),
        guesses_(bits, 2 * kMostTried),
        bytes_(10, 8),
        followed_shift_(64 - bits) {
    for (auto& table : followed_) table = ZeroedTable<Word>(size_t{1} << bits);
  }

  const std::vector<repeat::Segment>& segments() const override { return model_.segments(); }

  void run(Coder& coder, ColumnOf<Coder> rows, LeadOutcome* outcomes) override {
    const uint32_t first = model_.row;
    const uint32_t end = first + static_cast<uint32_t>(rows.size());
    Word* const words = &model_.at(first);
    if constexpr (!Coder::kDecoding)
      for (size_t i = 0; i < rows.size(); ++i) words[i] = static_cast<Word>(rows[i]);
    model_.begin_stretch();
    while (model_.row != end) {
      if (model_.matched && repeat(coder, end - model_.row)) continue;
      const LeadOutcome outcome = code_miss(coder);
      if (outcomes != nullptr) outcomes[model_.row - first] = outcome;
      model_.miss();
      length_ = 0;
    }
    if constexpr (Coder::kDecoding)
      for (size_t i = 0; i < rows.size(); ++i) rows[i] = words[i];
  }

 private:
  static constexpr size_t kLongContexts = 3;  // of 5, 3 and 2 rows
  static constexpr size_t kMostTried = kLongContexts + repeat::kSuccessors;

  Word& at(uint32_t row) { return model_.at(row); }
  Foresight& state(uint32_t row) { return states_[row & model_.mask()]; }

  // Codes rows that repeat; false when the next one does not.
  bool repeat(Coder& coder, uint32_t limit) {
    const uint32_t row = model_.row;
    const uint32_t from = model_.from;
    limit = std::min(limit, model_.mask() + 1 - (from & model_.mask()));
    const uint32_t rows = group_rows(&state(from), limit, row - from);
    if (rows == 0) return repeat_one(coder);
    Word* const here = &at(row);
    const Word* const there = &at(from);
    uint32_t right = 0;
    if constexpr (!Coder::kDecoding)
      while (right < rows && here[right] == there[right]) ++right;
    right = groups_.code(coder, right, rows, length_class());
    if constexpr (Coder::kDecoding) repeat::copy_rows(here, there, right, row - from);
    repeat::copy_rows(&state(row), &state(from), right, row - from);
    length_ += right;
    model_.repeat(right);
    if (right == rows) return true;
    state(model_.row) = after<Rules::kSafeLeadAfter>(state(model_.from), false);
    return false;
  }
  bool repeat_one(Coder& coder) {
    const Word foreseen = at(model_.from);
    const Foresight before = state(model_.from);
    const Contexts context = contexts();
    const uint64_t salt = (uint64_t{foreseen} + 1) * kHashB;
    const bool right =
        hits_.code(coder, at(model_.row) == foreseen,
                   {hashed(context.of_1 + salt), hashed(context.of_3 + salt),
                    hashed(context.of_8 + salt), hashed(salt * 16 + record_of(before))},
                   std::min(successes(before), 7u) * 8 + length_class());
    state(model_.row) = after<Rules::kSafeLeadAfter>(before, right);
    if (!right) return false;
    at(model_.row) = foreseen;
    ++length_;
    model_.repeat(1);
    return true;
  }
  size_t length_class() const {
    return std::min<size_t>(static_cast<size_t>(std::bit_width(length_)), 7);
  }

  // Hashes of the last so many rows.
  struct Contexts {
    uint64_t of_1, of_2, of_3, of_5, of_8;
  };
  Contexts contexts() {
    uint64_t hash = 0;
    uint32_t back = 0;
    const auto up_to = [&](uint32_t rows) {
      while (back < rows) hash = hashed(hash + at(model_.row - ++back) + 1);
      return hash;
    };
    return {up_to(1), up_to(2), up_to(3), up_to(5), up_to(8)};
  }

  LeadOutcome code_miss(Coder& coder) {
    const Contexts context = contexts();
    const std::array longer = {context.of_5, context.of_3, context.of_2};
    std::array<Word*, kLongContexts> followed;
    for (size_t i = 0; i < kLongContexts; ++i)
      followed[i] = &followed_[i][hashed(longer[i]) >> followed_shift_];
    auto& successors = model_.successors();

    std::array<Word, 1 + kMostTried> tried;  // no value twice, the one known to be wrong first
    size_t count = 0;
    const auto add = [&](Word value) {
      const auto end = tried.begin() + static_cast<std::ptrdiff_t>(count);
      if (std::find(tried.begin(), end, value) == end) tried[count++] = value;
    };
    if (model_.matched)
      add(at(model_.from));
    else
      state(model_.row) = 0;
    const size_t first = count;
    for (const Word* value : followed) add(*value);
    for (const Word value : successors.values) add(value);

    Word value = at(model_.row);
    bool found = false;
    for (size_t i = first; i < count && !found; ++i) {
      const uint64_t salt = (uint64_t{tried[i]} + 1) * kHashB;
      const size_t rank = i - first;
      found = guesses_.code(
          coder, tried[i] == value,
          {hashed(context.of_1 + salt), hashed(context.of_2 + salt), hashed(context.of_5 + salt),
           hashed(salt * 16 + rank), hashed(context.of_1 * 16 + rank)},
          rank * 2 + model_.matched);
      if (found) value = tried[i];
    }
    if (!found) value = code_bytes(coder, value, context.of_1);
    for (Word* slot : followed) *slot = value;
    model_.promote(successors, value);
    at(model_.row) = value;
    return found ? kLeadFollows : kLeadNew;
  }
  Word code_bytes(Coder& coder, Word value, uint64_t context) {
    const uint64_t last = at(model_.row - 1);
    uint64_t higher = 0;
    for (unsigned b = width_; b-- > 0;) {
      const auto byte = static_cast<uint8_t>(uint64_t{value} >> (8 * b));
      higher = higher << 8 | bytes_.code(coder, byte,
                                         {hashed(higher * 8 + b), hashed(context + higher * 8 + b),
                                          hashed((last >> (8 * b)) * 8 + b)},
                                         b);
    }
    return static_cast<Word>(higher);
  }

  repeat::LeadModel<Word, true> model_;
  const unsigned width_;
  ZeroedTable<Foresight> states_;
  GroupModel groups_;
  FlagModel<4> hits_;
  FlagModel<5> guesses_;
  ByteModel<3> bytes_;
  const unsigned followed_shift_;
  std::array<ZeroedTable<Word>, kLongContexts> followed_;
  uint32_t length_ = 0;  // rows since the present repetition began
};

}  // namespace vestige::mix
