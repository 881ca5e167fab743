#include "indexing.h"

#include "progress.h"
#include "vestige/dependences.h"

namespace vestige::cli {

struct Indexing::State {
  Progress progress;
};

Indexing::Indexing(const Presentation& presentation)
    : state_(new State{Progress(presentation.quiet, presentation.color)}) {
  options_.progress = [state = state_.get()](uint64_t done, uint64_t total) {
    state->progress.count(done, total, "paths");
  };
}
Indexing::~Indexing() = default;

void index_for_query(const Trace& trace, const Presentation& presentation) {
  const Indexing indexing(presentation);
  ensure_index(trace, indexing.options());
}

void dependences_for_query(const Trace& trace, const Presentation& presentation) {
  index_for_query(trace, presentation);
  const Indexing indexing(presentation);
  ensure_dependences(trace, indexing.options());
}

}  // namespace vestige::cli
