#include "path_indexing.h"

#include "progress.h"

namespace vestige::cli {

namespace {

// Runs `work` with options whose progress is drawn on standard error while that is a terminal.
template <class Work>
auto with_progress(const Presentation& presentation, const Work& work) {
  Progress progress(presentation.quiet, presentation.color);
  PathIndexOptions options;
  options.progress = [&](uint64_t done, uint64_t total) { progress.count(done, total, "paths"); };
  return work(options);
}

}  // namespace

Result<PathSearch> open_path_search(const Trace& trace, const Presentation& presentation) {
  return with_progress(presentation, [&](const PathIndexOptions& options) {
    return PathSearch::open(trace, options);
  });
}

Result<PathIndexReport> make_path_index(const Trace& trace, const Presentation& presentation,
                                        uint64_t chunk_bytes) {
  return with_progress(presentation, [&](PathIndexOptions options) {
    if (chunk_bytes != 0) options.chunk_bytes = chunk_bytes;
    return build_path_index(trace, options);
  });
}

}  // namespace vestige::cli
