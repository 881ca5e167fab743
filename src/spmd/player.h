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

namespace vestige::spmd {

class Player {
 public:
  // Batches of references, in order; false from it ends the replay.
  using Sink = std::function<bool(std::span<const Reference>)>;

  // The form must outlive it. `thread` is an index into Form::threads, and what references say.
  Player(const Form& form, uint32_t thread);
  // `most`: of pieces; more is an error.
  Result<void> run(const Sink& sink, uint64_t most = UINT64_MAX);
  uint64_t references() const { return references_; }

 private:
  static constexpr size_t kBatch = 2048;
  static constexpr size_t kDeepest = 1 << 26;

  struct Feed {  // of one access
    StreamReader *address = nullptr, *source = nullptr, *length = nullptr;
  };
  struct Local {  // a piece in a context
    const Piece* piece = nullptr;
    std::vector<Feed> feeds;
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
  };

  bool fail_with(const char* what);
  StreamReader* reader(uint32_t node, StreamKind kind, uint64_t place, uint8_t part = 0);
  uint64_t fact(uint8_t part);
  Start* start_of(uint32_t node, uint32_t segment);
  Local* local_of(Start& start, uint32_t node, uint32_t segment, uint64_t number);
  bool step();
  bool at_root();
  bool after_call();
  bool enter(ContextKey::Kind kind, uint32_t place, uint64_t digest, uint64_t index);
  bool take_way(const Way& way);
  bool leave_loop();
  bool leave_frame();
  bool drop_all();
  bool play(const Local& local, uint32_t node);
  bool play_odd(uint32_t node, uint32_t segment);
  uint64_t play_loop(Start& start, const Local& local, uint32_t node, uint64_t iterations);
  bool put(const Reference& reference);
  bool flush();

  const Form& form_;
  const ThreadForm& thread_;
  uint32_t thread_number_;
  Contexts contexts_;
  Position position_;
  std::unordered_map<uint32_t, Context> nodes_;
  std::map<StreamId, std::unique_ptr<StreamReader>> readers_;
  std::vector<Frame> frames_;
  uint32_t segment_ = 0;  // where the next piece begins, when there are frames
  uint64_t activations_ = 0, pieces_ = 0, references_ = 0, limit_ = 0;
  bool over_ = false;
  const Sink* sink_ = nullptr;
  std::vector<Reference> batch_;
  size_t batched_ = 0;
  std::vector<uint64_t> addresses_, steps_;
  std::string error_;
  bool stopped_ = false;  // by the sink
};

}  // namespace vestige::spmd
