// The edges of one thread of a whole execution trace while it is written: takes the blocks of its
// dependences, path by path, and turns times into instance numbers.
//
// Memory: the labels of a segment, and eight bytes a path of which all but a few pages lie in a
// temporary file.
//
// One owner thread.
#pragma once

#include "base/spill_array.h"
#include "query/dependences/block_cursor.h"
#include "query/dependences/thread_steps.h"
#include "query/wet/edge_log.h"
#include "query/wet/wet_nodes.h"

namespace vestige {

class BlockWriter {
 public:
  // All must outlive it.
  BlockWriter(const Trace& trace, const DependenceReader& dependences, const CallNames& names,
              uint32_t thread)
      : trace_(trace),
        dependences_(dependences),
        thread_(thread),
        cursor_(trace, names, dependences, thread),
        steps_(trace, names, thread) {}

  Result<void> begin();
  // Whether a block begins with the path of this time: only there a segment may begin.
  bool at_block(uint64_t time) const { return time >= end_time_; }
  // The path of this time is execution `instance` of the node, from 0, and so manyth of the
  // segment. Transfers: what calls before it did.
  Result<void> add(const Path& path, uint64_t time, uint32_t node, uint32_t instance,
                   uint32_t in_segment, std::span<const Transfer> transfers);
  size_t bytes() const { return log_.bytes(); }
  uint64_t labels() const { return log_.labels(); }
  // The edges of the segment, which is over.
  Result<Bytes> finish_segment(const WetChunkHead& head, WetNodes& nodes);

 private:
  struct Reader {
    uint32_t node = 0, instance = 0;  // of the segment
  };

  Result<void> begin_block(uint64_t time);
  void end_block();
  Result<EdgeLog::Place> place_of(uint64_t time);
  Result<void> add_label(const Reader& reader, uint32_t number, Label label);
  Result<void> add_parts(const Reader& reader, uint32_t number, Label label, uint64_t length);

  const Trace& trace_;
  const DependenceReader& dependences_;
  const uint32_t thread_;
  DependenceBlockCursor cursor_;
  ThreadSteps steps_;
  size_t block_ = SIZE_MAX;
  uint64_t end_time_ = 0;         // of the block
  std::vector<uint64_t> before_;  // by block: paths before it
  SpillArray<EdgeLog::Place> executions_;
  EdgeLog log_;
  std::vector<WetBlock> blocks_;  // of the segment
};

}  // namespace vestige
