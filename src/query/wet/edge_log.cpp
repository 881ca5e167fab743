#include "query/wet/edge_log.h"

#include <algorithm>

namespace vestige {

void EdgeLog::append(uint32_t node, uint32_t instance, const Key& key, uint32_t producer) {
  Node& to = of(node);
  if (to.recent.size() <= key.label) to.recent.resize(key.label + 1, kNone);
  uint32_t& recent = to.recent[key.label];
  if (recent >= to.edges.size() || to.edges[recent].key != key) {
    const auto [at, fresh] = to.numbers.try_emplace(key, static_cast<uint32_t>(to.edges.size()));
    if (fresh) {
      to.edges.push_back({key, {}, {}});
      bytes_ += 128;
    }
    recent = at->second;
  }
  to.edges[recent].consumers.push_back(instance);
  to.edges[recent].producers.push_back(producer);
  bytes_ += 12;  // with what a growing list keeps free
  ++labels_;
}

namespace {

void put_list(const std::vector<uint32_t>& list, NodeEdgesBytes& out) {
  const size_t before = out.streams.size();
  encode_selected(std::vector<uint64_t>(list.begin(), list.end()), out.streams);
  out.index.varint(out.streams.size() - before);
}

}  // namespace

void EdgeLog::finish(uint32_t node, uint64_t executions, uint64_t base,
                     const std::function<uint32_t(uint32_t)>& path, NodeEdgesBytes& out) {
  if (node >= nodes_.size()) {
    out.index.varint(0);
    out.index.u8(0);
    return;
  }
  Node& from = nodes_[node];
  // Equal pairs from one node stand next to each other.
  std::vector<uint32_t> order(from.edges.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto pairs = [&](uint32_t i) {
    const Edge& e = from.edges[i];
    return std::tie(e.key.producer, e.consumers, e.producers);
  };
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
    if (pairs(a) != pairs(b)) return pairs(a) < pairs(b);
    return from.edges[a].key.label < from.edges[b].key.label;
  });
  uint64_t groups = 0;
  for (size_t i = 0; i < order.size(); ++i)
    groups += i == 0 || pairs(order[i - 1]) != pairs(order[i]);
  out.index.varint(groups);
  for (size_t i = 0; i < order.size();) {
    size_t end = i + 1;
    while (end < order.size() && pairs(order[i]) == pairs(order[end])) ++end;
    const Edge& edge = from.edges[order[i]];
    const bool nobody = kNone - edge.key.producer < kNoProducers;
    out.index.varint(nobody ? kNone - edge.key.producer : path(edge.key.producer));
    if (edge.consumers.size() == executions)
      out.index.varint(0);
    else
      put_list(edge.consumers, out);
    bool own = edge.key.producer == node;
    for (size_t k = 0; own && k < edge.consumers.size(); ++k)
      own = edge.producers[k] == base + edge.consumers[k];
    if (nobody || own)
      out.index.varint(0);
    else
      put_list(edge.producers, out);
    out.index.varint(end - i);
    for (; i < end; ++i) {
      out.index.varint(from.edges[order[i]].key.label);
      out.index.varint(from.edges[order[i]].key.item);
    }
  }
  const bool reads = std::ranges::any_of(from.columns, [](const auto& c) { return !c.empty(); });
  out.index.u8(reads);
  if (reads)
    for (const std::vector<uint64_t>& column : from.columns) {
      const size_t before = out.streams.size();
      encode_selected(column, out.streams);
      out.index.varint(out.streams.size() - before);
    }
}

void EdgeLog::clear() {
  nodes_.clear();
  bytes_ = 0;
}

}  // namespace vestige
