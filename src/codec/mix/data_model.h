// A column of values that belong to PCs: loaded values, addresses, branch targets. The PCs of the
// whole block are known when it is coded, so a value's context is where the program came from *and*
// where it went next.
//
// Stage A looks in two places. The path place, keyed by this PC, the next one and the two before,
// holds three predictions at once: the value seen there last, its difference to the column's value
// before (a stack pointer moves by the same step on the same path), and its difference to this
// instruction's last value (a stride that depends on the path). The local place is keyed by this
// instruction's last two values (the paper's FCM of order 2). Both can be fetched ahead of time.
//
// Stage B adds, for what stage A is unsure of or gets wrong: the instruction's last value, the one
// before that was different, and its stride; FCM of order 1, DFCM of order 2; the value that
// followed the column's last value here (global value); and the step from the column's last value
// that followed its last step on this path (global stride). Up to four candidates are tried, the
// most trusted first. What is left is a literal.
//
// The predictors are those of Burtscher and Jeeradit's VPC (predict/), chosen for how much each
// adds; what departs from the paper: paths as contexts, global strides, mixing instead of picking.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/mix/hashing.h"
#include "codec/mix/literal.h"
#include "codec/mix/mixer.h"
#include "codec/mix/prediction.h"
#include "codec/mix/range_coder.h"
#include "codec/mix/witness.h"

namespace vestige::mix {

struct DataSizes {
  unsigned a_bits = 15, b_bits = 15, line_bits = 14, literal_bits = 15;  // log2 of the tables
};

template <class Coder>
class DataModel {
 public:
  DataModel(const DataSizes& sizes, uint64_t mask)
      : mask_(mask),
        a_shift_(64 - sizes.a_bits),
        b_shift_(64 - sizes.b_bits),
        line_shift_(64 - sizes.line_bits),
        paths_(size_t{1} << sizes.a_bits),
        locals_(size_t{1} << sizes.a_bits),
        lines_(size_t{1} << sizes.line_bits),
        stage_a_(16 * 64, 3),
        stage_b_(kTries * 256, 6),
        literals_(sizes.literal_bits) {
    for (auto& table : places_) table.resize(size_t{1} << sizes.b_bits);
  }

  // Codes the values, or fills them in. `left` is the field before this one in the same rows, or
  // empty.
  void run(Coder& coder, std::span<const uint64_t> pcs, ColumnOf<Coder> values,
           std::span<const uint64_t> left, Witness* witness) {
    hash_paths(pcs);
    for (size_t i = 0; i < values.size(); ++i) {
      prefetch(i);
      pc_ = pcs[i];
      here_ = pc_hash_[i];
      next_ = pc_hash_[i + 1];
      neighbour_ = left.empty() ? global_ : left[i];
      const uint64_t coded = step(coder, values[i], path_hash_[i], witness);
      if constexpr (Coder::kDecoding) values[i] = coded;
    }
  }

  // Whether every value is its instruction's last one: then nothing needs to be coded or learnt.
  // Only the encoder asks.
  bool all_as_last(std::span<const uint64_t> pcs, std::span<const uint64_t> values) const {
    for (size_t i = 0; i < values.size(); ++i) {
      if (lines_[hashed(pcs[i] + kPcSalt) >> line_shift_].last[0] != values[i]) return false;
    }
    return true;
  }
  void fill_as_last(std::span<const uint64_t> pcs, std::span<uint64_t> values) const {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = lines_[hashed(pcs[i] + kPcSalt) >> line_shift_].last[0];
  }

  static std::vector<const char*> predictor_names() {
    return {"path",   "path+global",   "path+last", "fcm2",       "fcm1",  "dfcm2",
            "global", "global-stride", "last",      "last-other", "stride"};
  }

