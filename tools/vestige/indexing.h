// The index that a query needs, made on the way with a progress bar.
#pragma once

#include <memory>

#include "command_line.h"
#include "vestige/index.h"

namespace vestige::cli {

// Options whose progress is drawn on standard error while that is a terminal.
class Indexing {
 public:
  explicit Indexing(const Presentation& presentation);
  ~Indexing();
  const IndexOptions& options() const { return options_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  IndexOptions options_;
};

// To be called before a query that evaluates. Without an index queries are slow, not wrong.
void index_for_query(const Trace& trace, const Presentation& presentation);
// The same before a query that follows dependences.
void dependences_for_query(const Trace& trace, const Presentation& presentation);

}  // namespace vestige::cli
