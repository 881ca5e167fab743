// A function cut into pieces: acyclic ways through its segments that cross no border of a loop.
//
// A piece begins at a segment and goes along the control flow until an edge that enters a loop,
// leaves one or goes back to its header, an edge where recorded paths are cut, a call, or the end
// of the activation. So a loop's body is the same pieces whether the loop runs once or a thousand
// times, and however its paths were recorded. Pieces with one beginning are numbered like
// Ball–Larus paths, by the shape of the code alone: the number of a piece says which way it takes.
//
//     count(s) = 1 (it stops here)
//              + 1                                  when s ends in a call, or ends the activation
//              + sum over edges e of s of (1 when e is a border, otherwise count(target))
//
// Does not change once it is made: any thread may ask.
#pragma once

#include <cstdint>
#include <vector>

#include "vestige/program.h"
#include "vestige/values.h"

namespace vestige::spmd {

// From the end of a piece to the beginning of the next in the same activation.
struct Way {
  uint32_t up = 0;             // loops left
  bool again = false;          // then: the next iteration of the loop that is innermost
  std::vector<uint32_t> into;  // then: loops entered, outermost first (Function::loops)
  uint32_t segment = 0;        // where the next piece begins
  bool operator==(const Way&) const = default;
};

// A memory reference of a piece.
struct Access {
  uint64_t statement = 0;  // #ID
  Reference::Kind kind = Reference::Kind::read;
  uint32_t bytes = 0;     // 0: not known, or measured
  bool measured = false;  // memcpy, memmove, memset: the run tells how many bytes
  bool moves = false;     // memcpy, memmove: reads its source first
  bool operator==(const Access&) const = default;
};

struct Piece {
  enum class End : uint8_t {
    stop = 0,   // nothing is known of what follows in this activation
    go = 1,     // ways[0]
    call = 2,   // of segment `segment`; it may come back by one of the ways
    leave = 3,  // the activation ends
  };
  uint32_t start = 0;
  uint64_t number = 0;
  End end = End::stop;
  uint32_t segment = 0;  // the last one
  std::vector<Way> ways;
  std::vector<Access> accesses;
  bool operator==(const Piece&) const = default;
};

class FunctionPieces {
 public:
  // The function must outlive it.
  explicit FunctionPieces(const Function& function);

  const Function& function() const { return function_; }
  // What identifies the function among all traces of its program: 48 bits of its name and shape.
  uint64_t digest() const { return digest_; }
  // The loops around a block, outermost first.
  std::vector<uint32_t> loops_around(uint32_t block) const;
  bool is_border(uint32_t segment, uint32_t edge) const;
  Way way(uint32_t segment, uint32_t edge) const;
  // The edge of a segment that leads to another; kNone: there is none.
  uint32_t edge_to(uint32_t segment, uint32_t target) const;

  // What a choice at a segment adds to a piece's number: an edge this, a call or the activation's
  // end 1, stopping nothing.
  uint64_t number_of_edge(uint32_t segment, uint32_t edge) const;
  bool ends_by_call(uint32_t segment) const;
  bool ends_activation(uint32_t segment) const;
  // Ends by a call of OpenMP's run time, which calls back what is to run in parallel.
  bool calls_openmp(uint32_t segment) const { return openmp_calls_[segment]; }
  // Ends by a call of one of MPI's functions.
  bool calls_mpi(uint32_t segment) const { return mpi_calls_[segment]; }

  Piece piece(uint32_t start, uint64_t number) const;
  // References of one segment, in order.
  const std::vector<Access>& accesses(uint32_t segment) const { return accesses_[segment]; }

 private:
  void count_from(uint32_t segment, std::vector<bool>& begun);
  void find_accesses();
  const Function& function_;
  uint64_t digest_ = 0;
  std::vector<std::vector<uint8_t>> borders_;  // by segment and edge
  std::vector<uint64_t> counts_;               // 0: not known yet
  std::vector<std::vector<Access>> accesses_;
  std::vector<bool> mpi_calls_, openmp_calls_;  // by segment
};

}  // namespace vestige::spmd
