// How likely each number of an irregular stream is: what all literals of a form are coded with.
//
// Numbers come in the order in which they are played (literal_bytes.h), so what was played just
// before is known.
//
// Idea. What looks irregular follows from data structures, and they are gone through again and
// again: by the next sweep of a solver, by other statements (with elements of other sizes), by
// neighbours of a cell; and they change little meanwhile. The address of an element of an index
// array tells what is read next, unless the array was changed. So a number is predicted by what it
// was when
//
//   - the last numbers of its stream moved like this (one, two, three differences);
//   - its stream was where it is now;
//   - the last address played was this one; the last two; the last one, and those from which the loop around was
//     entered;
//   - the last address played, or the one before it, was this one, and another stream asked (streams learn by how much they are apart);
//
// by going on as the last address played does, and by what followed, in all streams, when the last
// numbers of all streams were like these: the longest such place is followed on (a match). Numbers
// are in units of their stream, so that elements of 4, 8 and 24 bytes look alike.
//
// Predictions that agree are one candidate. Whether it is right is one bit, whose probability mixes
// how often each predictor was right when it was as sure as now. Four candidates are tried; then
// the number is coded by its length. In a match that has been right for long, one bit says that it
// goes on, and nothing else is looked at: sweeps that are repeated cost a few thousandths of a bit
// and some 10 ns a number.
//
// What a number is looked up by lies in no cache. An encoder knows the numbers that follow: it asks
// memory for what they will be looked up by kWaiting numbers before they are coded.
//
// Cost: history and tables grow with the numbers there are, up to 32 + 90 MiB. Encoder and decoder
// run the same code (codec/entropy/range_coder.h); a model belongs to one of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/zeroed_table.h"
#include "codec/entropy/mixer.h"
#include "codec/entropy/range_coder.h"
#include "codec/sequitur/bit_model.h"

namespace vestige::spmd {

// What was played just before; and from where the innermost loop was entered, its last address and
// the one before.
struct Played {
  uint64_t last = 0, before = 0;
  std::array<uint64_t, 2> around{};
};

// The same of a thread that goes on.
class PlayedLately {
 public:
  void see(uint64_t address) {
    before_ = last_;
    last_ = address;
  }
  void enter_loop() { loops_.push_back({last_, before_}); }
  void leave_loop() {
    if (!loops_.empty()) loops_.pop_back();
  }
  Played now() const {
    return {last_, before_, loops_.empty() ? std::array<uint64_t, 2>{} : loops_.back()};
  }

 private:
  uint64_t last_ = 0, before_ = 0;
  std::vector<std::array<uint64_t, 2>> loops_;
};

template <class Coder>
class LiteralModel {
 public:
  // `numbers`: how many there will be, about; both sides say the same.
  LiteralModel(Coder& coder, uint64_t numbers)
      : coder_(coder),
        table_bits_(std::clamp<unsigned>(std::bit_width(numbers), 8, kMostTableBits)),
        history_mask_(
            (uint64_t{1} << std::clamp<unsigned>(std::bit_width(numbers), 8, kMostHistoryBits)) -
            1),
        mixer_(kRounds * 64, 4),
        sure_(64) {
    history_ = ZeroedTable<Past>(history_mask_ + 1);
    heads_ = ZeroedTable<uint64_t>(size_t{1} << table_bits_);
    for (auto& table : tables_) table = ZeroedTable<Entry>(size_t{1} << table_bits_);
    for (auto& table : others_) table = ZeroedTable<Other>(size_t{1} << table_bits_);
    apart_.resize(kApart);
    escapes_.resize(kClasses);
    for (auto& levels : right_)
      for (size_t l = 0; l < levels.size(); ++l)
        levels[l] =
            sequitur::AdaptiveBit(static_cast<uint16_t>(20000 + 2000 * std::min<size_t>(l, 20)));
  }

  // A list of numbers: where it is now. `stream` says whose it is, among all threads; `list` is its
  // own number.
  struct List {
    List(uint32_t list, uint32_t stream, uint64_t unit)
        : number(list), place(hash(list)), kind(hash(stream)), unit(unit) {}
    struct Where {
      uint64_t at = 0;                   // in units, from the first number
      std::array<uint64_t, 3> recent{};  // differences, the last one first
      void move(uint64_t difference) {
        recent = {difference, recent[0], recent[1]};
        at += difference;
      }
    };
    uint32_t number;
    uint64_t place, kind, unit;
    Where where, ahead;                    // ahead: behind the numbers that wait, too
    uint64_t seen = 0, rise = 1, run = 1;  // the address played before it, and how the two moved
  };

