// The labels of dependence edges between nodes, until they are measured (WET, section 3.3).
//
// An edge leads from a statement of a node to one of another node (or of the same, executed
// earlier). Its label is a list of pairs: which execution of the one node depends on which of the
// other.
#pragma once

#include <unordered_map>
#include <vector>

#include "vestige/tiers.h"

namespace vestige {

// An execution of a statement: of which node, the how manyth of it, and the statement.
struct LabelPlace {
  uint32_t node = kNone, instance = 0, statement = 0;
  bool known() const { return node != kNone; }
  bool operator==(const LabelPlace&) const = default;
};

class EdgeLabels {
 public:
  // One dependence. `hint`: where the caller keeps the edge it last got here, 0 at first.
  void add(uint32_t node, uint32_t instance, uint32_t statement, const LabelPlace& of,
           uint32_t& hint);
  size_t bytes() const { return bytes_ + edges_.size() * 128; }

  // Adds the sizes of all labels so far, and forgets them. `executions` of each node since the last
  // time: a label that says in each of them that it depends on itself is inferred.
  void measure(const std::vector<uint64_t>& executions, TierReport& report);

 private:
  struct Key {
    uint32_t node = 0, statement = 0, of_node = 0, of_statement = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      uint64_t hash = (uint64_t{key.node} << 32 | key.statement) * 0x9e3779b97f4a7c15u;
      hash = (hash ^ (hash >> 31) ^ (uint64_t{key.of_node} << 32 | key.of_statement)) *
             0xbf58476d1ce4e5b9u;
      return hash ^ hash >> 29;
    }
  };
  struct Edge {
    Key key;
    std::vector<uint32_t> instances, of;
    bool within = true;  // all of them inside of one execution of the node
  };
  std::unordered_map<Key, uint32_t, KeyHash> numbers_;
  std::vector<Edge> edges_;
  size_t bytes_ = 0;
};

}  // namespace vestige