 private:
  static constexpr size_t kStageA = 4, kHashed = 4, kLocal = 3;
  static constexpr size_t kPredictors = kStageA + kHashed + kLocal;
  static constexpr size_t kTries = 4;
  static constexpr uint64_t kPcSalt = 77;
  static constexpr size_t kAhead = 16;
  static constexpr uint32_t kSure = 65300;         // right again: nothing to learn
  static constexpr uint16_t kOftenMissed = 60000;  // stage A: fetch what stage B needs, too

  struct alignas(32) PathPlace {
    std::array<uint64_t, 3> value{};
    uint32_t check = 0;
    std::array<Confidence, 3> confidence{};
  };
  // What is known of one instruction.
  struct alignas(64) Line {
    std::array<uint64_t, 3> last{};  // its last values, the latest first
    uint64_t other = 0;              // the latest that differs from last[0]
    uint64_t stride = 0;             // the last step that came twice in a row
    std::array<Confidence, kLocal> confidence{};
    std::array<uint16_t, 4> hit_rate = {32768, 32768, 32768, 32768};  // stage A, attempts of B
    uint8_t shape = 0;                                                // of its last literal
  };

  void hash_paths(std::span<const uint64_t> pcs) {
    const size_t n = pcs.size();
    pc_hash_.assign(n + kAhead, 0);
    path_hash_.assign(n + kAhead, 0);
    for (size_t i = 0; i < n; ++i) pc_hash_[i] = hashed(pcs[i] + kPcSalt);
    uint64_t one = one_before_, two = two_before_;
    for (size_t i = 0; i < n; ++i) {
      path_hash_[i] = hashed(pc_hash_[i] + pc_hash_[i + 1] * 3 + one * 5 + two * 7);
      two = one;
      one = pc_hash_[i];
    }
  }
  void prefetch(size_t i) const {
    __builtin_prefetch(&lines_[pc_hash_[i + 14] >> line_shift_]);
    __builtin_prefetch(&paths_[path_hash_[i + 10] >> a_shift_]);
    const uint64_t soon = pc_hash_[i + 5];
    const Line& line = lines_[soon >> line_shift_];
    __builtin_prefetch(&locals_[local_hash(soon, line) >> a_shift_]);
    if (line.hit_rate[0] < kOftenMissed) {
      __builtin_prefetch(&places_[0][value_hash(soon, line) >> b_shift_]);
      __builtin_prefetch(&places_[1][step_hash(soon, line) >> b_shift_]);
    }
  }
  static uint64_t local_hash(uint64_t pc_hash, const Line& line) {
    return hashed(pc_hash + line.last[0] * kHashB + hashed(line.last[1] + 3));
  }
  static uint64_t value_hash(uint64_t pc_hash, const Line& line) {
    return hashed(pc_hash + line.last[0] * kHashB);
  }
  static uint64_t step_hash(uint64_t pc_hash, const Line& line) {
    return hashed(pc_hash + (line.last[0] - line.last[1]) * kHashB +
                  hashed(line.last[1] - line.last[2] + 5));
  }