  // Anything that is not a number of a list, adaptively: `what` says which kind of it, below 8.
  uint64_t number(size_t what, uint64_t value) { return plain_[what].code(coder_, value); }

  // The next number of the list: its difference from the one before, in units.
  uint64_t code(List& list, const Played& played, uint64_t difference) {
    return code(list, played, difference, nullptr);
  }
  // The same, to be coded when some more have come, or code_waiting() is called. The list must live
  // until then, and nothing else be coded.
  void code_later(List& list, const Played& played, uint64_t difference) {
    if (last_waiting_ - first_waiting_ == kWaiting) code_first_waiting();
    Waiting& waiting = waiting_[last_waiting_++ % kWaiting];
    waiting = {&list, played, difference, {}, matched_ < kSure + kWaiting};
    if (waiting.looked_up) {
      waiting.keys = keys_of(list, list.ahead, played);
      waiting.keys.head = head_key(list, difference, ahead_);
      fetch(waiting.keys);
    }
    list.ahead.move(difference);
    move(ahead_, difference + list.kind);
  }
  void code_waiting() {
    while (first_waiting_ != last_waiting_) code_first_waiting();
  }

 private:
  static constexpr unsigned kMostTableBits = 19, kMostHistoryBits = 21;
  static constexpr size_t kSure = 16, kClasses = 256, kApart = 1 << 12, kWaiting = 8;
  static constexpr size_t kTables = 8, kOthers = 2, kPredictors = kTables + kOthers + 2;
  static constexpr size_t kAlong = kTables + kOthers, kMatch = kAlong + 1, kRounds = 4;
  static constexpr uint64_t kNoGood = 8;  // misses, about, that end a match
  static constexpr size_t kReach = 5;     // numbers that a match begins with
  static constexpr uint64_t kAhead = 12;  // how far a match looks for a list's next number
  static constexpr uint8_t kMostTrust = 15;

  // By which a number is looked up.
  struct Keys {
    std::array<uint64_t, kTables> tables;
    std::array<uint64_t, kOthers> others;
    uint64_t head;  // who encodes knows already where follow() will look
  };
  struct Waiting {
    List* list;
    Played played;
    uint64_t difference;
    Keys keys;
    bool looked_up;
  };
  using Recent = std::array<uint64_t, kReach>;

  void code_first_waiting() {
    const Waiting& waiting = waiting_[first_waiting_++ % kWaiting];
    code(*waiting.list, waiting.played, waiting.difference,
         waiting.looked_up ? &waiting.keys : nullptr);
  }

  uint64_t code(List& list, const Played& played, uint64_t difference, const Keys* keys) {
    bool wrong = false;
    uint64_t expected = 0;
    if (matched_ >= kSure && history_[match_ & history_mask_].list == list.number) {
      expected = history_[match_ & history_mask_].difference;
      auto& model = sure_[std::min<size_t>(matched_ / kSure, sure_.size() - 1)];
      if (code_bit(coder_, model, difference == expected)) {
        push(list, played, expected);
        ++match_;
        ++matched_;
        return expected;
      }
      wrong = true;
    }
    if (keys) return code_slowly(list, played, difference, wrong, expected, *keys);
    Keys now = keys_of(list, list.where, played);
    if constexpr (!Coder::kDecoding) now.head = head_key(list, difference, recent_);
    fetch(now);
    return code_slowly(list, played, difference, wrong, expected, now);
  }

  struct Entry {
    uint64_t next = 0;
    uint32_t check = 0;
    uint8_t trust = 0;
    bool used = false;
  };
  struct Other {  // what another list was at
    uint64_t at = 0;
    uint32_t check = 0, list = 0;
  };
  struct Apart {  // how far two lists are apart
    uint64_t by = 0;
    uint32_t check = 0, trust = 0;
  };
  struct Past {
    uint64_t difference = 0;
    uint32_t list = 0;
  };
  struct Guess {
    uint64_t next = 0;
    size_t level = 0;
    int evidence = 0;
    bool there = false;
  };
  using Guesses = std::array<Guess, kPredictors>;

