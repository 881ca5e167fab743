// One thread's way from its paths to a folder, in one pass, which may stop and go on as its trace
// grows.
//
// What a thread's folding costs is its references that are taken path by path; those of rounds that
// are taken at once cost next to nothing. A thread is irregular when more than one in kRegular of
// its references so far were taken path by path. Of the programs in bench/spmd, dense kernels have
// one in 300 to one in 100,000, irregular codes one in 6 to all of them. Looked at when kFirstLook
// were taken path by path, and whenever that has grown by a quarter.
#pragma once

#include <memory>

#include "query/rows/path_references.h"
#include "spmd/message_feed.h"
#include "spmd/sync_marks.h"
#include "spmd/thread_folder.h"
#include "vestige/spmd.h"

namespace vestige::spmd {

// What folding is done with.
struct Means {
  const FoldOptions& options;
  SyncMarkFolder* marks = nullptr;
  const vestige_plugin* plugin = nullptr;
  bool each = false;   // no rounds at once
  bool stops = false;  // where a thread is irregular, at first
  bool lossy = false;  // the plug-in let something fold that is not exact
};

class ThreadPass {
 public:
  // All but the number must outlive it.
  static Result<std::unique_ptr<ThreadPass>> open(ProgramPieces& program, ReferenceSource& source,
                                                  uint32_t thread, Means& means);
  ThreadPass(const ThreadPass&) = delete;

  // To the thread's end.
  Result<void> run();
  // Of a trace that grows: to the path of this time, up to which everything is there. Then run()
  // comes at last, behind go_on_until(UINT64_MAX).
  Result<void> go_on_until(uint64_t time);
  // Adds the thread to the form. After run().
  Result<void> finish(Form& form);

  // With Means::stops: run() stopped, and does so again, because the thread is irregular; until it
  // is told to go on to this path at least, before it looks again.
  bool is_irregular() const { return irregular_; }
  void go_on_to(uint64_t paths) {
    irregular_ = false;
    least_ = paths;
  }
  // run() stops behind so many paths, and goes on from there the next time.
  void stop_behind(uint64_t paths) { last_ = paths; }

  uint64_t paths() const { return read_; }
  // The recording contradicts itself, or not all of it was there in time.
  bool is_doubtful() const { return paths_->problems() != 0; }

 private:
  ThreadPass(ProgramPieces& program, uint32_t thread, Means& means,
             std::unique_ptr<PathReferences> paths, MessageFeed messages)
      : program_(program),
        thread_(thread),
        means_(means),
        paths_(std::move(paths)),
        messages_(std::move(messages)),
        folder_(program, means.options.window, means.plugin, means.lossy) {}
  Result<void> tell_messages();
  Result<void> go_over_rounds();
  void watch_rows(uint64_t most);
  bool stops();
  Result<void> take_rounds(uint64_t rounds);

  ProgramPieces& program_;
  const uint32_t thread_;
  Means& means_;
  std::unique_ptr<PathReferences> paths_;
  MessageFeed messages_;
  ThreadFolder folder_;
  uint64_t made_ = 0;              // references
  uint64_t read_ = 0, shown_ = 0;  // paths
  static constexpr uint64_t kRegular = 32, kFirstLook = 1 << 16;
  uint64_t singly_ = 0, next_look_ = kFirstLook;  // references that were taken path by path
  uint64_t least_ = 0, last_ = UINT64_MAX;        // paths
  bool irregular_ = false;
  // Rows that are looked at: paths in each (0: none are), where the next one ends, how many there
  // were, references when the last one ended.
  static constexpr uint64_t kRowWait = 8, kMostDoubled = 9;
  uint64_t row_failures_ = 0, row_wait_ = 0;  // rows in vain, one after the other; paths
  uint64_t row_paths_ = 0, row_end_ = 0, rows_ = 0, row_made_ = 0;
};

}  // namespace vestige::spmd
