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
#include <string_view>
#include <utility>
#include <vector>

#include "vestige/api.h"
#include "vestige/cache_model.h"
#include "vestige/sync_kind.h"
#include "vestige/trace.h"
#include "vestige/values.h"

VESTIGE_API_BEGIN
namespace vestige {

namespace spmd {
struct Form;
}

// What was given up of a thread's references.
struct LostReferences {
  uint64_t dropped = 0;    // noise; not among DescriptorThread::references
  uint64_t moved = 0;      // order: they are at another's place
  uint64_t rounded = 0;    // address
  uint64_t elsewhere = 0;  // by a plug-in
  bool operator==(const LostReferences&) const = default;
};

struct DescriptorThread {
  uint32_t rank = 0;
  uint32_t number = 0;  // within its rank
  uint64_t references = 0;
  uint64_t unknown = 0;  // references without a known address: not among them
  LostReferences lost;
  std::string name() const { return std::to_string(rank) + "." + std::to_string(number); }
};

// How some threads came to a context of depth 1.
struct Entrance {
  std::vector<uint32_t> threads;  // indices into threads()
  uint32_t from = kNone;          // a call in this context; kNone: they began there
};

// A node of the tree of contexts: an activation of a function, or a loop in it.
struct ContextRow {
  // 1: an activation that was entered from outside of recorded code, or that stands for those of
  // all threads which share the work: `entrances` says how each came there.
  uint32_t depth = 0;
  bool loop = false;
  std::string name;  // of the function
  // Of a loop: its number in the function; otherwise the segment that calls, kNone: none.
  uint32_t place = 0;
  uint64_t references = 0;  // statements in this context that refer to memory
  std::vector<Entrance> entrances;
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

// A statement that refers to memory.
struct DescriptorStatement {
  uint64_t id = 0;  // #ID
  std::string function, file;
  uint32_t line = 0;
  std::string variable;  // that its address comes from (address_variable)
};

// What may be given up for smaller files. Nothing unless it is asked for.
struct LossyOptions {
  // Drops references (of a statement in a context) that fewer than this many percent of threads
  // make. A thread that would have none left keeps them all.
  uint32_t noise = 0;
  uint32_t order = 0;  // irregular addresses of a statement change places within so many executions
  uint32_t address = 0;  // irregular addresses are rounded down to a multiple of this
  explicit operator bool() const { return noise != 0 || order != 0 || address != 0; }
};
// "noise:20", "order:64" or "address:64", added to what `options` has; otherwise a usage error.
Result<LossyOptions> parse_lossy(std::string_view text, LossyOptions options = {});

struct FoldOptions {
  std::function<void(uint64_t)> progress;  // hears how many paths were read
  LossyOptions lossy;
  // Of the on-line folding (vestige/section.h): periods of up to half as many stretches fold.
  size_t window = 32;
  // A shared library with a rule of its own for what folds (vestige/plugin.h); empty: none.
  std::string plugin;
  bool order = false;  // keeps in which order threads synchronized: replay_in_sync_order
};

// How large a run was. Threads are those of each rank.
struct Configuration {
  uint32_t ranks = 1, threads = 1;
  uint64_t size = 0;  // of the problem, whatever that is
  bool operator==(const Configuration&) const = default;
};

struct ExtrapolationReport {
  uint64_t numbers = 0;    // that were found to be functions of size, threads and ranks
  uint64_t unchecked = 0;  // of those: as few as could be were there to find the function from
  uint64_t bases = 0;      // regions whose place is made up
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

// What a rank did to others, at its place among the thread's references.
struct Communication {
  uint64_t place = 0;  // references before it
  SyncKind kind = SyncKind::mpi_send;
  uint32_t peer = 0;  // the other end's rank; of a collective operation with a root: that one
  uint32_t tag = 0;   // or an MpiFunction
  uint64_t bytes = 0;
  bool operator==(const Communication&) const = default;
};
// False ends it.
using CommunicationSink = std::function<bool(const Communication&)>;
// Of a full recording's thread, in order.
Result<void> read_communication(const Trace& trace, uint32_t thread, const CommunicationSink& sink);

// Immutable once made; replays on several threads are independent.
class Descriptors {
 public:
  using Sink = std::function<bool(std::span<const Reference>)>;

  // Folds every thread of a full recording.
  static Result<Descriptors> fold(const Trace& trace, const FoldOptions& options = {});
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

  // Gives up exactness as far as asked; notes() then say so, and how much of what.
  Result<void> make_lossy(const LossyOptions& options);
  // What a run of another configuration would do, from two or more that were recorded; `sizes` are
  // theirs. What does not follow from them is refused with ErrorKind::unsupported. Regions that lie
  // elsewhere from run to run get made-up places; threads are numbered in the order of their
  // shares.
  static Result<Descriptors> extrapolate(const std::vector<Descriptors>& from,
                                         const std::vector<uint64_t>& sizes,
                                         const Configuration& wanted,
                                         ExtrapolationReport* report = nullptr);

  Descriptors(Descriptors&&) noexcept;
  Descriptors& operator=(Descriptors&&) noexcept;
  ~Descriptors();

  void say_missing(std::string text);
  void say_merged(std::string how);
  Result<void> write(const std::string& file) const;

  const std::vector<DescriptorThread>& threads() const;
  uint32_t ranks() const;
  Configuration configuration() const;  // its size is not known: 0
  // What was done to it: "extrapolated" from what, "lossy" in which way, "merged" how when that is
  // out of the ordinary; what is "missing". Kept in the file.
  std::vector<std::pair<std::string, std::string>> notes() const;
  const TraceCounts& counts() const;  // of the traces they were made from
  uint64_t file_bytes() const;        // 0: not from a file
  std::vector<std::pair<std::string, uint64_t>> sections() const;  // of the file
  // A thread's references in order, in batches; false from the sink ends it.
  Result<void> replay(uint32_t thread, const Sink& sink) const;
  // The same, where loops that are regular come as runs: all their iterations at once.
  using RunSink = std::function<bool(const ReferenceRun&)>;
  Result<void> replay_runs(uint32_t thread, const RunSink& sink) const;
  // All threads at once (vestige/replay.h). Fails with ErrorKind::unsupported when the order was
  // not kept.
  Result<void> replay_in_sync_order(uint64_t turn,
                                    const std::function<bool(const Reference&)>& take) const;
  // The same of what a thread did to other ranks: what read_communication gives of the recording.
  Result<void> communication(uint32_t thread, const CommunicationSink& sink) const;
  // "RANK.THREAD" or an index.
  Result<uint32_t> find_thread(const std::string& name) const;

  std::vector<DescriptorStatement> statements() const;  // by rising #ID
  std::vector<ContextRow> contexts() const;
  std::vector<DescriptorRow> rows() const;

  // Replays everything and compares with what the file says of itself. Nothing: all is well.
  std::vector<std::string> check() const;

 private:
  friend class LiveFold;
  struct VESTIGE_LOCAL State;
  explicit Descriptors(std::unique_ptr<State> state);
  static Descriptors of(spmd::Form form, std::string file);
  std::unique_ptr<State> state_;
};

}  // namespace vestige
VESTIGE_API_END
