// What a coder expects next of a grammar that is written in the order of the stream: the beliefs
// behind the bits of grammar_bytes.h, the same for writing and reading.
//
// A grammar has little repetition left to exploit (no pair occurs twice), so a symbol is predicted
// from what it expands to and from what was expanded before it, which both sides know because rules
// are written where they are first used:
//   - its first terminal follows from the last terminals almost always;
//   - among the symbols that begin with that terminal (its class) the frequent ones are likely, and
//     which are, depends on the last terminals again.
//
// Thread safety: none.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/hashing.h"
#include "codec/entropy/mixer.h"
#include "codec/sequitur/bit_model.h"
#include "codec/sequitur/context_choice.h"
#include "codec/sequitur/count_tree.h"
#include "codec/sequitur/symbol.h"

namespace vestige::sequitur {

// A symbol met before, or a rule or run that is new.
enum class SymbolKind : uint8_t { known, rule, run };

template <class Coder>
class GrammarModel {
 public:
  // `symbols`: how many the grammar has, for the size of tables.
  GrammarModel(Coder& coder, uint64_t symbols)
      : coder_(coder),
        table_bits_(static_cast<unsigned>(
            std::clamp<int>(std::bit_width(symbols) + kExtraBits, 7, kMostBits))),
        choice_(table_bits_),
        terminal_choice_(table_bits_ - 2),
        kinds_by_first_(size_t{1} << std::min(table_bits_, 10u)),
        kinds_by_past_(size_t{1} << guess_bits()) {
    for (auto& guesses : guesses_) guesses.resize(size_t{1} << guess_bits());
    look_back();
  }

  uint32_t terminals() const { return static_cast<uint32_t>(class_of_.size()); }
  uint32_t rules() const { return static_cast<uint32_t>(first_.size()); }
  uint32_t first_of(Symbol s) const { return is_rule(s) ? first_[rule_of(s)] : s; }

  // ----- coding; each takes what is true when writing, and gives what is true

  // Whether a rule with this many symbols (two at least) ends.
  bool end(size_t symbols, bool ends) {
    return code_bit(coder_, ends_[std::min<size_t>(symbols, ends_.size() - 1)], ends);
  }

  // The terminal that what comes next begins with; terminals() for a new one.
  uint32_t first(uint32_t terminal) {
    std::array<Guess*, kGuesses> guesses;
    for (size_t k = 0; k < kGuesses; ++k) guesses[k] = &guesses_[k][at_[k]];
    bool found = false;
    size_t tries = 0;
    unsigned out = 0;  // guesses that turned out wrong
    for (; tries < kTries && !found; ++tries) {
      // The longest past that has not been wrong yet, unless a shorter one is far more certain.
      const Guess* best = nullptr;
      for (size_t k = 0; k < kGuesses; ++k)
        if (guesses[k]->trust > 0 && !(out >> k & 1) &&
            (best == nullptr || guesses[k]->trust >= best->trust * 4))
          best = guesses[k];
      if (best == nullptr) break;
      const uint32_t candidate = best->terminal;
      mix::Mixer<1>::Inputs inputs{};
      unsigned agree = 0;
      for (size_t k = 0; k < kGuesses; ++k) {
        if (guesses[k]->trust == 0 || out >> k & 1) continue;
        const bool agrees = guesses[k]->terminal == candidate;
        agree |= static_cast<unsigned>(agrees) << k;
        const int16_t evidence = hits_[k][guesses[k]->trust].evidence();
        inputs[0][k] = agrees ? evidence : std::min<int16_t>(-evidence, 0);
      }
      inputs[0][kGuesses] = kBias;
      const size_t set = tries << kGuesses | agree;
      const uint32_t one = codable(mix::squash(guess_mixer_.mix(inputs, set)));
      found = coder_.code(terminal == candidate, one);
      guess_mixer_.learn(inputs, set, found, one);
      for (size_t k = 0; k < kGuesses; ++k)
        if (agree >> k & 1) hits_[k][guesses[k]->trust].learn(found);
      if (found) terminal = candidate;
      out |= agree;
    }
    if (!found) {
      if (terminals() == 0 || code_bit(coder_, new_terminal_[tries], terminal == terminals())) {
        terminal = terminals();
      } else {
        terminal = terminal_choice_.code(coder_, terminal_counts_, {past_[0], pasts_[0]}, terminal);
        terminal_counts_.add(terminal, 2);
      }
    }
    for (Guess* guess : guesses) {
      if (guess->terminal == terminal && guess->trust > 0)
        guess->trust = std::min<uint32_t>(guess->trust + 1, kMostTrust);
      else if (guess->trust > 3)
        guess->trust /= 2;
      else
        *guess = {terminal, 1};
    }
    return terminal;
  }