  uint64_t step(Coder& coder, uint64_t value, uint64_t path_hash, Witness* witness) {
    Line& line = lines_[here_ >> line_shift_];
    const uint64_t last = line.last[0];
    PathPlace& path = paths_[path_hash >> a_shift_];
    if (path.check != static_cast<uint32_t>(path_hash)) [[unlikely]] {
      path.check = static_cast<uint32_t>(path_hash);
      path.confidence = {};
    }
    const uint64_t local_at = local_hash(here_, line);
    Place& local = locals_[local_at >> a_shift_];
    local.claim(local_at);

    // In variables of their own, not in arrays: what is written piece by piece and read as a vector
    // stalls.
    const uint64_t c0 = path.value[0], c1 = (path.value[1] + global_) & mask_;
    const uint64_t c2 = (path.value[2] + last) & mask_, c3 = local.value;
    const int16_t e0 = trust_[0].evidence(path.confidence[0]);
    const int16_t e1 = trust_[1].evidence(path.confidence[1]);
    const int16_t e2 = trust_[2].evidence(path.confidence[2]);
    const int16_t e3 = trust_[3].evidence(local.confidence);
    const bool odd = e1 > e0, odd_high = e3 > e2;
    const bool high = (odd_high ? e3 : e2) > (odd ? e1 : e0);
    const uint64_t favourite = high ? (odd_high ? c3 : c2) : (odd ? c1 : c0);
    const bool s0 = c0 == favourite, s1 = c1 == favourite, s2 = c2 == favourite,
               s3 = c3 == favourite;
    const Mixer<1>::Inputs inputs = {Lanes{vote(s0, e0), vote(s1, e1), vote(s2, e2), vote(s3, e3),
                                           stretch(line.hit_rate[0]), 256, 0, 0}};
    const size_t set = size_t{s0 + 2u * s1 + 4u * s2 + 8u * s3} * 64 + (here_ >> 58);
    const uint32_t p = squash(stage_a_.mix(inputs, set));
    bool hit = false, tried = false;
    if (p >= 32768) [[likely]] {
      tried = true;
      hit = coder.code(value == favourite, p);
      if (!hit || p < kSure) {
        stage_a_.learn(inputs, set, hit, p);
        learn(line.hit_rate[0], hit, 5);
      }
    }
    if (hit) [[likely]] {
      value = favourite;
      if (witness) [[unlikely]]
        witness->saw(pc_, high ? 2 + odd_high : odd);
    } else {
      candidate_[0] = c0, candidate_[1] = c1, candidate_[2] = c2, candidate_[3] = c3;
      evidence_[0] = e0, evidence_[1] = e1, evidence_[2] = e2, evidence_[3] = e3;
      value = choose_among_all(coder, value, favourite, tried, line, witness);
    }
    settle(path.value[0], path.confidence[0], value, trust_[0]);
    settle(path.value[1], path.confidence[1], (value - global_) & mask_, trust_[1]);
    settle(path.value[2], path.confidence[2], (value - last) & mask_, trust_[2]);
    settle(local.value, local.confidence, value, trust_[3]);
    advance(line, value);
    return value;
  }

  [[gnu::noinline]] uint64_t choose_among_all(Coder& coder, uint64_t value, uint64_t favourite,
                                              bool tried, Line& line, Witness* witness) {
    const std::array<uint64_t, kHashed> hash = {
        value_hash(here_, line), step_hash(here_, line), hashed(here_ + neighbour_ * kHashB + 0x55),
        hashed(here_ + (global_ - global_before_) * kHashB + next_ * 5 + one_before_)};
    const std::array<uint64_t, kHashed> base = {0, line.last[0], 0, global_};
    std::array<Place*, kHashed> place;
    for (size_t k = 0; k < kHashed; ++k) {
      place[k] = &places_[k][hash[k] >> b_shift_];
      place[k]->claim(hash[k]);
      candidate_[kStageA + k] = (place[k]->value + base[k]) & mask_;
      evidence_[kStageA + k] = trust_[kStageA + k].evidence(place[k]->confidence);
    }
    constexpr size_t kFirstLocal = kStageA + kHashed;
    candidate_[kFirstLocal] = line.last[0];
    candidate_[kFirstLocal + 1] = line.other;
    candidate_[kFirstLocal + 2] = (line.last[0] + line.stride) & mask_;
    for (size_t k = 0; k < kLocal; ++k)
      evidence_[kFirstLocal + k] = trust_[kFirstLocal + k].evidence(line.confidence[k]);

    if (Coder::kDecoding && line.hit_rate[3] < 32768)
      literals_.prefetch_first(line.shape, hashed(here_ + 99), line.last[0]);
    value = try_candidates(coder, value, favourite, tried, line, witness);

    for (size_t k = 0; k < kHashed; ++k) {
      settle(place[k]->value, place[k]->confidence, (value - base[k]) & mask_, trust_[kStageA + k]);
    }
    for (size_t k = 0; k < kLocal; ++k)
      trust_[kFirstLocal + k].learn(line.confidence[k], candidate_[kFirstLocal + k] == value);
    return value;
  }

