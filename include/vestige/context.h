// The tree of contexts: a context is where something happens, and within which context that is. Its
// number stands for the whole chain, so two contexts of one tree compare in constant time (the
// thesis's signature tree, section 4.2).
//
//     vestige::ContextTree<uint64_t> tree;
//     const uint64_t path[] = {0x8090, 0x7060, 0x1234};  // outermost first
//     const uint32_t context = tree.add(path);
//     const std::vector<uint32_t> map = tree.merge(other);  // map[c]: what the other's c is here
//
// This header needs nothing but the standard library. A tree belongs to one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace vestige {

// Key: ordered, copyable. Nodes are numbered 0, 1, 2 …; 0 is the root, and a parent's number is
// lower than its children's.
template <class Key>
class ContextTree {
 public:
  static constexpr uint32_t kRoot = 0;

  ContextTree() { nodes_.push_back({kRoot, Key{}, 0}); }

  // The child of `parent` with this key, added when it is new.
  uint32_t add(uint32_t parent, const Key& key) {
    const auto [found, fresh] =
        children_.try_emplace({parent, key}, static_cast<uint32_t>(nodes_.size()));
    if (fresh) nodes_.push_back({parent, key, nodes_[parent].depth + 1});
    return found->second;
  }
  // The context that the keys lead to from the root, outermost first.
  uint32_t add(std::span<const Key> path) {
    uint32_t node = kRoot;
    for (const Key& key : path) node = add(node, key);
    return node;
  }
  std::optional<uint32_t> find(uint32_t parent, const Key& key) const {
    const auto found = children_.find({parent, key});
    if (found == children_.end()) return std::nullopt;
    return found->second;
  }

  size_t size() const { return nodes_.size(); }
  uint32_t parent(uint32_t node) const { return nodes_[node].parent; }
  const Key& key(uint32_t node) const { return nodes_[node].key; }
  uint32_t depth(uint32_t node) const { return nodes_[node].depth; }
  // The keys from the root, outermost first.
  std::vector<Key> path(uint32_t node) const {
    std::vector<Key> keys(nodes_[node].depth);
    for (size_t i = keys.size(); i-- > 0; node = nodes_[node].parent) keys[i] = nodes_[node].key;
    return keys;
  }

  // Visits every node but the root, parents first, children by rising key: the same order whatever
  // the order of adding was.
  template <class Visit>
  void each(Visit visit) const {
    std::vector<uint32_t> pending;
    push_children(kRoot, pending);
    while (!pending.empty()) {
      const uint32_t node = pending.back();
      pending.pop_back();
      visit(node);
      push_children(node, pending);
    }
  }

  // Adds every context of the other tree. What each of its nodes is here.
  std::vector<uint32_t> merge(const ContextTree& other) {
    std::vector<uint32_t> map(other.size(), kRoot);
    for (uint32_t node = 1; node < other.size(); ++node)
      map[node] = add(map[other.parent(node)], other.key(node));
    return map;
  }

  // The tree as numbers: for each node of each() how much shallower its parent is than the node
  // before it, then its key by `put_key(put, key)`, which calls put(number) as often as it likes.
  template <class Put, class PutKey>
  void serialize(Put put, PutKey put_key) const {
    put(uint64_t{nodes_.size() - 1});
    uint32_t last = 0;  // depth of the node before
    each([&](uint32_t node) {
      put(uint64_t{last} - (nodes_[node].depth - 1));
      last = nodes_[node].depth;
      put_key(put, nodes_[node].key);
    });
  }
  // The opposite: `get()` gives an optional number, `get_key(get)` an optional key. Nothing on
  // numbers that are no tree. Nodes have the numbers of each().
  template <class Get, class GetKey>
  static std::optional<ContextTree> deserialize(Get get, GetKey get_key) {
    ContextTree tree;
    const std::optional<uint64_t> count = get();
    if (!count) return std::nullopt;
    uint32_t at = kRoot;
    for (uint64_t i = 0; i < *count; ++i) {
      const std::optional<uint64_t> up = get();
      if (!up || *up > tree.depth(at)) return std::nullopt;
      for (uint64_t u = 0; u < *up; ++u) at = tree.parent(at);
      const std::optional<Key> key = get_key(get);
      if (!key || tree.find(at, *key) || tree.size() >= UINT32_MAX) return std::nullopt;
      at = tree.add(at, *key);
    }
    return tree;
  }

 private:
  struct Node {
    uint32_t parent;
    Key key;
    uint32_t depth;
  };
  void push_children(uint32_t node, std::vector<uint32_t>& pending) const {
    const size_t first = pending.size();
    // An ordered map by (parent, key): the children of a node stand together.
    for (auto it = children_.lower_bound(node); it != children_.end() && it->first.first == node;
         ++it)
      pending.push_back(it->second);
    std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(first), pending.end());
  }
  struct ByParent {
    using is_transparent = void;
    bool operator()(const std::pair<uint32_t, Key>& a, const std::pair<uint32_t, Key>& b) const {
      return a < b;
    }
    bool operator()(const std::pair<uint32_t, Key>& a, uint32_t parent) const {
      return a.first < parent;
    }
    bool operator()(uint32_t parent, const std::pair<uint32_t, Key>& b) const {
      return parent < b.first;
    }
  };
  std::vector<Node> nodes_;
  std::map<std::pair<uint32_t, Key>, uint32_t, ByParent> children_;
};

}  // namespace vestige
