// The model of a column of values: its history, the kind of guess that was right for each row, and
// the guesses for rows that take the slow way (model.h).
#pragma once

#include "base/zeroed_table.h"
#include "codec/record/vestige/repeat/model.h"

namespace vestige::repeat {

// What a row's guesses may depend on besides the column itself.
struct RowContext {
  uint64_t pc;
  uint64_t next_pc;  // 0 in the last row of a stretch
};

// `kShared`: two of the guesses come of tables that all PCs share, for data that one instruction
// has read and another reads again, and that are large enough for the links of a large structure.
// `kLines`: what followed the last three values lies in a cache line that all but the last of them
// name, so that it can be fetched before that one is known.
template <class Word, bool kRich, bool kShared = false, bool kLines = false>
class ValueModel {
 public:
  static constexpr unsigned kKinds = kRich ? kRichKinds : kPlainKinds;
  static constexpr unsigned kCacheBits = 12;
  static constexpr size_t kBeyond = 8;  // rows are read and written by eights

  explicit ValueModel(const Shape& shape)
      : shape_(shape),
        mask_((uint32_t{1} << shape.history) - 1),
        values_(mask_ + 1 + kBeyond),
        kinds_(mask_ + 1 + kBeyond),
        recent_(size_t{1} << shape.recent),
        cache_(size_t{1} << kCacheBits) {
    for (size_t t = 0; t < tables_.size(); ++t)
      tables_[t] = ZeroedTable<Word>(size_t{1} << bits_of(t));
  }

  // As if new, after so many rows.
  void restart(uint64_t rows) {
    const size_t used = std::min<uint64_t>(rows, mask_ + uint64_t{1}) + kBeyond;
    values_.clear(used);
    kinds_.clear(used);
    recent_.clear(size_t{1} << shape_.recent);
    for (size_t t = 0; t < tables_.size(); ++t) tables_[t].clear(size_t{1} << bits_of(t));
    cache_.clear(size_t{1} << kCacheBits);
  }

  uint32_t mask() const { return mask_; }
  Word* values() { return values_.data(); }
  uint8_t* kinds() { return kinds_.data(); }
  Word value(uint32_t row) { return values_[row & mask_]; }

  // Rows that nothing is learnt from. They do not cross the end of the history.
  void keep(const uint64_t* in, uint32_t row, uint32_t rows) {
    Word* const words = values_.data() + (row & mask_);
    for (uint32_t i = 0; i < rows; ++i) words[i] = static_cast<Word>(in[i]);
    std::memset(kinds_.data() + (row & mask_), kPlain, rows);
  }

