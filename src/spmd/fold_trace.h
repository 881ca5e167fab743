// All threads of a full recording as one form.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "spmd/form.h"
#include "spmd/merge_forms.h"
#include "spmd/stream_plugin.h"
#include "spmd/thread_pass.h"
#include "vestige/spmd.h"

namespace vestige::spmd {

// Thread by thread; some of it while the trace still grows.
class TraceFold {
 public:
  // The trace must outlive it. `each`: path by path, in the plain way; the result is the same.
  static Result<std::unique_ptr<TraceFold>> open(const Trace& trace, const FoldOptions& options,
                                                 bool each = false);
  // Everything up to this path of a thread is in the trace: folds it that far. False: this thread
  // has to wait for the end.
  Result<bool> go_on_until(uint32_t thread, uint64_t time);
  uint64_t paths() const;  // that were folded so far
  // The trace is complete.
  Result<Form> finish();

 private:
  // Evaluations have memory of their own: others wait for the end.
  static constexpr size_t kMostBegun = 16;
  struct Begun {
    std::unique_ptr<ReferenceSource> source;
    std::unique_ptr<ThreadPass> pass;
  };
  TraceFold(const Trace& trace, const FoldOptions& options)
      : trace_(trace), options_(options), program_(trace), means_{.options = options_} {}
  Result<void> fold_thread(ReferenceSource& source, uint32_t thread, Form& form);

  const Trace& trace_;
  const FoldOptions options_;
  ProgramPieces program_;
  std::optional<SyncMarkFolder> marks_;
  std::optional<PluginLibrary> library_;
  Means means_;
  std::map<uint32_t, Begun> begun_;
};

Result<Form> fold_trace(const Trace& trace, const FoldOptions& options, bool each = false);

// What a thread of a full recording did to other ranks, in order.
Result<void> read_messages(const Trace& trace, uint32_t thread, const CommunicationSink& sink);

}  // namespace vestige::spmd