  static uint64_t hash(uint64_t a) {
    a *= 0x9e3779b97f4a7c15;
    a ^= a >> 32;
    a *= 0xd6e8feb86659fd93;
    return a ^ a >> 29;
  }
  static uint64_t hash(uint64_t a, uint64_t b) { return hash(a * 0x9e3779b97f4a7c15 + b + 1); }

  static void move(Recent& recent, uint64_t number) {
    for (size_t i = recent.size(); i-- > 1;) recent[i] = recent[i - 1];
    recent[0] = number;
  }
  void push(List& list, const Played& played, uint64_t difference) {
    history_[end_++ & history_mask_] = {difference, list.number};
    move(recent_, difference + list.kind);
    list.where.move(difference);
    const uint64_t run = played.last - list.seen;
    if (run != 0 && difference != 0) {
      list.rise = difference;
      list.run = run;
    }
    list.seen = played.last;
  }

  static Keys keys_of(const List& list, const typename List::Where& where, const Played& played) {
    const auto& [d1, d2, d3] = where.recent;
    const uint64_t one = hash(list.kind, d1), two = hash(one, d2);
    const uint64_t here = hash(list.place + 1, played.last);
    const uint64_t inside = hash(here + 2, played.around[0]);
    return {{one, two, hash(two, d3), hash(list.place, where.at), here, hash(here, played.before),
             inside, hash(inside, played.around[1])},
            {hash(played.last), hash(played.before + 1)},
            0};
  }
  // Most of these are in no cache: all are asked for at once.
  void fetch(const Keys& keys) {
    for (size_t t = 0; t < kTables; ++t)
      __builtin_prefetch(&tables_[t][keys.tables[t] >> (64 - table_bits_)], 1);
    for (size_t o = 0; o < kOthers; ++o)
      __builtin_prefetch(&others_[o][keys.others[o] >> (64 - table_bits_)], 1);
    if constexpr (!Coder::kDecoding) __builtin_prefetch(&head_of(keys.head), 1);
  }

  uint64_t code_slowly(List& list, const Played& played, uint64_t difference, bool wrong,
                       uint64_t tried, const Keys& looked_up) {
    const auto& [keys, asked, head_key] = looked_up;
    const uint64_t at = list.where.at;
    std::array<Entry*, kTables> entries;
    for (size_t t = 0; t < kTables; ++t) entries[t] = &tables_[t][keys[t] >> (64 - table_bits_)];
    std::array<Other*, kOthers> others;
    for (size_t o = 0; o < kOthers; ++o) others[o] = &others_[o][asked[o] >> (64 - table_bits_)];
    Guesses guesses;
    for (size_t t = 0; t < kTables; ++t) {
      Entry& found = *entries[t];
      if (!found.used || found.check != static_cast<uint32_t>(keys[t])) continue;
      const uint64_t next = t < 3 ? found.next : found.next - at;
      guesses[t] = {next, found.trust, right_[t][found.trust].evidence(), true};
    }
    for (size_t o = 0; o < kOthers; ++o) {
      Other& other = *others[o];
      if (other.check != static_cast<uint32_t>(asked[o]) || other.list == 0) continue;
      const Apart& apart = apart_of(other, list);
      if (apart.check != check_of(other, list)) continue;
      guesses[kTables + o] = {other.at + apart.by - at, apart.trust,
                              right_[kTables + o][apart.trust].evidence(), true};
    }
    const uint64_t run = played.last - list.seen;
    if (const auto along = times(run, list.rise, list.run); along.there)
      guesses[kAlong] = {along.next, run == list.run, right_[kAlong][run == list.run].evidence(),
                         true};
    look_ahead(list);
    if (match_ != 0 && !wrong && history_[match_ & history_mask_].list == list.number) {
      const size_t level =
          8 * std::min<uint64_t>(missed_, 7) + std::min<size_t>(std::bit_width(matched_), 7);
      guesses[kMatch] = {history_[match_ & history_mask_].difference, level,
                         right_[kMatch][level].evidence(), true};
    }
    if constexpr (!Coder::kDecoding)
      __builtin_prefetch(&history_[(head_of(head_key) - 1) & history_mask_]);
    difference = choose(list, guesses, wrong, tried, difference);
    for (size_t k = 0; k < kPredictors; ++k)
      if (guesses[k].there) right_[k][guesses[k].level].learn(guesses[k].next == difference);
    for (size_t t = 0; t < kTables; ++t)
      learn(*entries[t], static_cast<uint32_t>(keys[t]), t < 3 ? difference : at + difference);
    for (size_t o = 0; o < kOthers; ++o) {
      Other& other = *others[o];
      if (other.check == static_cast<uint32_t>(asked[o]) && other.list != 0)
        learn(other, list, at + difference);
      other = {at + difference, static_cast<uint32_t>(asked[o]), list.number + 1};
    }
    follow(list, played, difference);
    return difference;
  }

