// A trace's memory references as descriptors, in memory: one form, of any number of threads and
// ranks. What the format's bytes decode to, what merging works on, what replay reads.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "spmd/pieces.h"
#include "spmd/position.h"
#include "spmd/stream.h"
#include "vestige/trace.h"

namespace vestige::spmd {

// What a stream of a context tells. On disk: append, never renumber.
enum class StreamKind : uint8_t {
  trips = 0,   // of a loop, each time it is entered; coordinates of the context around it
  choice = 1,  // the piece that begins at segment `place`: 2 × its number, +1 when its references
               // are odd; part 1: in the last iteration of the loop
  call = 2,    // what the call of segment `place` leads to first (Decision)
  // What next, once an activation came back; at the root: the thread's activations.
  after_call = 3,
  address = 4,  // of statement `place`; part 1: of what memcpy reads
  length = 5,   // of statement `place`, when it is measured
  // References of a piece that are not those its statements let expect, listed one by one.
  odd_count = 6,
  odd_statement = 7,
  odd_kind = 8,
  odd_address = 9,
  odd_bytes = 10,
  fragment = 11,  // at the root: the segment where a piece begins that continues nothing
  // At the root, once: references; part 1: pieces that ran; part 2: references without a known
  // address, which were left out; parts 3 to 9, of a lossy form: kFact…
  facts = 12,
  // What the call of segment `place` does to other ranks: how many operations each execution is;
  // part 1: an operation's SyncKind, part 2: the rank at the other end, part 3: tag, part 4: bytes.
  // The parts of the n-th operation of an execution have place + 2^32 × n. At the root: operations
  // of calls that do not look like MPI's; part 0: how many pieces since the one before; part 5,
  // once: how many operations.
  message = 13,
  // At the root, when it was asked for: of each synchronization operation how many references came
  // since the one before; part 1: by how much its place in the order of all operations is higher;
  // part 2, once: 1 + who started the thread (its number in the rank), 0: nobody; part 3, once:
  // that one's references by then; part 4, once: how many operations.
  sync = 15,
};
inline constexpr uint8_t kStreamKinds = 16;

// Facts of a thread of a lossy form (lossy.h): each mode's measure, and how many references it
// changed.
inline constexpr uint8_t kFactNoise = 3, kFactDropped = 4, kFactOrder = 5, kFactMoved = 6,
                         kFactAddress = 7, kFactRounded = 8;
inline constexpr uint8_t kFactElsewhere = 9;  // by a plug-in
// Operations of the kind `message`, when there are any.
inline constexpr uint8_t kFactMessages = 10;
inline constexpr uint8_t kLastFact = kFactMessages;

// The places of what an operation of a call is.
inline constexpr uint64_t message_place(uint64_t segment, uint64_t number) {
  constexpr uint64_t kApart = 255;  // the rest of a long list is one stream
  return segment | (number < kApart ? number : kApart) << 32;
}

// What follows a call: the low two bits say what, the rest is a number.
struct Decision {
  enum Kind : uint8_t {
    resume = 0,  // it comes back: number is the way
    enter = 1,   // an activation of the function with this digest; + kAtRoot or kMovedToRoot: one
                 // whose context is that of a thread which begins with this function
    cut = 2,   // 256 × activations that end + the way by which the next one goes on; at the root: a
               // fragment of the function with this digest
    drop = 3,  // all activations end; at the root: the thread ends
  };
  // Digests have 48 bits. What was moved (aligned_contexts.h) does not count among the activations
  // at the root, and has index 0.
  static constexpr uint64_t kAtRoot = uint64_t{1} << 48, kMovedToRoot = uint64_t{1} << 49;
  static constexpr uint64_t kDigest = kAtRoot - 1;
  static uint64_t make(Kind kind, uint64_t number) { return number << 2 | kind; }
  static Kind kind(uint64_t value) { return static_cast<Kind>(value & 3); }
  static uint64_t number(uint64_t value) { return value >> 2; }
};

struct StreamId {
  uint32_t node = 0;
  StreamKind kind = StreamKind::trips;
  uint64_t place = 0;
  uint8_t part = 0;
  auto operator<=>(const StreamId&) const = default;
};

struct StatementFacts {
  uint64_t statement = 0;  // #ID
  std::string file;
  uint32_t line = 0;
  std::string variable;  // that its address comes from; empty: none is known
  auto operator<=>(const StatementFacts&) const = default;
};

// What is kept of a function: its name, where its statements are, and the pieces that ran.
struct FunctionForm {
  std::string name;
  std::map<uint64_t, StatementFacts> statements;          // those with references
  std::map<std::pair<uint32_t, uint64_t>, Piece> pieces;  // by start and number
  std::map<uint32_t, std::vector<uint32_t>> fragments;    // where one begins: the loops around it
};

struct ThreadForm {
  uint32_t rank = 0;
  uint32_t number = 0;   // within its rank
  uint64_t unknown = 0;  // references without a known address; while it is made
  std::map<StreamId, Stream> streams;

  // Its contexts get other numbers: nodes[old].
  void renumber(const std::vector<uint32_t>& nodes) {
    std::map<StreamId, Stream> moved;
    for (auto& [id, stream] : streams) {
      StreamId there = id;
      there.node = nodes[id.node];
      moved.emplace(there, std::move(stream));
    }
    streams = std::move(moved);
  }
};

struct Form {
  std::map<uint64_t, FunctionForm> functions;  // by digest
  Contexts contexts;
  std::vector<ThreadForm> threads;  // by rank and number
  TraceCounts counts;
  uint32_t ranks = 1;
  std::set<std::string> missing;  // what was not recorded, in words; in the file's meta data
};

}  // namespace vestige::spmd
