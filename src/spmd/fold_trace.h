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
  // The trace must outlive it.
  static Result<std::unique_ptr<TraceFold>> open(const Trace& trace, const FoldOptions& options);
  // Path by path, in the plain way; the result is the same.
  void take_each() { means_.each = true; }
  // For finish_if_it_pays(): goes on with no thread that is irregular. At the beginning; `seen` are
  // those that are known to be, and how many paths showed it.
  using Irregular = std::map<uint32_t, uint64_t>;
  void stop_where_irregular(Irregular seen) {
    means_.stops = true;
    irregular_ = std::move(seen);
  }
  const Irregular& irregular() const { return irregular_; }  // as far as that was seen
  // Everything up to this path of a thread is in the trace: folds it that far. False: this thread
  // has to wait for the end.
  Result<bool> go_on_until(uint32_t thread, uint64_t time);
  uint64_t paths() const;  // that were folded so far
  // The trace is complete.
  Result<Form> finish();
  // Nothing: irregular threads have at least one in kFewPaths of the trace's paths. Folding them
  // takes many times what recording them took.
  Result<std::optional<Form>> finish_if_it_pays();

 private:
  static constexpr uint64_t kFewPaths = 32;
  // Of a thread's paths, so many are looked at before it is called irregular; and, before others
  // are folded to their ends, to find out whether it is.
  static constexpr uint64_t kLeastSeen = 512, kSample = 256, kLeastSample = 1 << 16;
  // Evaluations have memory of their own: others wait for the end.
  static constexpr size_t kMostBegun = 16;
  struct Begun {
    std::unique_ptr<ReferenceSource> source;
    std::unique_ptr<ThreadPass> pass;
  };
  TraceFold(const Trace& trace, const FoldOptions& options)
      : trace_(trace), options_(options), program_(trace), means_{.options = options_} {}
  Result<std::optional<Form>> fold_threads();
  Result<bool> is_irregular(uint32_t thread);
  Result<bool> begins_well(const std::vector<uint32_t>& threads);
  bool is_too_much(uint32_t thread);
  Result<bool> go_to_end(ThreadPass& pass, uint32_t thread, bool begun);
  Result<bool> fold_thread(ReferenceSource& source, uint32_t thread, Form& form);

  const Trace& trace_;
  const FoldOptions options_;
  ProgramPieces program_;
  std::optional<SyncMarkFolder> marks_;
  std::optional<PluginLibrary> library_;
  Means means_;
  std::map<uint32_t, Begun> begun_;
  Irregular irregular_;
  bool gives_up_ = false;  // where it does not pay
  uint64_t irregular_paths_ = 0, all_paths_ = 0;
};

Result<Form> fold_trace(const Trace& trace, const FoldOptions& options, bool each = false);

// What a thread of a full recording did to other ranks, in order.
Result<void> read_messages(const Trace& trace, uint32_t thread, const CommunicationSink& sink);

}  // namespace vestige::spmd
