// The labels of edges while a segment of a whole execution trace is written, by the node that they
// lead to.
//
// One owner thread; finish() may run for several nodes at once.
#pragma once

#include <array>
#include <unordered_map>

#include "query/wet/node_edges.h"

namespace vestige {

class EdgeLog {
 public:
  // An execution of a node of the thread: which one, from 0, in the thread.
  struct Place {
    uint32_t node = 0, instance = 0;
  };

  // Execution `instance` of a node, in the segment, read by `label` what an item of that place
  // wrote; or what nobody is known to have written, and why.
  void add(uint32_t node, uint32_t instance, uint32_t label, Place of, uint32_t item) {
    append(node, instance, {label, of.node, item}, of.instance);
  }
  void add(uint32_t node, uint32_t instance, uint32_t label, NoProducer why) {
    append(node, instance, {label, kNone - static_cast<uint32_t>(why), 0}, 0);
  }
  // What is told in columns.
  std::vector<uint64_t>& column(uint32_t node, ReadColumn which) {
    bytes_ += 8;
    return of(node).columns[static_cast<size_t>(which)];
  }
  bool has_columns(uint32_t node) const { return node < nodes_.size(); }
  std::vector<uint64_t>& column_of(uint32_t node, ReadColumn which) {
    return nodes_[node].columns[static_cast<size_t>(which)];
  }
  size_t bytes() const { return bytes_; }

  // Of a node that ran so often in the segment, `base` times before it; paths: ids, by node.
  void finish(uint32_t node, uint64_t executions, uint64_t base,
              const std::function<uint32_t(uint32_t)>& path, NodeEdgesBytes& out);
  // All are finished.
  void clear();
  uint64_t labels() const { return labels_; }

 private:
  struct Key {
    uint32_t label = 0, producer = 0, item = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      uint64_t hash = (uint64_t{key.label} << 32 | key.producer) * 0x9e3779b97f4a7c15u;
      hash = (hash ^ hash >> 31 ^ key.item) * 0xbf58476d1ce4e5b9u;
      return hash ^ hash >> 29;
    }
  };
  struct Edge {
    Key key;
    std::vector<uint32_t> consumers, producers;
  };
  struct Node {
    std::vector<Edge> edges;
    std::unordered_map<Key, uint32_t, KeyHash> numbers;
    std::vector<uint32_t> recent;  // by label: its last edge
    std::array<std::vector<uint64_t>, kReadColumns> columns;
  };

  Node& of(uint32_t node) {
    if (node >= nodes_.size()) nodes_.resize(size_t{node} + 1);
    return nodes_[node];
  }
  void append(uint32_t node, uint32_t instance, const Key& key, uint32_t producer);

  std::vector<Node> nodes_;
  size_t bytes_ = 0;
  uint64_t labels_ = 0;
};

}  // namespace vestige
