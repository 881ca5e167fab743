// Numbers of many threads as functions of the thread: what makes one descriptor of the descriptors
// of many (EPRSD).
//
// A number that differs from thread to thread is a + b × label[thread]. Label 0 is the thread's
// place in the list of threads; further ones are tables, made when a number needs one: the bases of
// stacks and heap blocks, the order in which threads took their parts. One table serves all numbers
// that differ in the same proportion, and any set of threads that is part of the table's own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vestige::spmd {

using ThreadSet = std::vector<uint32_t>;  // rising; never empty

struct Across {
  uint32_t label = 0;  // 0: the same in all of them; otherwise 1 + the label's number
  uint64_t a = 0, b = 0;
};

struct Label {
  ThreadSet threads;
  std::vector<uint64_t> values;  // one per thread; the first is 0
};

class Labels {
 public:
  explicit Labels(uint32_t threads);
  // What gives these values, one per thread of the set. Makes a label when none does.
  Across fit(const ThreadSet& threads, std::span<const uint64_t> values);
  const std::vector<Label>& all() const { return labels_; }

 private:
  static std::optional<Across> fit_label(const Label& label, const ThreadSet& threads,
                                         std::span<const uint64_t> values);
  std::vector<Label> labels_;
};

}  // namespace vestige::spmd
