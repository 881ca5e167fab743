#include "query/tiers/edge_labels.h"

#include <algorithm>
#include <mutex>

#include "codec/groups/selected_stream.h"
#include "trace/parallel.h"

namespace vestige {

void EdgeLabels::add(uint32_t node, uint32_t instance, uint32_t statement, const LabelPlace& of,
                     uint32_t& hint) {
  const Key key{node, statement, of.node, of.statement};
  if (hint >= edges_.size() || edges_[hint].key != key) {
    const auto [at, added] = numbers_.try_emplace(key, static_cast<uint32_t>(edges_.size()));
    if (added) edges_.push_back({key, {}, {}, true});
    hint = at->second;
  }
  Edge& edge = edges_[hint];
  edge.instances.push_back(instance);
  edge.of.push_back(of.instance);
  edge.within &= node == of.node && instance == of.instance;
  bytes_ += 12;  // with what a growing list keeps free
}

void EdgeLabels::measure(const std::vector<uint64_t>& executions, TierReport& report) {
  // Equal lists between two nodes stand next to each other.
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < edges_.size(); ++i) {
    const Edge& edge = edges_[i];
    if (edge.instances.empty()) continue;
    if (edge.within && edge.instances.size() == executions[edge.key.node]) {
      report.inferred += edge.instances.size();
      continue;
    }
    order.push_back(i);
  }
  const auto labels = [&](uint32_t i) {
    const Edge& e = edges_[i];
    return std::tie(e.key.node, e.key.of_node, e.instances, e.of);
  };
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) { return labels(a) < labels(b); });
  std::vector<uint32_t> kept;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && labels(order[i - 1]) == labels(order[i]))
      report.shared += edges_[order[i]].instances.size();
    else
      kept.push_back(order[i]);
  }
  std::mutex mutex;  // guards the report
  constexpr size_t kTogether = 64;
  run_parallel((kept.size() + kTogether - 1) / kTogether, [&](size_t, size_t task) {
    uint64_t tier1 = 0, tier2 = 0;
    std::map<std::string, uint64_t> codecs;
    std::vector<uint64_t> stream;
    for (size_t i = task * kTogether; i < std::min(kept.size(), (task + 1) * kTogether); ++i) {
      const Edge& edge = edges_[kept[i]];
      for (const std::vector<uint32_t>* list : {&edge.instances, &edge.of}) {
        stream.assign(list->begin(), list->end());
        ByteWriter out;
        ++codecs[std::string(name_of(encode_selected(stream, out)))];
        tier1 += 4 * list->size();
        tier2 += out.size();
      }
    }
    const std::lock_guard lock(mutex);
    report.edges.tier1 += tier1;
    report.edges.tier2 += tier2;
    for (const auto& [name, count] : codecs) report.codecs[name] += count;
    return true;
  });
  numbers_.clear();
  edges_.clear();
  bytes_ = 0;
}

}  // namespace vestige
