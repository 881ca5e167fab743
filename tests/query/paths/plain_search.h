// Path matching done the plain way: every activation's blocks and calls are written out, and every
// stretch of them is compared with the pattern. The twin of all four schemes.
#pragma once

#include <functional>
#include <vector>

#include "query/paths/scheme.h"

namespace vestige::plain {

// A block or a call that an activation made, and where in the trace.
struct Step {
  bool call = false;
  uint32_t what = 0;  // the block, or the function called
  uint64_t time = 0;
  uint32_t block = 0;  // position in the path
  uint64_t order = 0;  // in the whole trace
};
using Activation = std::vector<Step>;

// All activations of a function, from terminals in order. With `caller`: those that it called.
// `blocks` tells the blocks of a path.
std::vector<Activation> activations(const std::vector<Terminal>& stream, uint64_t first_time,
                                    uint32_t function, uint32_t caller,
                                    const std::function<std::vector<uint32_t>(uint32_t)>& blocks);

// Ends of stretches that are exactly these blocks, calls left out.
std::vector<Hit> find_literal(const std::vector<Activation>& all,
                              const std::vector<uint32_t>& path);
// Ends of stretches that this expression of the C++ library matches whole, a block b written as the
// letter 'a' + b and a call of function f as 'A' + f.
std::vector<Hit> find_regex(const std::vector<Activation>& all, const std::string& expression,
                            bool calls);

}  // namespace vestige::plain
