#include "query/wet/block_writer.h"

#include <algorithm>

#include "trace/parallel.h"

namespace vestige {

namespace {

// Where each of the effects reads. They are transfers of the call, some of which are left out
// (dependences/build.cpp): kinds and lengths say which.
std::vector<uint64_t> read_from(const PathStep& step, std::span<const CallEffect> effects,
                                std::span<const Transfer> transfers) {
  std::vector<uint64_t> from;
  size_t next = 0;
  for (const CallEffect& effect : effects) {
    from.push_back(0);
    if (!effect.reads_memory()) continue;
    for (; next < transfers.size(); ++next) {
      const Transfer& t = transfers[next];
      const bool reads = t.kind == LibraryRange::Kind::read || t.kind == LibraryRange::Kind::copy;
      if (!reads || t.call_time != step.before_time || !t.has_from || !t.has_length ||
          t.length != effect.length ||
          (t.kind == LibraryRange::Kind::read) != (effect.kind == CallEffect::Kind::reads))
        continue;
      from.back() = t.from;
      ++next;
      break;
    }
  }
  return from;
}

}  // namespace

Result<void> BlockWriter::begin() {
  if (auto opened = steps_.open(); !opened) return opened;
  uint64_t paths = 0;
  for (const BlockPlace& place : cursor_.places()) {
    before_.push_back(paths);
    paths += place.paths;
  }
  return {};
}

Result<void> BlockWriter::begin_block(uint64_t time) {
  end_block();
  ++block_;
  if (block_ >= cursor_.places().size() || cursor_.places()[block_].first_time != time)
    return impossible_dependence();
  if (auto gone = cursor_.go_to(block_); !gone) return gone;
  const BlockPlace& place = cursor_.places()[block_];
  end_time_ = place.end_time();
  if (auto begun = steps_.begin_block(time); !begun) return begun;
  WetBlock& block = blocks_.emplace_back();
  block.place = place;
  auto pages = dependences_.pages(thread_, place);
  if (!pages) return std::unexpected(std::move(pages.error()));
  block.pages = std::move(*pages);
  return {};
}

void BlockWriter::end_block() {
  if (!blocks_.empty()) blocks_.back().position = steps_.saved();
}

Result<void> BlockWriter::add(const Path& path, uint64_t time, uint32_t node, uint32_t instance,
                              uint32_t in_segment, std::span<const Transfer> transfers) {
  if (at_block(time))
    if (auto begun = begin_block(time); !begun) return begun;
  PathStep step;
  if (!steps_.next(path, time, blocks_.back().changes, step)) return impossible_dependence();
  executions_.append({node, instance});
  const DependenceBlock& block = cursor_.block();
  const size_t at = time - block.first_time;
  const PathShape& shape = *block.shapes[at];
  const Reader reader{node, in_segment};
  for (uint32_t label = 0; label < shape.labels; ++label)
    if (auto added = add_label(reader, label, block.labels[block.first_label[at] + label]); !added)
      return added;
  const auto effects = block.effects_of(at);
  if (effects.empty()) return {};
  log_.column(node, ReadColumn::effect_instance).push_back(in_segment);
  log_.column(node, ReadColumn::effects).push_back(effects.size());
  const std::vector<uint64_t> from = read_from(step, effects, transfers);
  for (uint32_t i = 0; i < effects.size(); ++i) {
    log_.column(node, ReadColumn::effect_from).push_back(from[i]);
    log_.column(node, ReadColumn::effect_kind).push_back(static_cast<uint64_t>(effects[i].kind));
    log_.column(node, ReadColumn::effect_length).push_back(effects[i].length);
    if (!effects[i].reads_memory()) continue;
    if (auto added = add_parts(reader, shape.labels + i, effects[i].label, effects[i].length);
        !added)
      return added;
  }
  return {};
}

Result<EdgeLog::Place> BlockWriter::place_of(uint64_t time) {
  const size_t block = cursor_.block_at(time);
  const BlockPlace& place = cursor_.places()[block];
  if (block > block_ || time < place.first_time || time >= place.end_time() ||
      before_[block] + (time - place.first_time) >= executions_.size())
    return impossible_dependence();
  return executions_.at(before_[block] + (time - place.first_time));
}

Result<void> BlockWriter::add_label(const Reader& reader, uint32_t number, Label label) {
  switch (label.kind()) {
    case Label::Kind::one: {
      const auto of = place_of(label.time());
      if (!of) return std::unexpected(of.error());
      log_.add(reader.node, reader.instance, number, *of, label.item());
      return {};
    }
    case Label::Kind::nobody:
      return {};
    case Label::Kind::changed:
      log_.add(reader.node, reader.instance, number, NoProducer::changed);
      return {};
    case Label::Kind::nowhere:
      log_.add(reader.node, reader.instance, number, NoProducer::nowhere);
      return {};
    case Label::Kind::unordered:
      log_.add(reader.node, reader.instance, number, NoProducer::unordered);
      return {};
    case Label::Kind::parts:
      return add_parts(reader, number, label, 0);
  }
  return impossible_dependence();
}

Result<void> BlockWriter::add_parts(const Reader& reader, uint32_t number, Label label,
                                    uint64_t length) {
  const auto put = [&](ReadColumn which, uint64_t value) {
    log_.column(reader.node, which).push_back(value);
  };
  put(ReadColumn::instance, reader.instance);
  put(ReadColumn::label, number);
  const bool alone = label.kind() != Label::Kind::parts;
  uint64_t count = 0;
  for (uint64_t i = alone ? 0 : label.first_part();; ++i) {
    const LabelPart part = alone ? LabelPart{.length = length, .label = label, .last = true}
                                 : cursor_.block().parts[i];
    ++count;
    put(ReadColumn::head, static_cast<uint64_t>(part.label.kind()) |
                              (part.copied ? kHeadCopied : 0) |
                              (part.foreign() ? kHeadForeign : 0) | (alone ? kHeadAlone : 0));
    put(ReadColumn::length, part.length);
    put(ReadColumn::offset, part.offset);
    put(ReadColumn::thread, part.foreign() ? part.thread : 0);
    const bool written = part.label.kind() == Label::Kind::one;
    EdgeLog::Place of;
    if (written && !part.foreign()) {
      const auto found = place_of(part.label.time());
      if (!found) return std::unexpected(found.error());
      of = *found;
    }
    put(ReadColumn::path, of.node);
    put(ReadColumn::time, part.foreign() ? part.label.time() : of.instance);
    put(ReadColumn::item, written ? part.label.item() : 0);
    if (part.last) break;
  }
  put(ReadColumn::parts, count);
  return {};
}

Result<Bytes> BlockWriter::finish_segment(const WetChunkHead& head, WetNodes& nodes) {
  end_block();
  std::vector<uint32_t> order;
  for (uint32_t n = 0; n < nodes.size(); ++n)
    if (nodes[n].executions > 0) order.push_back(n);
  std::ranges::sort(order, {}, [&](uint32_t n) { return nodes[n].path->id; });
  const auto path = [&](uint32_t n) { return nodes[n].path->id; };
  std::vector<NodeEdgesBytes> out(order.size());
  run_parallel(order.size(), [&](size_t, size_t i) {
    const WetNode& node = nodes[order[i]];
    out[i].path = node.path->id;
    out[i].executions = node.executions;
    // Columns have numbers of nodes; a file has paths.
    if (log_.has_columns(order[i]))
      for (uint64_t& of : log_.column_of(order[i], ReadColumn::path))
        of = path(static_cast<uint32_t>(of));
    log_.finish(order[i], node.executions, node.instances - node.executions, path, out[i]);
    return true;
  });
  log_.clear();
  Bytes bytes = encode_node_edges(head, blocks_, out);
  blocks_.clear();
  if (executions_.failed())
    return fail(ErrorKind::io, "a temporary file of the edges' labels cannot be read");
  return bytes;
}

}  // namespace vestige
