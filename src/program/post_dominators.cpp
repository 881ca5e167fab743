#include "program/post_dominators.h"

#include <algorithm>
#include <numeric>

#include "vestige/program.h"

namespace vestige {

namespace {

// Nodes are numbered in the order of a depth-first search backwards from the end.
class BackwardSearch {
 public:
  BackwardSearch(const std::vector<std::vector<uint32_t>>& predecessors, uint32_t end)
      : predecessors_(predecessors), number_(predecessors.size(), kNone) {
    struct Open {
      uint32_t node;
      size_t next;
    };
    std::vector<Open> open;
    const auto enter = [&](uint32_t node, uint32_t parent) {
      number_[node] = static_cast<uint32_t>(node_.size());
      node_.push_back(node);
      parent_.push_back(parent);
      open.push_back({node, 0});
    };
    enter(end, kNone);
    while (!open.empty()) {
      Open& top = open.back();
      const std::vector<uint32_t>& list = predecessors_[top.node];
      if (top.next == list.size()) {
        open.pop_back();
        continue;
      }
      const uint32_t next = list[top.next++];
      if (number_[next] == kNone) enter(next, number_[top.node]);
    }
    best_.resize(node_.size());
    std::iota(best_.begin(), best_.end(), 0);
    semi_ = best_;
    ancestor_.assign(node_.size(), kNone);
  }

  std::vector<uint32_t> run() {
    // By node: where its edges lead that the search went through backwards.
    std::vector<std::vector<uint32_t>> successors(node_.size()), bucket(node_.size());
    for (uint32_t to = 0; to < node_.size(); ++to)
      for (const uint32_t from : predecessors_[node_[to]]) successors[number_[from]].push_back(to);
    std::vector<uint32_t> above(node_.size(), kNone);
    for (auto w = static_cast<uint32_t>(node_.size()); w-- > 1;) {
      for (const uint32_t v : successors[w]) semi_[w] = std::min(semi_[w], semi_[least(v)]);
      bucket[semi_[w]].push_back(w);
      const uint32_t parent = parent_[w];
      ancestor_[w] = parent;
      for (const uint32_t v : bucket[parent]) {
        const uint32_t u = least(v);
        above[v] = semi_[u] < semi_[v] ? u : parent;
      }
      bucket[parent].clear();
    }
    std::vector<uint32_t> out(predecessors_.size(), kNone);
    for (uint32_t w = 1; w < node_.size(); ++w) {
      if (above[w] != semi_[w]) above[w] = above[above[w]];
      out[node_[w]] = node_[above[w]];
    }
    return out;
  }

 private:
  // The node with the least semidominator on the way up in the forest.
  uint32_t least(uint32_t v) {
    if (ancestor_[v] == kNone) return v;
    way_.clear();
    for (uint32_t at = v; ancestor_[ancestor_[at]] != kNone; at = ancestor_[at]) way_.push_back(at);
    while (!way_.empty()) {
      const uint32_t at = way_.back();
      way_.pop_back();
      const uint32_t up = ancestor_[at];
      if (semi_[best_[up]] < semi_[best_[at]]) best_[at] = best_[up];
      ancestor_[at] = ancestor_[up];
    }
    return best_[v];
  }

  const std::vector<std::vector<uint32_t>>& predecessors_;
  std::vector<uint32_t> number_;                  // by node
  std::vector<uint32_t> node_, parent_;           // by number
  std::vector<uint32_t> semi_, best_, ancestor_;  // by number
  std::vector<uint32_t> way_;
};

}  // namespace

std::vector<uint32_t> post_dominators(const std::vector<std::vector<uint32_t>>& predecessors,
                                      uint32_t end) {
  return BackwardSearch(predecessors, end).run();
}

}  // namespace vestige