  uint64_t try_candidates(Coder& coder, uint64_t value, uint64_t favourite, bool tried, Line& line,
                          Witness* witness) {
    const Mixer<2>::Inputs evidence = {
        Lanes{evidence_[0], evidence_[1], evidence_[2], evidence_[3], evidence_[4], evidence_[5],
              evidence_[6], evidence_[7]},
        Lanes{evidence_[8], evidence_[9], evidence_[10], 0, 0, 0, 0, 0}};
    unsigned out = 0;  // predictors whose candidate was refused already
    for (size_t k = 0; k < kPredictors; ++k)
      out |= static_cast<unsigned>(tried && candidate_[k] == favourite) << k;
    for (size_t attempt = 0; attempt < kTries; ++attempt) {
      int best = -1;
      for (size_t k = 0; k < kPredictors; ++k) {
        if (!(out >> k & 1) && (best < 0 || evidence_[k] > evidence_[static_cast<size_t>(best)]))
          best = static_cast<int>(k);
      }
      if (best < 0) break;
      const uint64_t candidate = candidate_[static_cast<size_t>(best)];
      unsigned agree = 0;
      for (size_t k = 0; k < kPredictors; ++k)
        agree |= static_cast<unsigned>(candidate_[k] == candidate) << k;
      uint16_t& hits = line.hit_rate[1 + std::min<size_t>(attempt, 2)];
      const Mixer<2>::Inputs inputs = {
          votes(evidence[0], agree & 255, out & 255),
          votes(evidence[1], agree >> 8, out >> 8) | Lanes{0, 0, 0, 0, stretch(hits), 256, 0, 0}};
      const size_t set = attempt * 256 + (here_ >> 56);
      const uint32_t p = squash(stage_b_.mix(inputs, set));
      const bool hit = coder.code(value == candidate, p);
      stage_b_.learn(inputs, set, hit, p);
      learn(hits, hit, 5);
      if (hit) {
        if (witness) witness->saw(pc_, static_cast<size_t>(best));
        return candidate;
      }
      out |= agree;
    }
    if (witness) witness->saw(pc_, witness->none());
    return literals_.code(coder, value, hashed(here_ + 99), line.last[0], line.shape) & mask_;
  }

  void advance(Line& line, uint64_t value) {
    const uint64_t last = line.last[0];
    const bool again = value == last;
    line.confidence[0] = after(line.confidence[0], again);
    line.confidence[1] = after(line.confidence[1], value == line.other);
    line.confidence[2] = after(line.confidence[2], value == ((last + line.stride) & mask_));
    if (!again) line.other = last;
    const uint64_t step = value - last;
    if (step == last - line.last[1]) line.stride = step;
    line.last = {value, last, line.last[1]};
    global_before_ = global_;
    global_ = value;
    two_before_ = one_before_;
    one_before_ = here_;
  }

  uint64_t mask_;
  unsigned a_shift_, b_shift_, line_shift_;
  std::vector<PathPlace> paths_;
  std::vector<Place> locals_;
  std::vector<Line> lines_;
  std::array<std::vector<Place>, kHashed> places_;  // fcm1, dfcm2, global, global stride
  std::array<Trust, kPredictors> trust_;
  Mixer<1> stage_a_;
  Mixer<2> stage_b_;
  LiteralModel<Coder> literals_;

  std::vector<uint64_t> pc_hash_, path_hash_;  // of the block at hand, kAhead zeros behind
  uint64_t global_ = 0, global_before_ = 0;    // the column's last two values
  uint64_t one_before_ = 0, two_before_ = 0;   // hashes of the last two PCs
  // The value at hand.
  uint64_t pc_ = 0, here_ = 0, next_ = 0, neighbour_ = 0;
  std::array<uint64_t, kPredictors> candidate_{};
  std::array<int16_t, kPredictors> evidence_{};
};

}  // namespace vestige::mix