  struct Recent {
    Word last;
    Word before;
    Word third;
    Word stride;
  };
  // All guesses for a row by its PC, and where to learn what it really was.
  struct Guesses {
    Word of[kKinds];  // by kind; the first two are left out
    Word previous;    // the column's
    Recent* recent;
    Word* tables[kKinds];
  };
  // The guesses of a row to come will be read from memory: what its PC alone names, and what its
  // PC's last values name, as far as they are known.
  void fetch_recent(uint64_t pc) {
    __builtin_prefetch(&recent_[place(scramble(pc + 1), shape_.recent)], 1);
  }
  void fetch_tables(uint64_t pc) {
    const uint64_t hash = scramble(pc + 1);
    const Recent& recent = recent_[place(hash, shape_.recent)];
    const auto fetch = [&](size_t table, uint64_t key) {
      __builtin_prefetch(&tables_[table][place(scramble(key), bits_of(table))], 1);
    };
    fetch(0, hash + key_of_two(recent));
    fetch(4, hash + key_of_strides(recent));
    fetch(kByLastTable, key_of_last(recent));
  }
  // The same, by what the column's values before `row` name of the row behind it.
  void fetch_line(uint32_t row) {
    if constexpr (kLines)
      __builtin_prefetch(&tables_[kByThreeTable][line_of_three(value(row - 1), value(row - 2))], 1);
  }
  void guess(uint32_t row, RowContext context, Guesses& guesses) {
    const uint64_t hash = scramble(context.pc + 1);
    Recent& recent = recent_[place(hash, shape_.recent)];
    const Word previous = value(row - 1);
    guesses.previous = previous;
    guesses.recent = &recent;
    guesses.of[kStride] = static_cast<Word>(recent.last + recent.stride);
    guesses.of[kLast] = recent.last;
    if constexpr (!kShared) guesses.of[kBeforeLast] = recent.before;
    const auto look_at = [&](Kind kind, Word& slot, Word base) {
      guesses.tables[kind] = &slot;
      guesses.of[kind] = static_cast<Word>(slot + base);
    };
    const auto look = [&](Kind kind, size_t table, uint64_t key, Word base) {
      look_at(kind, tables_[table][place(scramble(key), bits_of(table))], base);
    };
    look(kByLastTwo, 0, hash + key_of_two(recent), 0);
    if constexpr (kRich) {
      const Word second = value(row - 2);
      const Word third = value(row - 3);
      look(kByPrevious, 1, hash + fold(previous), 0);
      if constexpr (kShared) {
        if constexpr (kLines)
          look_at(kByThree,
                  tables_[kByThreeTable]
                         [line_of_three(second, third) + place(scramble(previous), kLineBits)],
                  0);
        else
          look(kByThree, kByThreeTable, fold(fold(previous) + second) + third, 0);
        look(kByLast, kByLastTable, key_of_last(recent), 0);
      } else {
        look(kByThird, 2, hash + fold(third), 0);
      }
      look(kByStep, 3,
           hash + fold(static_cast<Word>(previous - second)) + scramble(context.next_pc + 5),
           previous);
      look(kByStrides, 4, hash + key_of_strides(recent), recent.last);
    }
  }
  // The guess of a favourite that needs no PC and is not explicit.
  Word by_rows(uint32_t row, uint32_t from, uint8_t favourite) {
    if (favourite == kSame) return value(from);
    if (favourite < kFavourShiftedBy && favourite != kShifted)
      return value(row - (favourite - kFavourAgain) - 1);
    const uint32_t distance = favourite == kShifted ? 1 : favourite - kFavourShiftedBy + 1;
    return static_cast<Word>(value(from) - value(from - distance) + value(row - distance));
  }
  // The favourite of the rows that will repeat one whose own was right: a cheaper guess, if that
  // was right too.
  uint8_t cheapest(uint32_t row, uint32_t from, uint8_t favourite) {
    const Word off = static_cast<Word>(value(row) - value(from));
    if (off == 0) return kSame;
    if (off == static_cast<Word>(value(row - 1) - value(from - 1))) return kShifted;
    return favourite;
  }
  static void learn(const Guesses& guesses, Word value) {
    Recent& recent = *guesses.recent;
    const Word stride = static_cast<Word>(value - recent.last);
    *guesses.tables[kByLastTwo] = value;
    if constexpr (kRich) {
      *guesses.tables[kByPrevious] = value;
      *guesses.tables[kByThird] = value;  // or kByThree's
      if constexpr (kShared) *guesses.tables[kByLast] = value;
      *guesses.tables[kByStep] = static_cast<Word>(value - guesses.previous);
      *guesses.tables[kByStrides] = stride;
    }
    if (stride == static_cast<Word>(recent.last - recent.before)) recent.stride = stride;
    recent.third = recent.before;
    recent.before = recent.last;
    recent.last = value;
  }
  std::array<Word, kBases> bases(uint32_t row, uint32_t from, const Guesses& guesses) {
    const Word repeated = value(from);
    const Word shifted = static_cast<Word>(repeated - value(from - 1) + value(row - 1));
    return {0, guesses.previous, guesses.recent->last, repeated, shifted};
  }
  // How many rows before lies one that is as far off from what it repeats as this one; 0: none
  // near. Those cut off by the end of the history are not looked at. Slow: for encoders.
  uint32_t as_far_off(uint32_t row, uint32_t from) {
    const uint32_t at = row & mask_;
    const uint32_t from_at = from & mask_;
    const uint32_t reach = std::min({at, from_at, shape_.searched});
    const Word* const here = values_.data() + at;
    const Word* const there = values_.data() + from_at;
    const Word off = static_cast<Word>(*here - *there);
    for (uint32_t i = 8; i <= reach; i += 8) {
      const uint8_t alike = lanes(Eight(here - i).rows - Eight(there - i).rows == off);
      if (alike != 0) return i - 7 + static_cast<uint32_t>(std::countl_zero(alike));
    }
    return 0;
  }
  // How many rows before lies one with the same value; 0: none near.
  uint32_t age_of(uint32_t row) {
    const uint32_t at = row & mask_;
    const uint32_t reach = std::min({at, shape_.searched, kMaxAge});
    const Word* const here = values_.data() + at;
    for (uint32_t i = 8; i <= reach; i += 8) {
      const uint8_t alike = lanes(Eight(here - i).rows == *here);
      if (alike != 0) return i - 7 + static_cast<uint32_t>(std::countl_zero(alike));
    }
    return 0;
  }

  static size_t cache_place(Word value) { return place(scramble(value), kCacheBits); }
  Word& cached(size_t at) { return cache_[at]; }

 private:
  static uint64_t key_of_two(const Recent& recent) {
    return fold(recent.last) + scramble(recent.before + uint64_t{3});
  }
  static uint64_t key_of_last(const Recent& recent) { return fold(recent.last) + uint64_t{7}; }
  static uint64_t key_of_strides(const Recent& recent) {
    return fold(static_cast<Word>(recent.last - recent.before)) +
           scramble(static_cast<Word>(recent.before - recent.third) + uint64_t{5});
  }
  static constexpr size_t kByThreeTable = 2, kByLastTable = 5;
  static constexpr size_t kTables = !kRich ? 1 : kShared ? 6 : 5;
  static constexpr unsigned kLineBits = 3;  // values of a line
  size_t line_of_three(Word second, Word third) const {
    return place(scramble(fold(second) + third), shape_.shared - kLineBits) << kLineBits;
  }
  unsigned bits_of(size_t table) const {
    return kShared && (table == kByThreeTable || table == kByLastTable) ? shape_.shared
                                                                        : shape_.values;
  }

  const Shape shape_;
  const uint32_t mask_;
  ZeroedTable<Word> values_;
  ZeroedTable<uint8_t> kinds_;
  ZeroedTable<Recent> recent_;
  std::array<ZeroedTable<Word>, kTables> tables_;
  ZeroedTable<Word> cache_;
};

}  // namespace vestige::repeat
