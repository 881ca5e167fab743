// The model of the leading column: its history, where contexts were last seen, and which rows
// repeat which (model.h).
#pragma once

#include "base/zeroed_table.h"
#include "codec/record/vestige/repeat/model.h"

namespace vestige::repeat {

template <class Word, bool kRich>
class LeadModel {
 public:
  explicit LeadModel(const Shape& shape)
      : shape_(shape),
        mask_((uint32_t{1} << shape.history) - 1),
        limit_(mask_ + 1 - kStretchRows - kSlack),
        values_(mask_ + 1 + kBeyond),
        successors_(size_t{1} << shape.successors),
        known_(size_t{1} << kKnownBits) {
    for (auto& table : contexts_) table = ZeroedTable<uint32_t>(size_t{1} << shape.contexts);
  }

  static constexpr unsigned kKnownBits = 15;
  static constexpr size_t kBeyond = 8;  // rows are read by eights
  // As if new, after so many rows.
  void restart(uint64_t rows) {
    values_.clear(std::min<uint64_t>(rows, mask_ + uint64_t{1}));
    for (auto& table : contexts_) table.clear(size_t{1} << shape_.contexts);
    successors_.clear(size_t{1} << shape_.successors);
    known_.clear(size_t{1} << kKnownBits);
    row = from = 0;
    matched = false;
    hashes_ = {};
    hashed_ = findable_ = start_ = 0;
    segments_.clear();
  }
  struct Successors {
    Word values[kSuccessors];  // the latest first
  };

  Word& at(uint32_t row) { return values_[row & mask_]; }
  uint32_t mask() const { return mask_; }

  // The next row to be coded, and whether row `from` says what it should be.
  uint32_t row = 0;
  uint32_t from = 0;
  bool matched = false;

  const std::vector<Segment>& segments() const { return segments_; }
  void begin_stretch() {
    start_ = row;
    segments_.clear();
    if (matched) segments_.push_back({row, 0, from});
  }
  // The next `rows` rows repeat `from`….
  void repeat(uint32_t rows) {
    const uint32_t insert = std::min(rows, findable_);
    for (uint32_t i = 0; i < insert; ++i) make_findable(row + i);
    findable_ -= shape_.findable == UINT32_MAX ? 0 : insert;
    segments_.back().rows += rows;
    row += rows;
    from += rows;
  }
  // The next row is a miss. `at(row)` holds it.
  void miss() {
    make_findable(row);
    segments_.push_back({row, 1, row - 1});
    ++row;
    find();
  }
  Successors& successors() {
    return successors_[place(scramble(at(row - 1) + uint64_t{1}), shape_.successors)];
  }
  static void promote(Successors& list, Word value) {
    unsigned i = 0;
    while (i + 1 < kSuccessors && list.values[i] != value) ++i;
    for (; i > 0; --i) list.values[i] = list.values[i - 1];
    list.values[0] = value;
  }
  static size_t known_place(Word value) { return place(scramble(value), kKnownBits); }
  Word& known(size_t at) { return known_[at]; }

 private:
  // Each hash is shifted by so much with every row: the rows it spans are 64 over that.
  static constexpr auto kShifts = [] {
    if constexpr (kRich)
      return std::array<unsigned, 4>{3, 8, 16, 64};
    else
      return std::array<unsigned, 2>{5, 22};
  }();
  static constexpr size_t kLengths = kShifts.size();
  static constexpr uint32_t kSpan = 64 / kShifts[0] + 1;
  static constexpr uint32_t kRepointed = 16;
  static_assert(kSpan + kRepointed + 8 <= kSlack);

  static uint64_t shifted(uint64_t x, unsigned by) { return by < 64 ? x << by : 0; }
  void hash_up_to(uint32_t row) {
    uint32_t i = row - hashed_ > kSpan ? row - kSpan : hashed_;
    for (; i != row; ++i) {
      const uint64_t mixed = scramble(at(i) + uint64_t{1});
      for (size_t k = 0; k < kLengths; ++k) hashes_[k] = shifted(hashes_[k], kShifts[k]) + mixed;
    }
    hashed_ = row;
  }
  // An entry of a table of contexts: below, the row modulo the history; above, bits of the hash.
  struct Entry {
    uint32_t& row;
    uint32_t tag;
  };
  Entry entry(size_t k) {
    const uint64_t hash = scramble(hashes_[k]);
    return {contexts_[k][place(hash, shape_.contexts)], static_cast<uint32_t>(hash >> 8) & ~mask_};
  }
  void make_findable(uint32_t row) {
    hash_up_to(row);
    for (size_t k = 0; k < kLengths; ++k) {
      const Entry found = entry(k);
      found.row = found.tag | (row & mask_);
    }
  }
  // Looks for a row that follows what `row` follows, the longest context first; the rows just
  // before repeat it too.
  void find() {
    hash_up_to(row);
    matched = false;
    findable_ = shape_.findable;
    for (size_t k = 1; k < kLengths; ++k) __builtin_prefetch(&entry(k).row, 1);
    for (size_t k = 0; k < kLengths; ++k) {
      const Entry found = entry(k);
      const uint32_t distance = (row - found.row) & mask_;
      if ((found.row & ~mask_) != found.tag || distance - 1 >= limit_) continue;
      const uint32_t alike = alike_before(row, row - distance);
      if (alike == 0) continue;
      matched = true;
      from = row - distance;
      repoint(std::min(alike, row - start_));
      return;
    }
  }
  // How many rows before `a` are as those before `b`, at most kRepointed.
  uint32_t alike_before(uint32_t a, uint32_t b) {
    const uint32_t a_at = a & mask_;
    const uint32_t b_at = b & mask_;
    if (a_at >= kRepointed && b_at >= kRepointed) {
      const Word* const here = values_.data() + a_at;
      const Word* const there = values_.data() + b_at;
      for (uint32_t back = 8; back <= kRepointed; back += 8) {
        const auto other =
            static_cast<uint8_t>(lanes(Eight(here - back).rows != Eight(there - back).rows));
        if (other != 0) return back - 8 + static_cast<uint32_t>(std::countl_zero(other));
      }
      return kRepointed;
    }
    uint32_t alike = 0;
    while (alike < kRepointed && at(a - 1 - alike) == at(b - 1 - alike)) ++alike;
    return alike;
  }
  void repoint(uint32_t rows) {
    const uint32_t first = row - rows;
    while (!segments_.empty() && segments_.back().row - start_ >= first - start_)
      segments_.pop_back();
    if (!segments_.empty()) segments_.back().rows = first - segments_.back().row;
    segments_.push_back({first, rows, from - rows});
  }

  const Shape shape_;
  const uint32_t mask_;
  const uint32_t limit_;
  ZeroedTable<Word> values_;
  std::array<ZeroedTable<uint32_t>, kLengths> contexts_;
  ZeroedTable<Successors> successors_;
  ZeroedTable<Word> known_;
  std::array<uint64_t, kLengths> hashes_{};
  uint32_t hashed_ = 0;    // the hashes cover the rows before this one
  uint32_t findable_ = 0;  // rows of the present run still to enter
  uint32_t start_ = 0;     // of the stretch
  std::vector<Segment> segments_;
};

}  // namespace vestige::repeat