  struct Along {
    uint64_t next = 0;
    bool there = false;
  };
  // Which part of the run the rise was before.
  static Along times(uint64_t run, uint64_t rise, uint64_t before) {
    if (run == before) return {rise, true};
    const auto a = static_cast<int64_t>(run), b = static_cast<int64_t>(before),
               r = static_cast<int64_t>(rise);
    constexpr int64_t kMost = int64_t{1} << 31;
    if (a >= kMost || a <= -kMost || r >= kMost || r <= -kMost || b == 0 || b == -1 ||
        a * r % b != 0)
      return {};
    return {static_cast<uint64_t>(a * r / b), true};
  }

  static uint64_t pair_of(const Other& other, const List& list) {
    return hash(uint64_t{other.list} << 32 | list.number);
  }
  static uint32_t check_of(const Other& other, const List& list) {
    return static_cast<uint32_t>(pair_of(other, list)) | 1;
  }
  Apart& apart_of(const Other& other, const List& list) {
    return apart_[pair_of(other, list) >> 52];
  }
  void learn(const Other& other, const List& list, uint64_t at) {
    Apart& apart = apart_of(other, list);
    const uint64_t by = at - other.at;
    if (apart.check == check_of(other, list) && apart.by == by) {
      if (apart.trust < kMostTrust) ++apart.trust;
    } else if (apart.check == check_of(other, list) && apart.trust > 1) {
      apart.trust /= 2;
    } else {
      apart = {by, check_of(other, list), 0};
    }
  }

  // Predictors that say the same.
  struct Candidate {
    uint64_t next = 0;
    int sum = 0;         // how sure they are together
    unsigned first = 0;  // of them
    unsigned members = 0;
  };
  // Predictors in their order, so that candidates are in the order of their first ones.
  struct Candidates {
    std::array<Candidate, kPredictors> all;
    size_t count = 0;
    void add(unsigned predictor, const Guess& guess) {
      size_t c = 0;
      while (c < count && all[c].next != guess.next) ++c;
      if (c == count) all[count++] = {guess.next, 0, predictor, 0};
      all[c].sum += guess.evidence + 2048;
      all[c].members |= 1u << predictor;
    }
    // The one that is most likely, the first of equals; it is not there any more.
    Candidate take() {
      size_t best = 0;
      for (size_t c = 1; c < count; ++c)
        if (all[c].sum > all[best].sum) best = c;
      const Candidate taken = all[best];
      std::copy(all.begin() + best + 1, all.begin() + count, all.begin() + best);
      --count;
      return taken;
    }
  };

  // Tries what is guessed, the most likely first.
  uint64_t choose(const List& list, const Guesses& guesses, bool wrong, uint64_t tried_one,
                  uint64_t difference) {
    Candidates candidates;
    mix::Mixer<2>::Inputs against{};  // what each says against what others say
    for (unsigned k = 0; k < kPredictors; ++k) {
      if (!guesses[k].there || (wrong && guesses[k].next == tried_one)) continue;
      candidates.add(k, guesses[k]);
      against[k / 8][k % 8] = static_cast<int16_t>(std::min(0, -guesses[k].evidence));
    }
    against[1][7] = 256;
    for (size_t round = 0; round < kRounds && candidates.count != 0; ++round) {
      const Candidate candidate = candidates.take();
      mix::Mixer<2>::Inputs inputs = against;
      for (unsigned left = candidate.members; left != 0; left &= left - 1) {
        const auto k = static_cast<unsigned>(std::countr_zero(left));
        inputs[k / 8][k % 8] = static_cast<int16_t>(guesses[k].evidence);
        against[k / 8][k % 8] = 0;
      }
      const auto agree = static_cast<size_t>(std::popcount(candidate.members));
      const size_t set = 64 * round + 4 * candidate.first + std::min<size_t>(agree, 4) - 1;
      const uint32_t p = mix::squash(mixer_.mix(inputs, set));
      const bool hit = coder_.code(difference == candidate.next, p);
      mixer_.learn(inputs, set, hit, p);
      if (hit) return candidate.next;
    }
    const uint64_t folded =
        escapes_[list.kind % kClasses].code(coder_, difference << 1 ^ -(difference >> 63));
    return folded >> 1 ^ -(folded & 1);
  }

