// Expands a grammar, terminal by terminal, in blocks.
#pragma once

#include <vector>

#include "trace/paths/path_grammar.h"

namespace vestige {

class Unpacker {
 public:
  explicit Unpacker(const PathGrammar& grammar) : grammar_(grammar) {
    frames_.push_back({grammar.begin(grammar.start()), grammar.ends[grammar.start()], 0});
  }
  // The next terminals, in the place of what `out` holds; empty at the end.
  void read(std::vector<uint32_t>& out);

 private:
  static constexpr size_t kBlock = size_t{1} << 16;
  struct Frame {
    uint32_t place, end;
    uint64_t repetition;
  };
  const PathGrammar& grammar_;
  std::vector<Frame> frames_;
};

}  // namespace vestige
