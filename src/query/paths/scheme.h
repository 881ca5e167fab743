// One way to find a pattern in a thread: the four schemes of the path-matching paper share this.
// They give the same answers; tests compare them with each other and with a plain search.
//
// An instance searches one thread once: either count(), or next() and skip() from the beginning.
#pragma once

#include <memory>
#include <vector>

#include "query/paths/pattern_program.h"
#include "trace/paths/whole_paths.h"

namespace vestige {

// Where a match ends.
struct Hit {
  uint64_t time = 0;
  uint32_t block = 0;
};

class Scheme {
 public:
  virtual ~Scheme() = default;
  // ErrorKind::unsupported: the pattern needs too much on the grammar; scheme 1 always works.
  virtual Result<uint64_t> count() = 0;
  // False at the end.
  virtual Result<bool> next(Hit& hit) = 0;
  // Leaves out the next `count` hits; gives how many there were.
  virtual Result<uint64_t> skip(uint64_t count);
};

struct SearchSpace {
  const Trace& trace;
  const WholePaths::Thread& whole;  // of the thread
  uint32_t thread;
  const PathPattern::Program& pattern;
};

std::unique_ptr<Scheme> make_unpacking_scheme(const SearchSpace& space);  // scheme1.cpp
std::unique_ptr<Scheme> make_grammar_scheme(const SearchSpace& space);    // scheme2.cpp
std::unique_ptr<Scheme> make_chunks_scheme(const SearchSpace& space);     // scheme3.cpp
std::unique_ptr<Scheme> make_index_scheme(const SearchSpace& space);      // scheme4.cpp

// The hits that end within one terminal, when the activation they are in is in this state.
void hits_in(const Trace& trace, const PathPattern::Program& pattern, const Terminal& terminal,
             uint32_t innermost, uint64_t time, std::vector<Hit>& hits);

}  // namespace vestige
