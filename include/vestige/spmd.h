// A trace's memory references as descriptors: loops of the program, with addresses that are affine
// functions of their iterations, and of the thread and rank. What is regular takes the same few
// bytes whatever the problem's size and the number of threads, and everything replays exactly
// (docs/spmd.md).
//
//     auto descriptors = vestige::Descriptors::fold(trace);     // of a full recording
//     descriptors->write("small.vst");
//     auto again = vestige::Descriptors::open("small.vst");
//     again->replay(0, [](std::span<const vestige::Reference> references) { …; return true; });
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vestige/trace.h"
#include "vestige/values.h"

namespace vestige {

struct DescriptorThread {
  uint32_t rank = 0;
  uint32_t number = 0;  // within its rank
  uint64_t references = 0;
  uint64_t unknown = 0;  // references without a known address: not among them
  std::string name() const { return std::to_string(rank) + "." + std::to_string(number); }
};

// A node of the tree of contexts: an activation of a function, or a loop in it.
struct ContextRow {
  uint32_t depth = 0;  // 1: an activation that was entered from outside of recorded code
  bool loop = false;
  std::string name;  // of the function
  uint32_t place =
      0;  // loop: its number in the function; otherwise the segment that calls, kNone: none
  uint64_t references = 0;  // statements in this context that refer to memory
};

// One stream of a context: what some threads have in common there.
struct DescriptorRow {
  uint32_t context = 0;           // index into contexts(); kNone: the root
  std::vector<uint32_t> threads;  // indices into threads()
  std::string kind;               // "address", "trips", "path", "call", …
  uint64_t statement = 0;         // address: #ID
  std::string file;
  uint32_t line = 0;
  uint64_t stretches = 0;                    // pieces that are affine
  uint64_t literals = 0, literal_bytes = 0;  // what is not
  std::string pattern;                       // "0x601040 + 8·i2 + 4096·t"
};

// How ranks reach each other while they merge. Users bring their own, or take MPI's
// (mpi_transport).
class Transport {
 public:
  virtual ~Transport() = default;
  virtual uint32_t rank() const = 0;
  virtual uint32_t size() const = 0;
  virtual Result<void> send(uint32_t to, std::span<const uint8_t> bytes) = 0;
  virtual Result<std::vector<uint8_t>> receive(uint32_t from) = 0;
};
// Joins the MPI run that this process was started in; its end leaves it. Fails in a build without
// MPI.
Result<std::unique_ptr<Transport>> mpi_transport();

// Immutable once made; replays on several threads are independent.
class Descriptors {
 public:
  using Sink = std::function<bool(std::span<const Reference>)>;

  // Folds every thread of a full recording. `progress` hears how many paths were read.
  static Result<Descriptors> fold(const Trace& trace,
                                  const std::function<void(uint64_t)>& progress = {});
  // Fails with ErrorKind::unsupported on a trace that holds something else.
  static Result<Descriptors> open(const std::string& file);
  // Whether a file holds descriptors. False when it cannot be read at all.
  static bool is_in(const std::string& file);
  // The threads of all of them. Ranks keep their numbers where those are all different; otherwise
  // they are numbered by what they did. Either way the order of the list does not matter. Empties
  // the list.
  static Result<Descriptors> merge(std::vector<Descriptors> ranks);
  // The same over processes, in ⌈log2 size⌉ rounds: each brings its own, with the places they would
  // have in the whole list, or the reason why it cannot. Rank 0 gets the result, others nothing.
  using Numbered = std::pair<uint32_t, Descriptors>;
  static Result<std::optional<Descriptors>> merge_over(Transport& transport,
                                                       Result<std::vector<Numbered>> own);

  Descriptors(Descriptors&&) noexcept;
  Descriptors& operator=(Descriptors&&) noexcept;
  ~Descriptors();

  Result<void> write(const std::string& file) const;

  const std::vector<DescriptorThread>& threads() const;
  uint32_t ranks() const;
  const TraceCounts& counts() const;  // of the traces they were made from
  uint64_t file_bytes() const;        // 0: not from a file
  std::vector<std::pair<std::string, uint64_t>> sections() const;  // of the file
  // A thread's references in order, in batches; false from the sink ends it.
  Result<void> replay(uint32_t thread, const Sink& sink) const;
  // "RANK.THREAD" or an index.
  Result<uint32_t> find_thread(const std::string& name) const;

  std::vector<ContextRow> contexts() const;
  std::vector<DescriptorRow> rows() const;

  // Replays everything and compares with what the file says of itself. Nothing: all is well.
  std::vector<std::string> check() const;

 private:
  struct State;
  explicit Descriptors(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace vestige
