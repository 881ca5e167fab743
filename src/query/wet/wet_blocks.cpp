#include "query/wet/wet_blocks.h"

#include <algorithm>

namespace vestige {

namespace {

std::unexpected<Error> bad() {
  return fail(ErrorKind::corrupt, "the edges of its nodes make no sense");
}

}  // namespace

Error WetBlocks::in_segment(const Error& error) const {
  return {error.kind, trace_.file() + ": " + error.message};
}

Result<NodeWords> WetBlocks::words_of(uint32_t segment) const {
  const auto view = trace_.state().view(thread_, segments_[segment].control);
  if (!view) return std::unexpected(view.error());
  if (view->codec != WordCodec::nodes) return bad();
  return NodeWords::open(view->words);
}

Result<void> WetBlocks::find_stretches() {
  std::unordered_map<uint32_t, uint64_t> executions;
  for (uint32_t s = 0; s < segments_.size(); ++s) {
    const auto words = words_of(s);
    if (!words) return std::unexpected(words.error());
    for (uint32_t n = 0; n < words->nodes().size(); ++n) {
      const NodeWords::Node& node = words->nodes()[n];
      uint64_t& before = executions[node.word];
      stretches_[node.word].push_back({before, s, n});
      before += node.places;
    }
  }
  stretches_known_ = true;
  return {};
}

Result<void> WetBlocks::open_segment(uint32_t number) {
  segment_ = kNone;
  auto words = words_of(number);
  if (!words) return std::unexpected(std::move(words.error()));
  const auto payload = trace_.state().store.payload(segments_[number].edges_row);
  if (!payload) return std::unexpected(payload.error());
  auto edges = decode_node_edges(trace_, *payload, true);
  if (!edges) return std::unexpected(std::move(edges.error()));
  if (edges->nodes.size() != words->nodes().size()) return bad();
  nodes_.clear();
  nodes_.resize(edges->nodes.size());
  for (size_t n = 0; n < nodes_.size(); ++n) {
    if (edges->nodes[n].path != words->nodes()[n].word ||
        edges->nodes[n].executions != words->nodes()[n].places)
      return bad();
    nodes_[n].path = trace_.path(edges->nodes[n].path);
    if (!nodes_[n].path) return bad();
    nodes_[n].pairs.resize(edges->nodes[n].pairs.size());
  }
  edges_ = std::move(*edges);
  words_.emplace(std::move(*words));
  used_of_.assign(nodes_.size(), kNone);
  segment_ = number;
  return {};
}

Result<void> WetBlocks::read(const BlockPlace& place, DependenceBlock& block) {
  const auto failed = [&](const Error& error) {
    segment_ = kNone;  // where its cursors stand says nothing now
    return std::unexpected(in_segment(error));
  };
  if (!stretches_known_)
    if (auto found = find_stretches(); !found) return failed(found.error());
  if (segment_ != place.offset)
    if (auto opened = open_segment(static_cast<uint32_t>(place.offset)); !opened)
      return failed(opened.error());
  shapes_.trim();
  if (auto read = read_paths(blocks_[place.offset][place.size], block); !read)
    return failed(read.error());
  effects_.clear();
  for (const Used& used : used_) {
    const NodeEdges& edges = edges_.nodes[used.node];
    Node& node = nodes_[used.node];
    for (size_t i = 0; i < edges.pairs.size(); ++i)
      if (auto read = read_pairs(used, edges.pairs[i], node.pairs[i], block); !read)
        return failed(read.error());
    if (edges.columns.empty()) continue;
    if (!node.reads.open)
      if (auto opened = open_reads(edges, node.reads); !opened) return failed(opened.error());
    if (auto read = read_parts(used, node.reads, block); !read) return failed(read.error());
  }
  std::ranges::sort(effects_, {}, [](const Effect& e) { return std::pair(e.at, e.number); });
  block.effects.clear();
  block.first_effect.assign(block.steps.size() + 1, 0);
  size_t next = 0;
  for (uint32_t path = 0; path < block.steps.size(); ++path) {
    block.first_effect[path] = static_cast<uint32_t>(block.effects.size());
    for (; next < effects_.size() && effects_[next].at == path; ++next)
      block.effects.push_back(effects_[next].effect);
  }
  block.first_effect.back() = static_cast<uint32_t>(block.effects.size());
  return {};
}

// Who ran, and what each of them is to the others.
Result<void> WetBlocks::read_paths(const WetBlock& from, DependenceBlock& block) {
  const uint64_t count = from.place.paths;
  const uint64_t begin = from.place.first_time - segments_[segment_].first_time;
  numbers_.resize(count);
  if (auto read = words_->read(begin, numbers_); !read) return read;
  for (const Used& used : used_)
    if (used.node < used_of_.size()) used_of_[used.node] = kNone;
  used_.clear();
  for (uint32_t at = 0; at < count; ++at) {
    uint32_t& of = used_of_[numbers_[at]];
    if (of == kNone) {
      of = static_cast<uint32_t>(used_.size());
      used_.push_back({numbers_[at], 0, {}, &shapes_.of(*nodes_[numbers_[at]].path)});
    }
    used_[of].at.push_back(at);
  }
  for (Used& used : used_)
    used.first = words_->before(used.node) - (words_->at() == begin ? 0 : used.at.size());
  block.first_time = from.place.first_time;
  block.steps.resize(count);
  block.shapes.resize(count);
  block.first_label.resize(count);
  PathSteps steps(names_);
  steps.go_to(from.position);
  size_t change = 0;
  uint64_t labels = 0;
  for (uint32_t at = 0; at < count; ++at) {
    const uint64_t time = block.first_time + at;
    for (; change < from.changes.size() && from.changes[change].time < time; ++change)
      steps.change(from.changes[change]);
    if (!steps.next(*nodes_[numbers_[at]].path, time, block.steps[at])) return bad();
    const PathShape* shape = used_[used_of_[numbers_[at]]].shape;
    block.shapes[at] = shape;
    block.first_label[at] = static_cast<uint32_t>(labels);
    labels += shape->labels;
    if (labels > kMostLabels) return bad();
  }
  block.labels.assign(labels, Label());
  block.parts.clear();
  return {};
}

Result<void> WetBlocks::open_pairs(const Used& used, const EdgePairs& pairs,
                                   PairCursor& cursor) const {
  const uint64_t executions = edges_.nodes[used.node].executions;
  if (pairs.consumers) {
    auto opened = open_stream(pairs.consumers->codec, pairs.consumers->bytes);
    if (!opened) return std::unexpected(std::move(opened.error()));
    cursor.consumers = std::move(*opened);
  }
  if (pairs.producers) {
    auto opened = open_stream(pairs.producers->codec, pairs.producers->bytes);
    if (!opened) return std::unexpected(std::move(opened.error()));
    cursor.producers = std::move(*opened);
    if (cursor.producers->size() != (cursor.consumers ? cursor.consumers->size() : executions))
      return bad();
  }
  for (const EdgePairs::Use& use : pairs.uses)
    if (use.label >= used.shape->labels) return bad();
  // From whichever end is nearer.
  cursor.at = 0;
  if (cursor.consumers && used.first > executions / 2) {
    cursor.consumers->seek(cursor.consumers->size());
    if (cursor.producers) cursor.producers->seek(cursor.producers->size());
    cursor.at = executions;
  }
  cursor.open = true;
  return {};
}

Result<void> WetBlocks::read_pairs(const Used& used, const EdgePairs& pairs, PairCursor& cursor,
                                   DependenceBlock& block) {
  if (!cursor.open)
    if (auto opened = open_pairs(used, pairs, cursor); !opened) return opened;
  const uint64_t begin = used.first, end = begin + used.at.size();
  if (!cursor.consumers) {
    // All executions have one.
    if (cursor.producers && cursor.producers->position() != begin) cursor.producers->seek(begin);
    for (uint64_t i = begin; i < end; ++i) {
      uint64_t producer = i;
      if (cursor.producers && !cursor.producers->next(producer))
        return cursor.producers->error() ? std::unexpected(*cursor.producers->error()) : bad();
      if (auto taken = take(used, pairs, i, producer, block); !taken) return taken;
    }
    return {};
  }
  StreamCursor& consumers = *cursor.consumers;
  StreamCursor* const producers = cursor.producers.get();
  uint64_t consumer = 0, producer = 0;
  const auto forward = [&](bool keep) {
    if (producers && !producers->next(producer)) return false;
    return !keep || take(used, pairs, consumer, producers ? producer : consumer, block).has_value();
  };
  const auto backward = [&](bool keep) {
    if (producers && !producers->prev(producer)) return false;
    return !keep || take(used, pairs, consumer, producers ? producer : consumer, block).has_value();
  };
  if (cursor.at > begin) {
    // Back over what lies behind, then over the block.
    while (consumers.prev(consumer)) {
      if (consumer < begin) {
        consumers.next(consumer);
        break;
      }
      if (!backward(consumer < end)) return bad();
    }
    cursor.at = begin;
  } else {
    while (consumers.next(consumer)) {
      if (consumer >= end) {
        consumers.prev(consumer);
        break;
      }
      if (!forward(consumer >= begin)) return bad();
    }
    cursor.at = end;
  }
  if (consumers.error()) return std::unexpected(*consumers.error());
  return {};
}

// One label of each use of the pairs.
Result<void> WetBlocks::take(const Used& used, const EdgePairs& pairs, uint64_t consumer,
                             uint64_t producer, DependenceBlock& block) {
  if (consumer < used.first || consumer - used.first >= used.at.size()) return bad();
  const uint32_t at = used.at[consumer - used.first];
  const uint64_t now = block.first_time + at;
  uint64_t time = now;
  if (pairs.producer < kNoProducers) {
    time = 0;
  } else if (pairs.producers) {
    const auto found = time_of(pairs.producer, producer);
    if (!found) return std::unexpected(found.error());
    time = *found;
    if (time > now) return bad();
  } else if (pairs.producer != edges_.nodes[used.node].path) {
    return bad();
  }
  for (const EdgePairs::Use& use : pairs.uses) {
    Label& label = block.labels[block.first_label[at] + use.label];
    switch (pairs.producer) {
      case static_cast<uint32_t>(NoProducer::changed):
        label = Label::changed();
        break;
      case static_cast<uint32_t>(NoProducer::nowhere):
        label = Label::nowhere();
        break;
      case static_cast<uint32_t>(NoProducer::unordered):
        label = Label::unordered();
        break;
      default:
        label = Label::written(time, use.item);
    }
  }
  return {};
}

Result<uint64_t> WetBlocks::time_of(uint32_t path, uint64_t instance) {
  const auto found = stretches_.find(path);
  if (found == stretches_.end()) return bad();
  const std::vector<Stretch>& list = found->second;
  auto stretch = std::ranges::upper_bound(list, instance, {}, &Stretch::base);
  if (stretch == list.begin()) return bad();
  --stretch;
  std::vector<uint32_t>& times = times_[uint64_t{stretch->segment} << 32 | stretch->node];
  if (times.empty()) {
    const auto words = stretch->segment == segment_ ? Result<NodeWords>(words_->words())
                                                    : words_of(stretch->segment);
    if (!words) return std::unexpected(words.error());
    const NodeWords::Node& node = words->nodes()[stretch->node];
    const auto cursor = NodeWords::cursor(node);
    if (!cursor) return std::unexpected(cursor.error());
    std::vector<uint64_t> places(node.places);
    if ((*cursor)->read(places) != places.size()) return bad();
    if (kept_times_ + places.size() > kMostTimes) {
      times_.clear();
      kept_times_ = 0;
    }
    kept_times_ += places.size();
    std::vector<uint32_t>& kept = times_[uint64_t{stretch->segment} << 32 | stretch->node];
    kept.assign(places.begin(), places.end());
    if (instance - stretch->base >= kept.size()) return bad();
    return segments_[stretch->segment].first_time + kept[instance - stretch->base];
  }
  if (instance - stretch->base >= times.size()) return bad();
  return segments_[stretch->segment].first_time + times[instance - stretch->base];
}

Result<void> WetBlocks::open_reads(const NodeEdges& edges, Reads& reads) const {
  constexpr uint64_t kMostReads = uint64_t{1} << 26;
  const auto column = [&](ReadColumn which) -> std::vector<uint64_t>& {
    return reads.columns[static_cast<size_t>(which)];
  };
  for (size_t i = 0; i < kReadColumns; ++i) {
    const auto cursor = open_stream(edges.columns[i].codec, edges.columns[i].bytes);
    if (!cursor) return std::unexpected(cursor.error());
    if ((*cursor)->size() > kMostReads) return bad();
    reads.columns[i].resize((*cursor)->size());
    if ((*cursor)->read(reads.columns[i]) != reads.columns[i].size()) return bad();
  }
  const auto sums = [](const std::vector<uint64_t>& counts, uint64_t total,
                       std::vector<uint64_t>& first) {
    uint64_t sum = 0;
    for (const uint64_t count : counts) {
      if (count == 0 || count > total - sum) return false;
      first.push_back(sum);
      sum += count;
    }
    first.push_back(sum);
    return sum == total;
  };
  const size_t parts = column(ReadColumn::head).size();
  if (column(ReadColumn::label).size() != column(ReadColumn::instance).size() ||
      column(ReadColumn::parts).size() != column(ReadColumn::instance).size() ||
      !sums(column(ReadColumn::parts), parts, reads.first_part))
    return bad();
  for (const ReadColumn which : {ReadColumn::length, ReadColumn::offset, ReadColumn::thread,
                                 ReadColumn::path, ReadColumn::time, ReadColumn::item})
    if (column(which).size() != parts) return bad();
  if (column(ReadColumn::effects).size() != column(ReadColumn::effect_instance).size() ||
      column(ReadColumn::effect_length).size() != column(ReadColumn::effect_kind).size() ||
      column(ReadColumn::effect_from).size() != column(ReadColumn::effect_kind).size() ||
      !sums(column(ReadColumn::effects), column(ReadColumn::effect_kind).size(),
            reads.first_effect))
    return bad();
  if (!std::ranges::is_sorted(column(ReadColumn::instance)) ||
      !std::ranges::is_sorted(column(ReadColumn::effect_instance)))
    return bad();
  reads.open = true;
  return {};
}

// The labels in parts of a node's executions in the block, and what calls before them did.
Result<void> WetBlocks::read_parts(const Used& used, Reads& reads, DependenceBlock& block) {
  const auto column = [&](ReadColumn which) -> const std::vector<uint64_t>& {
    return reads.columns[static_cast<size_t>(which)];
  };
  const uint64_t begin = used.first, end = begin + used.at.size();
  const auto from = [&](ReadColumn which) {
    const auto& list = column(which);
    return static_cast<size_t>(std::ranges::lower_bound(list, begin) - list.begin());
  };
  const size_t first_effect = effects_.size();
  const auto& with_effects = column(ReadColumn::effect_instance);
  for (size_t e = from(ReadColumn::effect_instance);
       e < with_effects.size() && with_effects[e] < end; ++e) {
    const uint32_t at = used.at[with_effects[e] - begin];
    const PathStep& step = block.steps[at];
    if (!step.before || step.before->end != SegmentEnd::call ||
        stopped_at(trace_.functions()[step.before->function], *step.before) == kNone)
      return bad();
    for (uint64_t i = reads.first_effect[e]; i < reads.first_effect[e + 1]; ++i) {
      const uint64_t kind = column(ReadColumn::effect_kind)[i];
      if (kind > static_cast<uint64_t>(CallEffect::Kind::brings)) return bad();
      effects_.push_back(
          {at,
           static_cast<uint32_t>(i - reads.first_effect[e]),
           {static_cast<CallEffect::Kind>(kind), column(ReadColumn::effect_length)[i], Label(),
            column(ReadColumn::effect_from)[i]}});
    }
  }
  const auto& instances = column(ReadColumn::instance);
  size_t effect = first_effect;
  for (size_t r = from(ReadColumn::instance); r < instances.size() && instances[r] < end; ++r) {
    const uint32_t at = used.at[instances[r] - begin];
    const uint64_t number = column(ReadColumn::label)[r];
    const uint64_t now = block.first_time + at;
    const auto label = read_label(reads, r, now, block);
    if (!label) return std::unexpected(label.error());
    if (number < used.shape->labels) {
      block.labels[block.first_label[at] + number] = *label;
      continue;
    }
    while (effect < effects_.size() && effects_[effect].at < at) ++effect;
    const uint64_t place = effect + (number - used.shape->labels);
    if (place >= effects_.size() || effects_[place].at != at) return bad();
    effects_[place].effect.label = *label;
  }
  return {};
}

Result<Label> WetBlocks::read_label(Reads& reads, uint64_t read, uint64_t now,
                                    DependenceBlock& block) {
  const auto column = [&](ReadColumn which, uint64_t i) {
    return reads.columns[static_cast<size_t>(which)][i];
  };
  const uint64_t first = reads.first_part[read], end = reads.first_part[read + 1];
  const Label parts = Label::parts(block.parts.size());
  for (uint64_t i = first; i < end; ++i) {
    const uint64_t head = column(ReadColumn::head, i);
    LabelPart part;
    part.length = column(ReadColumn::length, i);
    part.offset = column(ReadColumn::offset, i);
    part.copied = (head & kHeadCopied) != 0;
    part.last = i + 1 == end;
    const auto kind = static_cast<Label::Kind>(head & 7);
    if (kind == Label::Kind::one) {
      const uint64_t item = column(ReadColumn::item, i);
      uint64_t time = column(ReadColumn::time, i);
      if (item >= Label::kMostItems) return bad();
      if (head & kHeadForeign) {
        const uint64_t thread = column(ReadColumn::thread, i);
        if (thread >= trace_.threads().size() || time == 0 || time >= Label::kEndOfTime)
          return bad();
        part.thread = static_cast<uint32_t>(thread);
      } else {
        const uint64_t path = column(ReadColumn::path, i);
        if (path > UINT32_MAX) return bad();
        const auto found = time_of(static_cast<uint32_t>(path), time);
        if (!found) return std::unexpected(found.error());
        time = *found;
        if (time > now) return bad();
      }
      part.label = Label::written(time, static_cast<uint32_t>(item));
    } else {
      const auto label = Label::of_nobody(kind);
      if (!label) return bad();
      part.label = *label;
    }
    if (head & kHeadAlone) {
      if (end != first + 1 || part.foreign()) return bad();
      return part.label;
    }
    block.parts.push_back(part);
  }
  return parts;
}

}  // namespace vestige
