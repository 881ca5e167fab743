// Where threads synchronized, as streams of their forms: made while a trace is folded, read for
// replay in that order (query/replay/interleave.h). Places are numbers of references, counted
// within the thread.
//
// Memory: what the streams of all threads need (stream.h).
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "query/replay/interleave.h"
#include "spmd/form.h"
#include "vestige/sync.h"

namespace vestige::spmd {

class SyncMarkFolder {
 public:
  // The trace must outlive it.
  static Result<SyncMarkFolder> open(const Trace& trace);

  // A thread is folded from here on.
  Result<void> begin(uint32_t thread);
  // The first path that has a place for something, of those not passed; UINT64_MAX: there is none.
  uint64_t next_time() const {
    return std::min(started_.empty() ? UINT64_MAX : started_.back().time,
                    has_next_ ? cursor_->operation().time : UINT64_MAX);
  }
  // Its path of this time is done, with its own references and so many in all. An atomic
  // operation's reference has its place behind the operation.
  Result<void> passed(uint64_t time, std::span<const Reference> own, uint64_t references);
  // It is over; `place` is what it is in Form::threads.
  Result<void> end(uint64_t references, size_t place);
  // Adds the streams of all threads, before they are put in order.
  void finish(Form& form);

 private:
  struct Started {  // a thread by another
    uint64_t time = 0;
    uint32_t child = 0;
  };
  explicit SyncMarkFolder(const Trace& trace)
      : trace_(&trace), position_(std::make_unique<Position>(*contexts_)) {}

  const Trace* trace_;
  std::unique_ptr<Contexts> contexts_ = std::make_unique<Contexts>();
  std::unique_ptr<Position> position_;
  std::vector<StreamFolder> orders_, distances_;  // by thread
  std::vector<uint64_t> counts_;                  // of operations, by thread
  std::vector<bool> atomic_;                      // statements, by #ID
  std::map<uint32_t, size_t> places_;             // threads that were folded
  std::map<uint32_t, uint64_t> parent_places_;    // by thread
  uint32_t thread_ = 0;
  std::optional<SyncCursor> cursor_;
  bool has_next_ = false;
  uint64_t last_ = 0;
  std::vector<Started> started_;  // by the thread being folded; latest first
};

// Whether the threads of a form have marks.
bool has_sync_marks(const Form& form);
// A form's threads, ready to be interleaved. The form must outlive them.
std::vector<InterleavedThread> interleaved_threads(const Form& form);

}  // namespace vestige::spmd