  // The value of a terminal met for the first time. Gives any value, damaged bytes also one that
  // was there before.
  uint64_t value(uint64_t value) {
    const uint64_t step = value - last_value_;
    uint64_t coded = last_step_;
    if (!code_bit(coder_, same_step_, step == last_step_)) {
      const uint64_t folded = steps_.code(coder_, step << 1 ^ -(step >> 63));
      coded = folded >> 1 ^ -(folded & 1);
    }
    last_step_ = coded;
    last_value_ += coded;
    return last_value_;
  }

  // `given`: the first terminal was not coded, it is that of the rule which begins here.
  SymbolKind kind(uint32_t first, bool given, size_t depth, size_t place, SymbolKind kind) {
    const size_t set =
        (given ? 9 : 0) + std::min<size_t>(depth, 2) * 3 + std::min<size_t>(place, 2);
    std::array<AdaptiveBit*, 3> models = {
        &kinds_by_place_[set * 3 + static_cast<size_t>(last_kind_)],
        &kinds_by_first_[(mix::hashed(2 * first + given) >> 20) % kinds_by_first_.size()],
        &kinds_by_past_[(at_[2] * 2 + given) % kinds_by_past_.size()]};
    if (code_mixed(kind_mixer_, set, models, kind == SymbolKind::known)) {
      last_kind_ = SymbolKind::known;
    } else {
      const bool rule = code_bit(coder_, rule_or_run_[set], kind == SymbolKind::rule);
      last_kind_ = rule ? SymbolKind::rule : SymbolKind::run;
    }
    return last_kind_;
  }
  // Whether the symbol a new run repeats is itself new.
  bool new_rule_in_run(bool is_new) { return code_bit(coder_, new_in_run_, is_new); }
  // At least 2.
  uint64_t run_count(uint64_t count) { return run_counts_.code(coder_, count - 2) + 2; }

  // A symbol of the class of `first`.
  Symbol known(uint32_t first, Symbol symbol) {
    if (class_of_[first] == 0) return first;
    Class& members = classes_[class_of_[first] - 1];
    const uint32_t member = is_terminal(symbol) ? 0
                            : is_rule(symbol)   ? rule_members_[rule_of(symbol)]
                                                : run_members_[symbol - kRunBase];
    const uint32_t chosen =
        choice_.code(coder_, members.counts, {pasts_[0] + first, pasts_[1] + first}, member);
    members.counts.add(chosen, 2);
    return members.symbols[chosen];
  }

  // ----- what both sides then know

  void add_terminal() {
    class_of_.push_back(0);
    terminal_counts_.add_member(2);
  }
  // A rule that has ended. The past already holds its expansion.
  void add_rule(std::span<const Symbol> body, std::span<const Run> runs) {
    const Symbol front = is_run(body[0]) ? runs[body[0] - kRunBase].symbol : body[0];
    first_.push_back(first_of(front));
    Tail tail;
    for (size_t i = body.size(); i-- > 0 && tail.size < kRemembered;) append(tail, body[i], runs);
    tails_.push_back(tail);
    rule_members_.push_back(join_class(first_.back(), rule_symbol(rules() - 1)));
  }
  void add_run(const Run& run) {
    run_members_.push_back(
        join_class(first_of(run.symbol), kRunBase | static_cast<Symbol>(run_members_.size())));
  }
  // The expansion of a symbol other than a new rule has gone by.
  void pass(Symbol symbol, std::span<const Run> runs) {
    Tail tail;
    append(tail, symbol, runs);
    for (size_t i = kRemembered; i-- > tail.size;) past_[i] = past_[i - tail.size];
    std::copy_n(tail.ends.begin(), tail.size, past_.begin());
    look_back();
  }

 private:
  static constexpr size_t kRemembered = 7;  // last runs of terminals
  static constexpr size_t kGuesses = 4;
  static constexpr size_t kTries = 3;
  static constexpr uint32_t kMostTrust = 15;
  static constexpr int kExtraBits = 3, kMostBits = 22;

  struct Guess {
    uint32_t terminal = 0;
    uint32_t trust = 0;  // 0: none
  };
  // The runs of terminals an expansion ends with, hashed, the last first.
  struct Tail {
    std::array<uint32_t, kRemembered> ends{};
    uint32_t size = 0;
  };
  struct Class {
    CountTree counts;
    std::vector<Symbol> symbols;
  };

