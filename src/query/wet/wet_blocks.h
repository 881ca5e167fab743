// A cursor over the blocks of one thread of a stored whole execution trace (wet_edges.h).
//
// Of the segment at hand it keeps a cursor on each node's times and on the pairs of each edge that
// was met, all of them standing before the path that was asked for last: going on either way
// is a step of each. An instance of a producer becomes a time by the node's times, which are
// unpacked when a label first names the node: four bytes an execution, forgotten beyond kMostTimes.
//
// One owner thread.
#pragma once

#include "codec/word/nodes/node_words.h"
#include "query/wet/node_edges.h"
#include "trace/windows/wet_segments.h"

namespace vestige {

class WetBlocks final : public StoredBlockCursor {
 public:
  // All must outlive it; blocks by segment.
  WetBlocks(const Trace& trace, const CallNames& names, uint32_t thread,
            const std::vector<WetSegment>& segments,
            const std::vector<std::vector<WetBlock>>& blocks)
      : trace_(trace),
        names_(names),
        thread_(thread),
        segments_(segments),
        blocks_(blocks),
        shapes_(trace) {}
  Result<void> read(const BlockPlace& place, DependenceBlock& block) override;

 private:
  static constexpr uint64_t kMostTimes = uint64_t{1} << 26;
  static constexpr uint64_t kMostLabels = 2 * kBlockLabels + Label::kMostItems;

  // On pairs: all before the cursors are of executions before `at`.
  struct PairCursor {
    std::unique_ptr<StreamCursor> consumers, producers;
    uint64_t at = 0;
    bool open = false;
  };
  // What is read in parts, unpacked.
  struct Reads {
    std::vector<uint64_t> columns[kReadColumns];
    std::vector<uint64_t> first_part, first_effect;  // by read; by execution with effects
    bool open = false;
  };
  struct Node {
    const Path* path = nullptr;
    std::vector<PairCursor> pairs;  // by NodeEdges::pairs
    Reads reads;
  };
  // Where executions of a path are: those of a segment, from this number on.
  struct Stretch {
    uint64_t base = 0;
    uint32_t segment = 0, node = 0;
  };
  struct Used {
    uint32_t node = 0;
    uint64_t first = 0;        // its first execution in the block, in the segment
    std::vector<uint32_t> at;  // paths of the block
    const PathShape* shape = nullptr;
  };

  Result<void> find_stretches();
  Result<void> open_segment(uint32_t number);
  Result<NodeWords> words_of(uint32_t segment) const;
  Result<void> read_paths(const WetBlock& from, DependenceBlock& block);
  Result<void> read_pairs(const Used& used, const EdgePairs& pairs, PairCursor& cursor,
                          DependenceBlock& block);
  Result<void> open_pairs(const Used& used, const EdgePairs& pairs, PairCursor& cursor) const;
  Result<void> take(const Used& used, const EdgePairs& pairs, uint64_t consumer, uint64_t producer,
                    DependenceBlock& block);
  Result<void> open_reads(const NodeEdges& edges, Reads& reads) const;
  Result<void> read_parts(const Used& used, Reads& reads, DependenceBlock& block);
  Result<Label> read_label(Reads& reads, uint64_t read, uint64_t now, DependenceBlock& block);
  Result<uint64_t> time_of(uint32_t path, uint64_t instance);
  Error in_segment(const Error& error) const;

  const Trace& trace_;
  const CallNames& names_;
  const uint32_t thread_;
  const std::vector<WetSegment>& segments_;
  const std::vector<std::vector<WetBlock>>& blocks_;
  PathShapes shapes_;
  bool stretches_known_ = false;
  std::unordered_map<uint32_t, std::vector<Stretch>> stretches_;  // by path id
  std::unordered_map<uint64_t, std::vector<uint32_t>> times_;     // by segment and node
  uint64_t kept_times_ = 0;
  // Of the segment at hand.
  uint32_t segment_ = kNone;
  SegmentEdges edges_;
  std::optional<NodeWordsReader> words_;
  std::vector<Node> nodes_;
  // Of the block at hand.
  std::vector<uint32_t> numbers_;
  std::vector<Used> used_;
  std::vector<uint32_t> used_of_;  // by node; kNone: it does not run in the block
  struct Effect {
    uint32_t at = 0, number = 0;  // path of the block; which of its effects
    CallEffect effect;
  };
  std::vector<Effect> effects_;
};

}  // namespace vestige
