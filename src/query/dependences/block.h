// A stretch of one thread's time with its dependences: paths, activations, and for every statement
// that read memory the label of who wrote it, unrecorded calls with known effects included.
// docs/index-format.md describes its bytes.
//
// Labels are told per statement of a path, for all executions in the block together: most are
// the same statement of the same path, or the same distance back, each time. Those that follow from
// the path, or from the label of another read in it, cost nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "query/dependences/label.h"
#include "query/dependences/path_shape.h"
#include "query/dependences/path_steps.h"

namespace vestige {

// A block ends with the path that reaches one of these.
inline constexpr uint64_t kBlockPaths = 1 << 13;
inline constexpr uint64_t kBlockLabels = 1 << 18;
inline constexpr uint64_t kBlockParts = 1 << 20;

// What the unrecorded code that a path goes on behind did to memory (program/library.h), in order.
// Labels name the effects of a path as items behind those that it executes: the first of them is
// PathShape::items.size(). All are done before the path's own items, and all that is read before
// anything is written.
struct CallEffect {
  enum class Kind : uint8_t {  // on disk
    reads = 0,
    copies = 1,    // and writes what it read
    computes = 2,  // writes what it made of what the call was given and of all that `reads`
    brings = 3,    // the same, and something from outside of the program
  };
  Kind kind = Kind::reads;
  uint64_t length = 0;  // of what is read
  Label label;          // who wrote that
  uint64_t from = 0;    // where it is read; known in blocks that a trace keeps (stored_blocks.h)
  bool reads_memory() const { return kind <= Kind::copies; }
};

// What is written.
struct RawBlock {
  uint64_t first_time = 0;
  PathSteps::Position position;            // before the first path
  std::vector<PathSteps::Change> changes;  // before one of its paths
  std::vector<const Path*> paths;
  std::vector<Label> labels;  // PathShape::labels of each path
  std::vector<LabelPart> parts;
  struct Effects {
    uint32_t path = 0;  // of the block
    uint32_t first = 0, count = 0;
  };
  std::vector<Effects> effects_of;  // by rising path
  std::vector<CallEffect> effects;
};

// What is read.
struct DependenceBlock {
  uint64_t first_time = 1;
  std::vector<PathStep> steps;
  std::vector<const PathShape*> shapes;  // by step
  std::vector<uint32_t> first_label;     // by step
  std::vector<Label> labels;
  std::vector<LabelPart> parts;
  std::vector<uint32_t> first_effect;  // by step, and one behind the last
  std::vector<CallEffect> effects;

  uint64_t end_time() const { return first_time + steps.size(); }
  Label label(size_t step, const ShapeItem& item) const {
    return labels[first_label[step] + item.label];
  }
  std::span<const CallEffect> effects_of(size_t step) const {
    return std::span(effects).subspan(first_effect[step],
                                      first_effect[step + 1] - first_effect[step]);
  }
};

Bytes encode_block(const RawBlock& block, PathShapes& shapes);

// Of blocks of one trace. One owner thread.
class BlockDecoder {
 public:
  BlockDecoder(const Trace& trace, const CallNames& names)
      : trace_(trace), names_(names), shapes_(trace) {}
  // `paths`: how many the block has. The shapes of blocks decoded before are gone.
  Result<void> decode(ByteView bytes, uint64_t first_time, uint64_t paths, DependenceBlock& block);
  PathShapes& shapes() { return shapes_; }

 private:
  const Trace& trace_;
  const CallNames& names_;
  PathShapes shapes_;
};

}  // namespace vestige