  unsigned guess_bits() const { return std::min(table_bits_, 16u); }

  void append(Tail& tail, Symbol symbol, std::span<const Run> runs) const {
    Run run = {symbol, 1};
    if (is_run(symbol)) run = runs[symbol - kRunBase];
    if (is_terminal(run.symbol)) {
      tail.ends[tail.size++] =
          static_cast<uint32_t>(mix::hashed(run.symbol + (run.count << 32)) >> 8) | 1;
      return;
    }
    const Tail& repeated = tails_[rule_of(run.symbol)];
    for (uint64_t n = 0; n < run.count && tail.size < kRemembered; ++n)
      for (uint32_t i = 0; i < repeated.size && tail.size < kRemembered; ++i)
        tail.ends[tail.size++] = repeated.ends[i];
  }

  void look_back() {
    uint64_t hash = 0;
    const auto upto = [&](size_t from, size_t to) {
      for (size_t i = from; i < to; ++i) hash = (hash + past_[i]) * mix::kHashA, hash ^= hash >> 32;
      return hash;
    };
    const unsigned shift = 64 - guess_bits();
    at_[3] = static_cast<uint32_t>(upto(0, 1) * mix::kHashB >> shift);
    at_[2] = static_cast<uint32_t>(upto(1, 2) * mix::kHashB >> shift);
    pasts_[0] = upto(2, 3);
    at_[1] = static_cast<uint32_t>(upto(3, 4) * mix::kHashB >> shift);
    pasts_[1] = upto(4, 7);
    at_[0] = static_cast<uint32_t>(pasts_[1] * mix::kHashB >> shift);
  }

  uint32_t join_class(uint32_t first, Symbol symbol) {
    if (class_of_[first] == 0) {
      classes_.emplace_back();
      class_of_[first] = static_cast<uint32_t>(classes_.size());
      classes_.back().counts.add_member(3);
      classes_.back().symbols.push_back(first);
    }
    Class& members = classes_[class_of_[first] - 1];
    members.symbols.push_back(symbol);
    return members.counts.add_member(3);
  }

  template <size_t kModels>
  bool code_mixed(mix::Mixer<1>& mixer, size_t set, const std::array<AdaptiveBit*, kModels>& models,
                  bool bit) {
    mix::Mixer<1>::Inputs inputs{};
    for (size_t i = 0; i < kModels; ++i) inputs[0][i] = models[i]->evidence();
    inputs[0][kModels] = kBias;
    const uint32_t one = codable(mix::squash(mixer.mix(inputs, set)));
    bit = coder_.code(bit, one);
    mixer.learn(inputs, set, bit, one);
    for (AdaptiveBit* model : models) model->learn(bit);
    return bit;
  }

  Coder& coder_;
  const unsigned table_bits_;  // tables have up to 2^table_bits_ bytes
  ContextChoice choice_, terminal_choice_;
  std::vector<AdaptiveBit> kinds_by_first_, kinds_by_past_;

  std::array<uint32_t, kRemembered> past_{};
  std::array<uint32_t, kGuesses> at_{};  // where guesses_ have something on this past
  std::array<uint64_t, 2> pasts_{};      // hashes of its last 3 and 7
  std::vector<uint32_t> class_of_;       // by terminal; 0: only itself begins with it
  std::vector<Class> classes_;
  std::vector<uint32_t> first_, rule_members_, run_members_;
  std::vector<Tail> tails_;

  std::array<AdaptiveBit, 16> ends_;
  std::array<std::vector<Guess>, kGuesses> guesses_;
  std::array<std::array<AdaptiveBit, kMostTrust + 1>, kGuesses> hits_;
  mix::Mixer<1> guess_mixer_{kTries << kGuesses, 2};
  std::array<AdaptiveBit, kTries + 1> new_terminal_;
  CountTree terminal_counts_;
  AdaptiveBit same_step_;
  NumberModel steps_, run_counts_;
  uint64_t last_value_ = 0, last_step_ = 0;
  SymbolKind last_kind_ = SymbolKind::known;
  std::array<AdaptiveBit, 18 * 3> kinds_by_place_;
  std::array<AdaptiveBit, 18> rule_or_run_;
  AdaptiveBit new_in_run_;
  mix::Mixer<1> kind_mixer_{18, 2};
};

}  // namespace vestige::sequitur
