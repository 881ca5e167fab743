#include "codec/entropy/adaptive_huffman.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace vestige::vpc {

AdaptiveHuffman::AdaptiveHuffman(std::span<const uint32_t> frequencies) {
  const auto symbols = static_cast<unsigned>(frequencies.size());
  root_ = 2 * symbols - 2;
  std::vector<unsigned> leaves(symbols);
  std::iota(leaves.begin(), leaves.end(), 0u);
  std::sort(leaves.begin(), leaves.end(), [&](unsigned a, unsigned b) {
    return frequencies[a] != frequencies[b] ? frequencies[a] < frequencies[b] : a > b;
  });

  struct Node {
    uint64_t weight;
    unsigned node;
  };
  std::vector<Node> inner;  // in the order made, which is by weight
  size_t next_leaf = 0, next_inner = 0;
  for (unsigned place = 0; place <= root_; ++place) {
    const bool leaf =
        next_leaf < leaves.size() &&
        (next_inner == inner.size() || frequencies[leaves[next_leaf]] <= inner[next_inner].weight);
    const Node taken =
        leaf ? Node{frequencies[leaves[next_leaf]], leaves[next_leaf]} : inner[next_inner];
    ++(leaf ? next_leaf : next_inner);
    node_[place] = static_cast<uint8_t>(taken.node);
    weight_[place] = taken.weight;
    settle(place);
    if (place % 2 == 1) inner.push_back({weight_[place - 1] + weight_[place], kInner + place / 2});
  }
}

}  // namespace vestige::vpc
