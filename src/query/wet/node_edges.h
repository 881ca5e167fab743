// The edges that lead to the nodes of a segment, as a chunk (docs/format.md, "node edges").
//
// An edge says which execution of one node wrote what a statement of another one read, as pairs of
// instance numbers. Within one node and one segment all edges from one other node that have the
// same pairs share them; pairs that follow from the node's executions are not kept (WET, section
// 3.3).
//
// Dependences on operands, arguments, results and branches have no labels: within an activation
// each is on the last execution before, so it follows from the times of the nodes, from where
// activations begin and end, and from the static program.
#pragma once

#include <vector>

#include "codec/groups/selected_stream.h"
#include "query/dependences/block.h"
#include "query/dependences/dependence_file.h"
#include "store/wet_chunk.h"

namespace vestige {

// In the place of the path of a producer.
enum class NoProducer : uint32_t { changed = 0, nowhere = 1, unordered = 2 };
inline constexpr uint32_t kNoProducers = 3;  // path ids begin far above

// Pairs that several edges may share.
struct EdgePairs {
  uint32_t producer = 0;  // path id, or NoProducer
  // Which executions of the consumer, in this segment, from 0, rising; none: all of them.
  std::optional<SelectedStream> consumers;
  // And of the producer, in the thread, from 0; none: the consumer's own (of NoProducer nothing).
  std::optional<SelectedStream> producers;
  struct Use {
    uint32_t label = 0;  // of the consumer: ShapeItem::label
    uint32_t item = 0;   // of the producer; behind its items what calls before it did
  };
  std::vector<Use> uses;
};

// What is read in parts, or by calls of unrecorded code (block.h): columns.
//   reads: instance, label, parts of each; parts: head, length, offset, thread, path, instance
//   (or of another thread: time), item; effects: instance, how many; kind, length, address
//   that is read of each
enum class ReadColumn : uint8_t {
  instance,
  label,
  parts,
  head,
  length,
  offset,
  thread,
  path,
  time,
  item,
  effect_instance,
  effects,
  effect_kind,
  effect_length,
  effect_from,
  count_
};
inline constexpr size_t kReadColumns = static_cast<size_t>(ReadColumn::count_);
// Bits of a head: Label::Kind, copied, of another thread, and alone (not told in parts).
inline constexpr uint64_t kHeadCopied = 8, kHeadForeign = 16, kHeadAlone = 32;

struct NodeEdges {
  uint32_t path = 0;
  uint64_t executions = 0;
  std::vector<EdgePairs> pairs;
  std::vector<SelectedStream> columns;  // of reads, by ReadColumn; empty: there are none
};

struct WetBlock {
  BlockPlace place;
  std::vector<uint64_t> pages;  // falling
  PathSteps::Position position;
  std::vector<PathSteps::Change> changes;
};

// What is written of a node: what its NodeEdges say, and the streams.
struct NodeEdgesBytes {
  uint32_t path = 0;
  uint64_t executions = 0;
  ByteWriter index, streams;
};
Bytes encode_node_edges(const WetChunkHead& head, const std::vector<WetBlock>& blocks,
                        std::vector<NodeEdgesBytes>& nodes);

struct SegmentEdges {
  WetChunkHead head;
  std::vector<WetBlock> blocks;
  std::vector<NodeEdges> nodes;  // by rising path id
};
// The payload must outlive it. Without `nodes` the blocks only.
Result<SegmentEdges> decode_node_edges(const Trace& trace, ByteView payload, bool nodes);

}  // namespace vestige
