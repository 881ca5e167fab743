#include "query/machine/tage.h"

namespace vestige {

namespace {

template <class Counter>
void count(Counter& counter, bool up, Counter most) {
  if (up && counter < most) ++counter;
  if (!up && counter > 0) --counter;
}

}  // namespace

TagePredictor::TagePredictor() : base_(size_t{1} << kBaseBits, 1) {
  for (unsigned t = 0; t < kTables; ++t) {
    tables_[t].resize(size_t{1} << kIndexBits);
    index_folds_[t] = {0, kLengths[t], kIndexBits};
    tag_folds_[t] = {0, kLengths[t], kTagBits};
    second_tag_folds_[t] = {0, kLengths[t], kTagBits - 1};
  }
}

uint32_t TagePredictor::index(unsigned table, uint32_t hash) const {
  return (hash ^ hash >> (kIndexBits - table) ^ index_folds_[table].value) &
         ((1u << kIndexBits) - 1);
}

uint16_t TagePredictor::tag(unsigned table, uint32_t hash) const {
  return static_cast<uint16_t>(
      (hash >> 16 ^ tag_folds_[table].value ^ second_tag_folds_[table].value << 1) &
      ((1u << kTagBits) - 1));
}

bool TagePredictor::branch(uint32_t hash, bool taken) {
  int provider = -1, other = -1;
  for (unsigned t = 0; t < kTables; ++t) {
    at_[t] = index(t, hash);
    tags_[t] = tag(t, hash);
    if (tables_[t][at_[t]].tag != tags_[t]) continue;
    other = provider;
    provider = static_cast<int>(t);
  }
  uint8_t& base = base_[hash & ((1u << kBaseBits) - 1)];
  const auto entry = [&](int t) -> Entry& {
    return tables_[static_cast<size_t>(t)][at_[static_cast<size_t>(t)]];
  };
  const bool shorter = other >= 0 ? entry(other).counter >= 4 : base >= 2;
  bool longer = shorter, predicted = shorter;
  if (provider >= 0) {
    Entry& mine = entry(provider);
    longer = predicted = mine.counter >= 4;
    const bool unsure = (mine.counter == 3 || mine.counter == 4) && mine.useful == 0;
    if (unsure && trust_new_ >= 0) predicted = shorter;
    if (unsure && longer != shorter) {
      if (shorter == taken && trust_new_ < 7) ++trust_new_;
      if (shorter != taken && trust_new_ > -8) --trust_new_;
    }
    if (longer != shorter) count<uint8_t>(mine.useful, longer == taken, 3);
    count<uint8_t>(mine.counter, taken, 7);
    // An entry that has not proved itself does not keep the shorter one from learning.
    if (mine.useful == 0) {
      if (other >= 0)
        count<uint8_t>(entry(other).counter, taken, 7);
      else
        count<uint8_t>(base, taken, 3);
    }
  } else {
    count<uint8_t>(base, taken, 3);
  }
  if (longer != taken && provider + 1 < static_cast<int>(kTables))
    allocate(static_cast<unsigned>(provider + 1), taken);
  if (++branches_ % kForgetEvery == 0) forget();
  note(taken);
  return predicted != taken;
}

// The first useless entry from `first` on; half of the time the second one.
void TagePredictor::allocate(unsigned first, bool taken) {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  bool skip = (random_ & 1) != 0;
  int chosen = -1;
  for (unsigned t = first; t < kTables; ++t) {
    if (tables_[t][at_[t]].useful != 0) continue;
    chosen = static_cast<int>(t);
    if (!skip) break;
    skip = false;
  }
  if (chosen >= 0) {
    const auto t = static_cast<size_t>(chosen);
    tables_[t][at_[t]] = {tags_[t], static_cast<uint8_t>(taken ? 4 : 3), 0};
    return;
  }
  for (unsigned t = first; t < kTables; ++t) --tables_[t][at_[t]].useful;
}

// What was useful once does not stay so for ever: one of the two bits goes, in turns.
void TagePredictor::forget() {
  const uint8_t keep = branches_ / kForgetEvery % 2 == 1 ? 1 : 2;
  for (std::vector<Entry>& table : tables_)
    for (Entry& entry : table) entry.useful &= keep;
}

void TagePredictor::note(bool bit) {
  newest_ = (newest_ + 1) % kHistory;
  for (unsigned t = 0; t < kTables; ++t) {
    const bool oldest = history_[(newest_ + kHistory - kLengths[t]) % kHistory];
    index_folds_[t].push(bit, oldest);
    tag_folds_[t].push(bit, oldest);
    second_tag_folds_[t].push(bit, oldest);
  }
  history_[newest_] = bit;
}

std::unique_ptr<DirectionPredictor> make_direction_predictor(PredictorKind kind) {
  if (kind == PredictorKind::gshare) return std::make_unique<GsharePredictor>();
  return std::make_unique<TagePredictor>();
}

}  // namespace vestige
