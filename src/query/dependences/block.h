// A stretch of one thread's time with its dependences: paths, activations, and for every statement
// that read memory the label of who wrote it. docs/index-format.md describes its bytes.
//
// Labels are told per statement of a path, for all executions in the block together: most are
// the same statement of the same path, or the same distance back, each time. Those that follow from
// the path, or from the label of another read in it, cost nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "query/dependences/label.h"
#include "query/dependences/path_shape.h"
#include "query/dependences/path_steps.h"

namespace vestige {

// A block ends with the path that reaches one of these.
inline constexpr uint64_t kBlockPaths = 1 << 13;
inline constexpr uint64_t kBlockLabels = 1 << 18;

// What is written.
struct RawBlock {
  uint64_t first_time = 0;
  PathSteps::Position position;            // before the first path
  std::vector<PathSteps::Change> changes;  // before one of its paths
  std::vector<const Path*> paths;
  std::vector<Label> labels;  // PathShape::labels of each path
  std::vector<LabelPart> parts;
};

// What is read.
struct DependenceBlock {
  uint64_t first_time = 1;
  std::vector<PathStep> steps;
  std::vector<const PathShape*> shapes;  // by step
  std::vector<uint32_t> first_label;     // by step
  std::vector<Label> labels;
  std::vector<LabelPart> parts;

  uint64_t end_time() const { return first_time + steps.size(); }
  Label label(size_t step, const ShapeItem& item) const {
    return labels[first_label[step] + item.label];
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
