// Counts of numbered members as a binary tree over their numbers: how often the path to a member
// goes right at each node. Finding a member bit by bit with these counts as probabilities costs
// what its frequency says; the tree doubles as members are added.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "codec/sequitur/bit_model.h"

namespace vestige::sequitur {

class CountTree {
 public:
  uint32_t size() const { return size_; }
  unsigned height() const { return height_; }  // bits of a member's number

  // Adds a member with the number size().
  uint32_t add_member(uint32_t count) {
    if (size_ == uint32_t{1} << height_) grow();
    const uint32_t member = size_++;
    add(member, count);
    return member;
  }
  void add(uint32_t member, uint32_t count) {
    total_ += count;
    uint32_t node = 1;
    for (unsigned bit = height_; bit-- > 0;) {
      const uint32_t right = member >> bit & 1;
      right_[node] += right * count;
      node = 2 * node + right;
    }
  }

  // A walk from the root: at each node, either only the left is possible (forced()), or the
  // probability of going right is one().
  class Walk {
   public:
    explicit Walk(const CountTree& tree) : tree_(tree), total_(tree.total_), bit_(tree.height_) {}
    bool done() const { return bit_ == 0; }
    unsigned bit() const { return bit_ - 1; }    // the bit of the number decided next
    uint32_t prefix() const { return prefix_; }  // the bits decided
    uint32_t member() const { return prefix_; }  // when done
    uint64_t total() const { return total_; }
    bool forced() const { return (2 * prefix_ + 1) << bit() >= tree_.size_; }
    uint32_t one() const {
      // In 32 bits, which divide faster.
      const int excess = std::max(static_cast<int>(std::bit_width(total_)) - 14, 0);
      const auto right = static_cast<uint32_t>(tree_.right_[node_] >> excess);
      const auto total = static_cast<uint32_t>(total_ >> excess);
      return codable(((2 * right + 1) << 16) / (2 * total + 2));
    }
    void go(bool right) {
      const uint64_t to_right = tree_.right_[node_];
      total_ = right ? to_right : total_ - to_right;
      node_ = 2 * node_ + right;
      prefix_ = 2 * prefix_ + right;
      --bit_;
    }

   private:
    const CountTree& tree_;
    uint64_t total_;
    uint32_t node_ = 1;
    uint32_t prefix_ = 0;
    unsigned bit_;
  };

 private:
  // What was the whole tree becomes the left half.
  void grow() {
    std::vector<uint32_t> right(size_t{2} << height_);
    for (size_t node = 1; node < size_t{1} << height_; ++node)
      right[node + std::bit_floor(node)] = right_[node];
    right_ = std::move(right);
    ++height_;
  }
  std::vector<uint32_t> right_ = {0};  // by node, the root is 1, node n's children 2n and 2n+1
  uint64_t total_ = 0;
  uint32_t size_ = 0;
  unsigned height_ = 0;
};

}  // namespace vestige::sequitur
