#include "codec/word/nodes/node_words.h"

#include <algorithm>

#include "codec/groups/selected_stream.h"

namespace vestige {

namespace {

constexpr uint64_t kMostWords = uint64_t{1} << 33;  // no chunk has more
constexpr uint32_t kNoNode = UINT32_MAX;

std::unexpected<Error> bad(const char* what) {
  return fail(ErrorKind::corrupt, std::string("words as nodes: ") + what);
}

class NodeBlocks final : public WordCursor::Blocks {
 public:
  explicit NodeBlocks(NodeWords words) : reader_(std::move(words)) {}

  uint64_t size() const override { return reader_.words().words(); }
  Result<std::span<const uint32_t>> decode(uint64_t n) override {
    const uint64_t begin = n * kWordBlock;
    block_.resize(std::min<uint64_t>(kWordBlock, size() - begin));
    if (auto read = reader_.read(begin, block_); !read)
      return std::unexpected(std::move(read.error()));
    for (uint32_t& word : block_) word = reader_.words().nodes()[word].word;
    return block_;
  }

 private:
  NodeWordsReader reader_;
  std::vector<uint32_t> block_;
};

}  // namespace

void NodeWordsEncoder::append(std::span<const uint32_t> words) {
  for (const uint32_t word : words) {
    const auto [at, fresh] = numbers_.try_emplace(word, static_cast<uint32_t>(nodes_.size()));
    if (fresh) nodes_.emplace_back(word, std::vector<uint64_t>());
    nodes_[at->second].second.push_back(size_++);
  }
}

Bytes NodeWordsEncoder::finish() {
  std::ranges::sort(nodes_, {}, [](const auto& node) { return node.first; });
  ByteWriter out;
  out.varint(size_);
  out.varint(nodes_.size());
  uint32_t before = 0;
  for (auto& [word, places] : nodes_) {
    out.varint(word - std::exchange(before, word));
    out.varint(places.size());
    encode_selected(places, out);
    places = {};
  }
  numbers_.clear();
  nodes_.clear();
  size_ = 0;
  return out.take();
}

Result<NodeWords> NodeWords::open(ByteView bytes) {
  ByteReader in(bytes);
  NodeWords words;
  words.words_ = in.varint();
  words.nodes_.resize(in.count(5));
  uint64_t word = 0, places = 0;
  for (Node& node : words.nodes_) {
    word += in.varint();
    node.word = static_cast<uint32_t>(word);
    node.places = in.varint();
    const auto stream = read_selected(in);
    if (!stream) return std::unexpected(stream.error());
    node.codec = stream->codec;
    node.stream = stream->bytes;
    const bool rises = &node == words.nodes_.data() || word > (&node - 1)->word;
    if (word >= kNoNode || !rises || node.places == 0 || node.places > words.words_ - places)
      return bad("a node makes no sense");
    places += node.places;
  }
  if (in.failed() || in.remaining() != 0) return bad("they are cut short");
  if (words.words_ > kMostWords || places != words.words_)
    return bad("there are more or fewer places than words");
  return words;
}

Result<std::unique_ptr<StreamCursor>> NodeWords::cursor(const Node& node) {
  auto cursor = open_stream(node.codec, node.stream);
  if (cursor && (*cursor)->size() != node.places)
    return bad("a node has other places than it says");
  return cursor;
}

Result<void> NodeWordsReader::read(uint64_t begin, std::span<uint32_t> out) {
  auto filled = fill(begin, out);
  // Where the cursors stand after damage says nothing.
  if (!filled) cursors_.clear();
  return filled;
}

Result<void> NodeWordsReader::fill(uint64_t begin, std::span<uint32_t> out) {
  const uint64_t end = begin + out.size();
  if (end > words_.words()) return bad("there are not so many");
  if (cursors_.empty()) {
    for (const NodeWords::Node& node : words_.nodes()) {
      auto cursor = NodeWords::cursor(node);
      if (!cursor) return std::unexpected(std::move(cursor.error()));
      // From whichever end is nearer.
      if (begin > words_.words() / 2) (*cursor)->seek((*cursor)->size());
      cursors_.push_back(std::move(*cursor));
    }
    at_ = begin > words_.words() / 2 ? words_.words() : 0;
  }
  const bool backwards = at_ == end && at_ != begin;
  if (!backwards)
    if (auto moved = move_to(begin); !moved) return moved;
  std::ranges::fill(out, kNoNode);
  uint64_t filled = 0;
  for (uint32_t number = 0; number < cursors_.size(); ++number) {
    StreamCursor& cursor = *cursors_[number];
    uint64_t place = 0;
    const auto put = [&] {
      uint32_t& slot = out[place - begin];
      if (slot != kNoNode) return false;
      slot = number;
      ++filled;
      return true;
    };
    if (backwards) {
      while (cursor.prev(place)) {
        if (place < begin) {
          cursor.next(place);
          break;
        }
        if (place >= end || !put()) return bad("two nodes stand at one place");
      }
    } else {
      while (cursor.next(place)) {
        if (place >= end) {
          cursor.prev(place);
          break;
        }
        if (place < begin || !put()) return bad("two nodes stand at one place");
      }
    }
    if (cursor.error()) return std::unexpected(*cursor.error());
  }
  if (filled != out.size()) return bad("no node stands at a place");
  at_ = backwards ? begin : end;
  return {};
}

Result<void> NodeWordsReader::move_to(uint64_t place) {
  if (at_ == place) return {};
  for (const auto& cursor : cursors_) {
    uint64_t value = 0;
    if (at_ < place) {
      while (cursor->next(value))
        if (value >= place) {
          cursor->prev(value);
          break;
        }
    } else {
      while (cursor->prev(value))
        if (value < place) {
          cursor->next(value);
          break;
        }
    }
    if (cursor->error()) return std::unexpected(*cursor->error());
  }
  at_ = place;
  return {};
}

Result<std::unique_ptr<WordCursor::Blocks>> open_node_blocks(ByteView bytes) {
  auto words = NodeWords::open(bytes);
  if (!words) return std::unexpected(std::move(words.error()));
  return std::make_unique<NodeBlocks>(std::move(*words));
}

}  // namespace vestige
