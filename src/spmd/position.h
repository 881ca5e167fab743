// Where a thread is: its calling context with the loops in it, and the number of the iteration of
// each. Whoever folds references and whoever replays them move through the same positions.
//
// A context (vestige/context.h) is a chain of activations and loops. Every node has an index: of a
// loop the number of its iteration, of an activation how many came before it at the same execution
// of its call (callbacks of unrecorded code), both from 0. The indices along the chain are the
// coordinates of what happens there. A node's epoch changes whenever an index above it may have
// changed.
//
// Recursion: an activation of a function that is further up in the chain already begins a *shared*
// part of the tree. In it, a call that is further up in the shared part leads back to that node, so
// the tree stays finite. Indices of nodes that run again inside of themselves are kept by the
// stack.
#pragma once

#include <cstdint>
#include <vector>

#include "vestige/context.h"

namespace vestige::spmd {

struct ContextKey {
  enum class Kind : uint8_t { activation = 0, fragment = 1, loop = 2 };
  Kind kind = Kind::activation;
  // Activation: the call's segment, kNone at the root; fragment: the segment where it begins; loop:
  // Function::loops.
  uint32_t place = 0;
  uint64_t function = 0;  // its digest; loops: of the function around
  auto operator<=>(const ContextKey&) const = default;
};

using Contexts = ContextTree<ContextKey>;

class Position {
 public:
  struct Node {
    uint64_t index = 0;
    uint64_t epoch = 0;
    bool shared = false;
    uint32_t child = UINT32_MAX;  // that was entered last
  };

  // A position in this tree, at the root. Nodes that are missing are added.
  explicit Position(Contexts& contexts) : contexts_(&contexts) { nodes_.resize(contexts.size()); }

  const Contexts& contexts() const { return *contexts_; }
  uint32_t node() const { return at_; }
  const Node& operator[](uint32_t node) const { return nodes_[node]; }
  bool is_loop(uint32_t node) const {
    return contexts_->key(node).kind == ContextKey::Kind::loop && node != Contexts::kRoot;
  }

  // The node that an activation (or fragment) here has.
  uint32_t enter(const ContextKey& key, uint64_t index) {
    uint32_t to = Contexts::kRoot;
    bool shared = at_ != Contexts::kRoot && nodes_[at_].shared;
    bool found = false;
    for (uint32_t up = at_; up != Contexts::kRoot && !found; up = contexts_->parent(up)) {
      const ContextKey& above = contexts_->key(up);
      if (above.kind == ContextKey::Kind::loop) continue;
      if (nodes_[up].shared && above == key) {
        to = up;
        found = true;
      }
      if (above.function == key.function) shared = true;
    }
    if (!found) to = child(at_, key, shared);
    push(to, index);
    return to;
  }
  // The node of an activation that stands at the root although it was called from here: a part of
  // the program that threads begin with. It must not be active at the root already.
  uint32_t enter_at_root(const ContextKey& key, uint64_t index) {
    const uint32_t to = child(Contexts::kRoot, key, false);
    push(to, index);
    return to;
  }
  void enter_loop(const ContextKey& key) { push(child(at_, key, nodes_[at_].shared), 0); }
  // Iterations of the loop this is in pass by.
  void iterate(uint64_t count = 1) { nodes_[at_].index += count; }
  // The coordinates of this node move by so much, outermost first.
  void move(const std::vector<uint64_t>& by) {
    size_t last = 0;  // one behind the innermost that moves
    uint32_t node = at_;
    for (size_t l = by.size(); l-- > 0; node = contexts_->parent(node)) {
      nodes_[node].index += by[l];
      if (by[l] != 0 && last == 0) last = l + 1;
    }
    node = at_;
    for (size_t l = by.size(); l-- > last; node = contexts_->parent(node))
      nodes_[node].epoch = ++epochs_;
  }
  // Out of the node, to where it was entered from.
  void leave() {
    const Saved& saved = stack_.back();
    nodes_[at_].index = saved.index;
    nodes_[at_].epoch = ++epochs_;
    at_ = saved.from;
    stack_.pop_back();
  }
  size_t depth() const { return stack_.size(); }

  // The coordinates of a node, outermost first. Valid until the next call.
  const std::vector<uint64_t>& coordinates(uint32_t node) const {
    if (node == recent_ && nodes_[node].epoch == recent_epoch_) {
      if (!coordinates_.empty()) coordinates_.back() = nodes_[node].index;
      return coordinates_;
    }
    recent_ = node;
    recent_epoch_ = nodes_[node].epoch;
    coordinates_.resize(contexts_->depth(node));
    for (size_t i = coordinates_.size(); i-- > 0; node = contexts_->parent(node))
      coordinates_[i] = nodes_[node].index;
    return coordinates_;
  }

 private:
  struct Saved {
    uint32_t from;
    uint64_t index;  // of the node, before it was entered
  };
  uint32_t child(uint32_t parent, const ContextKey& key, bool shared) {
    uint32_t to = nodes_[parent].child;
    if (to == UINT32_MAX || contexts_->key(to) != key) {
      to = contexts_->add(parent, key);
      if (to >= nodes_.size()) nodes_.resize(size_t{to} + 1);
      nodes_[parent].child = to;
    }
    nodes_[to].shared = shared;
    return to;
  }
  void push(uint32_t to, uint64_t index) {
    stack_.push_back({at_, nodes_[to].index});
    nodes_[to].index = index;
    nodes_[to].epoch = ++epochs_;
    at_ = to;
  }

  Contexts* contexts_;
  std::vector<Node> nodes_;
  std::vector<Saved> stack_;
  uint32_t at_ = Contexts::kRoot;
  uint64_t epochs_ = 0;
  // What coordinates() gave last.
  mutable std::vector<uint64_t> coordinates_;
  mutable uint32_t recent_ = UINT32_MAX;
  mutable uint64_t recent_epoch_ = 0;
};

}  // namespace vestige::spmd