  static void learn(Entry& entry, uint32_t check, uint64_t next) {
    if (!entry.used || entry.check != check) {
      // Who was right often stays a while.
      if (entry.used && entry.trust > 3) {
        entry.trust -= 2;
        return;
      }
      entry = {next, check, 0, true};
    } else if (entry.next == next) {
      if (entry.trust < kMostTrust) ++entry.trust;
    } else if (entry.trust > 1) {
      entry.trust /= 2;
    } else {
      entry.next = next;
      entry.trust = 0;
    }
  }

  // Where another list comes next in the match, this one's number may be a little further: what
  // lies between did not happen this time.
  void look_ahead(const List& list) {
    if (match_ == 0 || history_[match_ & history_mask_].list == list.number) return;
    for (uint64_t ahead = 1; ahead < kAhead && match_ + ahead < end_; ++ahead) {
      if (history_[(match_ + ahead) & history_mask_].list != list.number) continue;
      match_ += ahead;
      matched_ = 0;
      ++missed_;
      return;
    }
  }

  // Where numbers were like the last ones and this one.
  static uint64_t head_key(const List& list, uint64_t difference, const Recent& recent) {
    uint64_t key = hash(0, difference + list.kind);
    for (size_t i = 0; i + 1 < recent.size(); ++i) key = hash(key, recent[i]);
    return key;
  }
  uint64_t& head_of(uint64_t key) { return heads_[key >> (64 - table_bits_)]; }

  // Takes the number in, and the match on; finds one when there is none.
  void follow(List& list, const Played& played, uint64_t difference) {
    if (match_ != 0) {
      const Past& past = history_[match_ & history_mask_];
      if (past.list != list.number) {  // more than then
        matched_ = 0;
        ++missed_;
      } else {
        if (past.difference == difference) {
          ++matched_;
          if (missed_ != 0 && matched_ % 4 == 0) --missed_;
        } else {
          matched_ = 0;
          ++missed_;
        }
        ++match_;
      }
      if (missed_ >= kNoGood || match_ >= end_ || end_ - match_ > history_mask_ - 64)
        match_ = matched_ = missed_ = 0;
    }
    uint64_t& head = head_of(head_key(list, difference, recent_));
    push(list, played, difference);
    if (matched_ < kReach && head != 0 && head != match_ && end_ - head < history_mask_ - 64) {
      uint64_t length = 0;
      while (length < 32 && length < head) {
        const Past &a = history_[(head - 1 - length) & history_mask_],
                   &b = history_[(end_ - 1 - length) & history_mask_];
        if (a.difference != b.difference || a.list != b.list) break;
        ++length;
      }
      if (length >= kReach) {
        match_ = head;
        matched_ = length;
        missed_ = 0;
      }
    }
    head = end_;
  }

  Coder& coder_;
  unsigned table_bits_;
  uint64_t history_mask_;
  ZeroedTable<Past> history_;                      // of all lists
  uint64_t end_ = 0;                               // how many there were
  uint64_t match_ = 0, matched_ = 0, missed_ = 0;  // where what comes now came before; 0: nowhere
  ZeroedTable<uint64_t> heads_;                    // behind the last of so many numbers
  Recent recent_{};                                // of all lists, the last one first
  Recent ahead_{};                                 // behind those that wait, too
  std::array<Waiting, kWaiting> waiting_{};
  uint64_t first_waiting_ = 0, last_waiting_ = 0;
  std::array<ZeroedTable<Entry>, kTables> tables_;
  std::array<ZeroedTable<Other>, kOthers> others_;
  std::vector<Apart> apart_;
  std::array<std::array<sequitur::AdaptiveBit, 64>, kPredictors> right_;
  mix::Mixer<2> mixer_;
  std::vector<sequitur::AdaptiveBit> sure_;
  std::vector<sequitur::NumberModel> escapes_;
  std::array<sequitur::NumberModel, 8> plain_;
};

}  // namespace vestige::spmd
