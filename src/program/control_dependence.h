// Which branches decide whether a block runs, from the successors alone.
//
// A block depends on the branch of A when it runs on every way from one of A's edges to the end,
// and not on every way from A (Ferrante, Ottenstein and Warren, The Program Dependence Graph and
// Its Use in Optimization, section 3.1). That needs an end that every block reaches. In a function
// that may never end, an *endless region* has none: blocks that reach each other and nothing else.
// There
//
//   - a *round* begins at the region's entry, the block where control comes in from outside; each
//     way ends where it comes back to the entry. So a branch decides on what one round runs, and on
//     nothing of the next one;
//   - a region with several entries has rounds from each of them, and a block depends on a branch
//     when it does so in the rounds of one of them.
//
// Where every block reaches an end this is the paper's definition. A loop that can be left is taken
// to be left: what follows it does not depend on its branch.
//
// A loop with its test behind it that every round runs (`for (;;) do work(); while (more());`) has
// blocks that the round itself began, not the branch that left the loop a round ago. Of those
// Block::round is the entry: when that ran later than the branches, the block was decided on as the
// entry was. Only regions with one entry have this.
//
// Cost: near linear in the edges and in the dependences, times the number of entries of the region
// that has most.
#pragma once

#include <span>

#include "vestige/program.h"

namespace vestige {

// False: every block reaches an end. True also where that would take long to find out.
bool may_be_endless(std::span<const Block> blocks);
// Sets Block::control_parents, by rising number, and Block::round. The successors must be blocks.
// False: there are more than `most` dependences, and what was set is not all.
bool find_control_dependences(std::span<Block> blocks, uint64_t most = UINT64_MAX);

}  // namespace vestige
