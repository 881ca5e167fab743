// Post-dominators of a graph with one end that every node reaches (Lengauer and Tarjan, A Fast
// Algorithm for Finding Dominators in a Flowgraph, TOPLAS 1979, with path compression only).
#pragma once

#include <cstdint>
#include <vector>

namespace vestige {

// Predecessors by node. The result has the immediate post-dominator of each node; that of the end,
// and of nodes that do not reach it, is kNone.
std::vector<uint32_t> post_dominators(const std::vector<std::vector<uint32_t>>& predecessors,
                                      uint32_t end);

}  // namespace vestige
