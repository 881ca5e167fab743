#include "prepare.h"

#include "progress.h"
#include "vestige/values.h"

namespace vestige::cli {

void prepare_index(const Trace& trace, const Presentation& presentation) {
  Progress progress(presentation.quiet, presentation.color);
  IndexOptions options;
  options.progress = [&](uint64_t done, uint64_t total) { progress.count(done, total, "paths"); };
  (void)prepare_values(trace, options);
}

}  // namespace vestige::cli
