// Folds one thread's paths and references into streams, in one pass.
//
// Memory: the contexts, and for each of them what its streams need (stream.h); the call stack.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>

#include "query/rows/path_references.h"
#include "spmd/form.h"
#include "vestige/sync.h"

namespace vestige::spmd {

// The functions of a trace as pieces, made when they are first needed.
class ProgramPieces {
 public:
  explicit ProgramPieces(const Trace& trace)
      : trace_(trace), functions_(trace.functions().size()) {}
  // Fails when two functions cannot be told apart by their digests.
  Result<const FunctionPieces*> of(uint32_t function);
  const Trace& trace() const { return trace_; }

 private:
  const Trace& trace_;
  std::vector<std::unique_ptr<FunctionPieces>> functions_;
  std::unordered_map<uint64_t, uint32_t> digests_;
};

class ThreadFolder {
 public:
  // `plugin` may be null; `lossy` hears when it made something inexact.
  ThreadFolder(ProgramPieces& program, size_t window, const vestige_plugin* plugin, bool& lossy)
      : program_(program), position_(contexts_), window_(window), plugin_(plugin), lossy_(lossy) {}

  // The next path of the thread and the references it makes. `alike`: when it was last taken it
  // made the same, but for addresses.
  Result<void> take(const Path& path, std::span<const Reference> references, bool alike = false);
  // The last path, which made these references, so many times more, each reference moved by its
  // step each time. False: nothing was done, they must be taken one by one.
  bool take_rounds(const Path& path, std::span<const Reference> references,
                   std::span<const uint64_t> steps, uint64_t rounds);
  // So many rounds of several paths, each with these runs (thread_folder_nest.cpp).
  Result<void> take_nest(std::span<const PathReferences::Run> runs, uint64_t rounds);
  // Rows of paths, each of which ended with the last path (thread_folder_rows.cpp). One ends, after
  // begin_rows() or the one before. Of those that follow, if their numbers move on as in the last
  // ones, any multiple of this can be added at once; 0: none can.
  void begin_rows();
  uint64_t end_row();
  void add_rows(uint64_t rows);
  // What that path's last call did to other ranks, in order.
  void communicate(const SyncOperation& operation) { messages_.push_back(operation); }
  // Adds what the paths so far come to; synchronization outside of recorded code is not among it.
  void count(TraceCounts& counts) const;
  // The thread is over: adds it to the form.
  void finish(ThreadForm thread, Form& form);

 private:
  struct Context;
  // What a part needs in one context.
  struct Local {
    Context* context = nullptr;
    struct Folders {
      StreamFolder *address = nullptr, *source = nullptr, *length = nullptr;
    };
    std::vector<Folders> accesses;
    StreamFolder* choice[2] = {nullptr, nullptr};
    std::vector<uint64_t> numbers;  // that this part ended with
  };
  // From the last segment of a path to the first of the next one in the same activation.
  struct Onwards {
    uint32_t to = kNone;
    bool known = false;   // there is such an edge, and it is a border
    bool again = false;   // it leads to the next iteration, and nowhere else
    uint64_t number = 0;  // what it adds to that of the piece
    Way way;
  };
  // A path as pieces, all complete but the last: how that one goes on, the next path tells.
  struct Part {
    uint32_t start = 0, last = 0;  // segments
    uint64_t number = 0;           // of the last one: without what its end adds
    Way way;
    bool ends_by_call = false, ends_activation = false, calls_mpi = false;  // the last segment
    std::vector<Access> accesses;
    mutable std::vector<Onwards> onwards;  // of the last one: as far as it was met
    // The context it was last in, and what it needs there.
    mutable uint32_t node = kNone;
    mutable Local* local = nullptr;
  };
  struct Plan {
    const FunctionPieces* function = nullptr;
    std::vector<Part> parts;
    const Path* path = nullptr;
    uint64_t times = 0;    // that it ran
    bool regular = false;  // the last time: nothing was odd
  };
  struct Context {
    std::unordered_map<const Part*, Local> locals;
    StreamFolder* trips = nullptr;
    struct Pending {
      const Part* part;
      Local* local;
      uint64_t value;
      bool operator==(const Pending&) const = default;
    };
    std::vector<Pending> pending;  // choices of this iteration: is it the last?
  };
  struct Frame {
    const FunctionPieces* function = nullptr;
    size_t depth = 0;          // of the position, at the activation itself
    uint32_t call = kNone;     // the segment of the call it waits for
    uint64_t activations = 0;  // that this execution of the call led to
    bool openmp = false;       // that is OpenMP's run time; or what it called ended by calling that
    bool at_root = false;      // its context is a child of the root
  };
  struct Open {
    const Part* part = nullptr;
    Local* local = nullptr;
    bool odd = false;
    bool operator==(const Open&) const = default;
  };

