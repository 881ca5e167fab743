// Numbers of many threads as functions of the thread: what makes one descriptor of the descriptors
// of many (EPRSD).
//
// A number that differs from thread to thread is a + b × label + b' × label'. Four labels are
// always there: the thread's number in its rank, its rank, its place in the list of all, and
// whether its number is odd (libomp puts stacks 64 bytes further from thread to thread; what is
// aligned to more follows by twos). Others are tables, made when a number needs one: the bases of
// stacks and heap blocks, the order in which threads took their parts. A table has a value for each
// rank, for each thread number, or for each thread, whatever is the least that does. A table may be
// another one's small rest. One table serves all numbers that differ in the same proportion, and
// any part of the table's own threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vestige::spmd {

using ThreadSet = std::vector<uint32_t>;  // rising; never empty

struct Term {
  uint32_t label = 0;  // 1 + the label's number; 0: no such term
  uint64_t b = 0;
};

struct AffineOverThreads {
  uint64_t a = 0;
  std::array<Term, 2> terms = {};  // those there are come first
};

// What a label has values for. On disk.
enum class Domain : uint8_t { thread = 0, rank = 1, number = 2 };
inline constexpr uint32_t kDomains = 3;

struct Label {
  Domain domain = Domain::thread;
  ThreadSet keys;                // threads, or the places of ranks or numbers among those there are
  std::vector<uint64_t> values;  // one per key; of tables the first is 0
};
// The labels that are always there.
inline constexpr uint32_t kNumberLabel = 0, kRankLabel = 1, kPlaceLabel = 2, kOddLabel = 3,
                          kFirstTable = 4;

// Where threads are, by their place in the list.
class Placement {
 public:
  void add(uint32_t rank, uint32_t number);  // the next one
  void finish();                             // all are there
  uint32_t threads() const { return static_cast<uint32_t>(rank_.size()); }
  uint32_t key(Domain domain, uint32_t thread) const {
    return domain == Domain::thread ? thread
           : domain == Domain::rank ? rank_[thread]
                                    : number_[thread];
  }
  // How many keys there are.
  uint32_t keys(Domain domain) const;
  // What the labels that are always there say of each key.
  Label builtin(uint32_t label) const;

 private:
  std::vector<uint32_t> rank_, number_;    // by thread; once finished, places in the lists below
  std::vector<uint32_t> ranks_, numbers_;  // rising
};

class Labels {
 public:
  explicit Labels(const Placement& placement);
  // What gives these values, one per thread of the set. Makes a label when none does.
  AffineOverThreads fit(const ThreadSet& threads, std::span<const uint64_t> values);
  const std::vector<Label>& all() const { return labels_; }

 private:
  struct Column {
    const ThreadSet& threads;
    std::span<const uint64_t> values;
  };
  std::optional<uint64_t> value_of(const Label& label, uint32_t thread) const;
  std::optional<AffineOverThreads> fit_one(uint32_t label, const Column& column) const;
  std::optional<uint64_t> slope_within(Domain within, uint32_t along, const Column& column) const;
  std::optional<AffineOverThreads> fit_two(uint32_t along, uint64_t slope, uint32_t other,
                                           const Column& column) const;
  uint32_t make(Domain domain, const Column& column, uint64_t& b);
  std::optional<uint32_t> nearly(Domain domain, const Column& column) const;

  const Placement& placement_;
  std::vector<Label> labels_;
  std::vector<uint64_t> units_;                // by label: the b of the number that it was made for
  std::vector<std::vector<uint32_t>> places_;  // by label: where a key is, kNowhere when it is not
};

}  // namespace vestige::spmd
