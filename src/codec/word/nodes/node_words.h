// The word codec `nodes`: words as the labels of a whole execution trace (WET, section 3.1). Each
// different word is a node, and its label are the places where it stands.
//
// The idea: what follows a place is the node that has the next place among its labels. Labels rise,
// and each is compressed by the paper's bidirectional codecs (selected_stream.h), so one cursor per
// node, moved forwards or backwards, gives the words in order.
//
//   bytes := varint words, varint nodes, node*
//   node  := varint word - word before (the first: - 0), varint places, selected: the places, from
//            0, rising
//
// Every place has one node. The word 2^32 - 1 cannot be told.
//
// Cost: 10–20 ns a word in either direction. A jump moves every node's cursor over what lies
// between. Memory of a cursor: that of a bidirectional cursor per node.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "codec/stream_codec.h"
#include "codec/word_codec.h"

namespace vestige {

class NodeWordsEncoder final : public WordEncoder {
 public:
  void append(std::span<const uint32_t> words) override;
  uint64_t size() const override { return size_; }
  uint64_t encoded_bytes() const override { return 0; }
  Bytes finish() override;

 private:
  uint64_t size_ = 0;
  std::unordered_map<uint32_t, uint32_t> numbers_;
  std::vector<std::pair<uint32_t, std::vector<uint64_t>>> nodes_;
};

// The nodes, by rising word. The bytes must outlive it.
class NodeWords {
 public:
  struct Node {
    uint32_t word = 0;
    uint64_t places = 0;
    StreamCodec codec = StreamCodec::last2_stride;
    ByteView stream;
  };
  static Result<NodeWords> open(ByteView bytes);

  uint64_t words() const { return words_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  // On the places of a node.
  static Result<std::unique_ptr<StreamCursor>> cursor(const Node& node);

 private:
  uint64_t words_ = 0;
  std::vector<Node> nodes_;
};

// The words of stretches of places, for callers that go through them forwards or backwards.
class NodeWordsReader {
 public:
  explicit NodeWordsReader(NodeWords words) : words_(std::move(words)) {}
  const NodeWords& words() const { return words_; }
  // Numbers of nodes at places [begin, begin + out.size()).
  Result<void> read(uint64_t begin, std::span<uint32_t> out);
  // The place before which all cursors stand, after that: begin or its end; and how many of a
  // node's lie before it.
  uint64_t at() const { return at_; }
  uint64_t before(uint32_t node) const { return cursors_[node]->position(); }

 private:
  Result<void> fill(uint64_t begin, std::span<uint32_t> out);
  Result<void> move_to(uint64_t place);

  NodeWords words_;
  std::vector<std::unique_ptr<StreamCursor>> cursors_;  // all stand before the first place >= at_
  uint64_t at_ = 0;
};

Result<std::unique_ptr<WordCursor::Blocks>> open_node_blocks(ByteView bytes);

}  // namespace vestige
