// How a function's IR lines up with the static program: block and statement numbers, where blocks
// are cut into segments, and which edges cut paths. Built from the IR as the pass finds it, before
// anything is inserted; the description and the instrumentation both work from it.
#pragma once

#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "program/numbering.h"
#include "vestige/program.h"

namespace vestige {

// What an instruction means for paths.
struct Cut {
  SegmentEnd end = SegmentEnd::branch;  // branch: the path goes on
  bool returns_twice = false;
};
Cut cut_at(const llvm::Instruction& instruction);

// Not in the program table at all: debug intrinsics and probes.
bool is_invisible(const llvm::Instruction& instruction);

struct Layout {
  std::vector<llvm::BasicBlock*> blocks;
  std::vector<llvm::Instruction*> statements;
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> block_index;
  llvm::DenseMap<const llvm::Instruction*, uint32_t> statement_index;
  std::vector<uint32_t> first_statement;  // per block
  std::vector<Segment> segments;          // cut, limited, numbered
  std::vector<uint32_t> first_segment;    // per block
  Numbering numbering;
};

// At most this many paths may start at one place; beyond it, edges are cut.
inline constexpr uint64_t kPathsPerStart = 1 << 16;

Layout lay_out(llvm::Function& function);

}  // namespace vestige