  // What was put into a stream, and where: the indices of its node and of the one around that.
  struct Note {
    StreamFolder* folder = nullptr;
    uint32_t node = 0;
    uint64_t value = 0, step = 0, count = 0, index = 0, around = 0;
    uint64_t epoch = 0;    // of the one around
    uint64_t changes = 0;  // of the stream, behind it
  };
  // All of a round, and the coordinates at its end.
  struct Round {
    std::vector<Note> notes;
    bool complete = false;
    uint32_t node = 0;
    std::vector<uint64_t> coordinates;
  };
  bool goes_on(const Round& before, const Round& round) const;
  void skip(const Round& before, const Round& round, uint64_t rounds);
  static void keep_early(const Round& before, const Round& round, uint64_t rounds);
  Result<void> take_round(Round& round);

  // What there was when a row ended, all but the streams, and what was added since the row before.
  struct RowEnd {
    uint32_t node = kNone;
    uint64_t index = 0, epoch = 0;  // of the node
    size_t frames = 0, depth = 0, streams = 0, plans = 0;
    uint64_t activations = 0, strays = 0, messages = 0;
    Open open;
    std::vector<Context::Pending> pending;
    bool goes_on_to(const RowEnd& next) const;
    uint64_t references = 0, pieces = 0;
    std::vector<std::pair<Plan*, uint64_t>> times;
  };
  RowEnd row_end();
  // Of a stream. What is folded may be like it was a row before, or two rows: of those there are
  // two kinds, that end with every other one.
  struct RowMarks {
    StreamFolder::RowMark one, two[2];
    uint64_t rows = 0;  // that can be added; 0: none
  };

  Result<Plan*> plan_of(const Path& path);
  StreamFolder& stream(uint32_t node, StreamKind kind, uint64_t place, uint8_t part = 0);
  Context& context(uint32_t node);
  Local& local_of(const Part& part);
  const Onwards& onwards(const FunctionPieces& function, const Part& part, uint32_t to) const;
  void put(StreamFolder& folder, uint64_t value, uint32_t node) {
    folder.append(value, position_, node);
    if (noting_) note(folder, value, 0, 1, node);
  }
  void note(StreamFolder& folder, uint64_t value, uint64_t step, uint64_t count, uint32_t node);
  void append_all(StreamFolder& folder, uint64_t value, uint64_t step, uint64_t rounds);
  void add_number(const FunctionPieces& function, const Part& part, Local& local, uint64_t number);
  static bool is_regular(const Part& part, bool last, std::span<const Reference> references);
  void take_regular(const Local& local, std::span<const Reference>& references);
  void take_odd(const Part& part, std::span<const Reference>& references);
  void choose(const Part& part, Local& local, uint64_t number, bool odd);
  StreamFolder& first_choice(const Part& part, Local& local);
  void flush(uint32_t node, uint8_t last);
  void take_way(const Way& way);
  void enter_loop(uint32_t loop);
  void leave_loop();
  void leave_frame();
  void drop_all();
  void tell_messages();
  Result<void> close(const Path* next);
  Result<void> decide(const Path* next);
  Result<void> begin_at_root(const Path* next);
  bool goes_to_root(const Frame& caller, const FunctionPieces& function) const;
  void enter(const FunctionPieces& function, uint32_t call, uint64_t index);
  void enter_at_root(const FunctionPieces& function, const ContextKey& key);

  ProgramPieces& program_;
  Contexts contexts_;
  Position position_;
  const size_t window_;
  const vestige_plugin* const plugin_;
  bool& lossy_;
  std::map<StreamId, std::unique_ptr<StreamFolder>> streams_;
  std::deque<Context> nodes_;
  std::vector<Frame> frames_;
  std::vector<const FunctionPieces*> at_root_;  // of the frames that are children of the root
  Open open_;
  uint64_t activations_ = 0;  // at the root
  uint64_t references_ = 0, pieces_ = 0;
  std::vector<SyncOperation> messages_;  // since the last path
  uint64_t messages_told_ = 0, strays_ = 0, last_stray_ = 0;
  std::unordered_map<uint32_t, std::unique_ptr<Plan>> plans_;
  // Plans met lately, by the low bits of their paths.
  struct Recent {
    uint32_t path = kNone;
    Plan* plan = nullptr;
  };
  std::array<Recent, 256> recent_;
  Round* noting_ = nullptr;
  Round rounds_[2];
  std::vector<PathReferences::Run> runs_;  // of the next round
  RowEnd row_ends_[2];                     // the last one, and the one before it
  std::vector<RowMarks> row_marks_;        // by stream
  uint64_t row_number_ = 0, rows_alike_ = 0;
  // Which pieces ran: for the form.
  std::map<const FunctionPieces*, std::map<uint32_t, std::vector<uint64_t>>> used_;
  std::map<const FunctionPieces*, std::map<uint32_t, std::vector<uint32_t>>> fragments_;
};

}  // namespace vestige::spmd
