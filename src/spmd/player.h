// Replays one thread of a form: every reference, in order, straight from the descriptors.
//
// A loop whose iterations are one piece each, with streams that go on regularly, is not interpreted
// iteration by iteration: its addresses are stepped in place, as many iterations as all of its
// streams promise. Memory: a reader for each stream, the call stack, one batch of references.
//
// Any form may be given: what makes no sense ends the replay with an error.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <unordered_map>

#include "spmd/form.h"
#include "spmd/literal_feed.h"
#include "vestige/cache_model.h"
#include "vestige/spmd.h"

namespace vestige::spmd {

class Player {
 public:
  // Batches of references, in order; false from it ends the replay.
  using Sink = std::function<bool(std::span<const Reference>)>;
  // The same, but regular loops as runs.
  using RunSink = std::function<bool(const ReferenceRun&)>;

  // The form must outlive it. `thread` is an index into Form::threads, and what references say.
  Player(const Form& form, uint32_t thread);
  // `most`: of pieces; more is an error.
  Result<void> run(const Sink& sink, uint64_t most = UINT64_MAX);
  Result<void> run(const RunSink& sink);
  // Instead of run: the next references in the place of what `out` holds; empty at the end.
  Result<void> read(std::vector<Reference>& out);
  // Instead of run: how much there is, of a form that does not say it. What never ends is an error.
  struct Count {
    uint64_t references = 0, pieces = 0, messages = 0;
  };
  Result<Count> count();
  // Instead of run: what the thread did to other ranks.
  Result<void> run_messages(const CommunicationSink& sink, uint64_t most = UINT64_MAX);
  // Instead of run: plays for a feed, as far as it wants and the form makes sense.
  void feed(LiteralFeed& feed);
  uint64_t references() const { return references_; }
  uint64_t messages() const { return messages_; }  // after count or run_messages

 private:
  static constexpr size_t kBatch = 512;  // stays in the first cache, with what the sink works on
  static constexpr uint64_t kShortestRun = 8;
  static constexpr uint64_t kMostCounted = uint64_t{1} << 50, kMostSteps = uint64_t{1} << 33;
  static constexpr size_t kDeepest = 1 << 26;

  struct Feed {  // of one access
    StreamReader *address = nullptr, *source = nullptr, *length = nullptr;
  };
  struct Local {  // a piece in a context
    const Piece* piece = nullptr;
    std::vector<Access> accesses;  // of the piece; of a lossy form without those that were dropped
    std::vector<Feed> feeds;       // one for each
    bool loops = false;  // it goes straight to its own beginning, and no reference is measured
  };
  struct Start {  // a segment in a context
    StreamReader* choice[2] = {nullptr, nullptr};
    std::unordered_map<uint64_t, Local> locals;
    uint64_t recent_number = UINT64_MAX;
    Local* recent = nullptr;
  };
  struct Context {
    uint64_t trips = 0;
    StreamReader* trips_reader = nullptr;
    std::unordered_map<uint32_t, Start> starts;
    uint32_t recent_start = kNone;
    Start* recent = nullptr;
  };
  struct Frame {
    uint64_t digest = 0;
    const FunctionForm* function = nullptr;
    size_t depth = 0;
    const Piece* call = nullptr;
    uint64_t activations = 0;
    bool at_root = false;  // it counts among the activations at the root
  };

  void begin(uint64_t most);
  Result<void> finish();
  bool give_run(const Local& local, uint64_t iterations);
  bool fail_with(const char* what);
  StreamReader* reader(uint32_t node, StreamKind kind, uint64_t place, uint8_t part = 0);
  uint64_t fact(uint8_t part);
  Start* start_of(uint32_t node, uint32_t segment);
  Local* local_of(Start& start, uint32_t node, uint32_t segment, uint64_t number);
  bool step();
  bool at_root();
  bool after_call();
  bool enter(const ContextKey& key, uint64_t index);
  bool enter_at_root(const ContextKey& key);
  bool enter_moved(const ContextKey& key);
  bool push_frame(uint64_t digest, bool at_root, size_t known_contexts);
  bool take_way(const Way& way);
  bool leave_loop();
  bool leave_frame();
  bool drop_all();
  bool play(const Local& local, uint32_t node);
  bool play_odd(uint32_t node, uint32_t segment);
  uint64_t play_loop(Start& start, const Local& local, uint32_t node, uint64_t iterations);
  void fill(const Local& local, uint64_t iterations);
  bool put(const Reference& reference);
  bool flush();
  bool tell_messages(uint32_t node, uint32_t segment);
  bool tell_message(uint32_t node, uint64_t place);
  void begin_messages();
  bool find_stray();

  const Form& form_;
  const ThreadForm& thread_;
  uint32_t thread_number_;
  Contexts contexts_;
  Position position_;
  std::unordered_map<uint32_t, Context> nodes_;
  std::map<StreamId, std::unique_ptr<StreamReader>> readers_;
  std::vector<Frame> frames_;
  uint32_t segment_ = 0;  // where the next piece begins, when there are frames
  uint64_t activations_ = 0, at_root_ = 0, pieces_ = 0, references_ = 0, limit_ = 0;
  bool over_ = false;
  bool lossy_ = false;  // references may be missing
  const Sink* sink_ = nullptr;
  const RunSink* run_sink_ = nullptr;
  bool begun_ = false, reading_ = false;
  uint64_t pieces_told_ = 0, references_told_ = 0;
  std::vector<Reference> batch_;
  size_t batched_ = 0;
  // The batch begins with this many iterations of it, addresses apart.
  const Local* laid_out_ = nullptr;
  uint64_t laid_out_count_ = 0;
  std::vector<uint64_t> addresses_, steps_;
  std::vector<Reference> body_;  // of a run
  std::vector<uint64_t> no_steps_;
  std::string error_;
  bool stopped_ = false;  // by the sink
  const CommunicationSink* message_sink_ = nullptr;
  LiteralFeed* feed_ = nullptr;
  uint64_t messages_ = 0, messages_told_ = 0;
  uint64_t strays_ = 0, next_stray_ = 0;  // how many are left, and the piece of the next one
};

}  // namespace vestige::spmd
