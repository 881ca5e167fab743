#include "query/path_references.h"

#include <optional>

namespace vestige {

namespace {

class EvaluatedPaths final : public PathReferences, public EvaluationObserver {
 public:
  EvaluatedPaths(const Windows& windows, const ReferenceShapes& shapes, uint32_t thread)
      : windows_(windows), shapes_(shapes), thread_(thread) {}

  Result<bool> next() override {
    references_.clear();
    while (true) {
      if (evaluation_) {
        const auto paths = evaluation_->run(1);
        if (!paths) return std::unexpected(paths.error());
        if (*paths == 1) return true;
      }
      const auto opened = open_window();
      if (!opened || !*opened) return opened;
    }
  }
  const Path& path() const override { return evaluation_->evaluator().path(); }
  uint64_t time() const override { return evaluation_->evaluator().time(); }
  uint64_t go_round(uint64_t most) override { return evaluation_->go_round(most, steps_); }
  uint64_t unknown() const override { return unknown_; }

  void see(const Observation& row) override {
    unknown_ +=
        shapes_.each(row, thread_, [&](const Reference& made) { references_.push_back(made); });
  }

 private:
  Result<bool> open_window() {
    if (next_window_ == windows_.of(thread_).size()) return false;
    const size_t window = next_window_++;
    if (evaluation_) {
      if (auto gone = windows_.go_to(*evaluation_, window); !gone)
        return std::unexpected(std::move(gone.error()));
      return true;
    }
    auto evaluation = windows_.begin(thread_, window);
    if (!evaluation) return std::unexpected(std::move(evaluation.error()));
    evaluation_.emplace(std::move(*evaluation));
    evaluation_->evaluator().observe_only(*this, shapes_.statements().bits());
    return true;
  }

  const Windows& windows_;
  const ReferenceShapes& shapes_;
  const uint32_t thread_;
  size_t next_window_ = 0;
  std::optional<WindowEvaluation> evaluation_;
  uint64_t unknown_ = 0;
};

// Paths by a cursor of their own, references by what times they have.
class AccompaniedPaths final : public PathReferences {
 public:
  AccompaniedPaths(ReferenceSource& source, PathCursor cursor)
      : source_(source), unknown_before_(source.unknown()), cursor_(std::move(cursor)) {}

  Result<bool> next() override {
    references_.clear();
    if (!cursor_.next()) {
      if (cursor_.error()) return std::unexpected(*cursor_.error());
      return false;
    }
    while (true) {
      if (at_ == piece_.size()) {
        if (ended_) break;
        if (auto read = source_.read(piece_); !read) return std::unexpected(read.error());
        at_ = 0;
        ended_ = piece_.empty();
        if (ended_) break;
      }
      if (piece_[at_].time > cursor_.time()) break;
      references_.push_back(piece_[at_++].reference);
    }
    return true;
  }
  const Path& path() const override { return cursor_.path(); }
  uint64_t time() const override { return cursor_.time(); }
  uint64_t go_round(uint64_t) override { return 0; }
  uint64_t unknown() const override { return source_.unknown() - unknown_before_; }

 private:
  ReferenceSource& source_;
  const uint64_t unknown_before_;
  PathCursor cursor_;
  std::vector<TimedReference> piece_;
  size_t at_ = 0;
  bool ended_ = false;
};

}  // namespace

Result<std::unique_ptr<PathReferences>> PathReferences::open(const Trace& trace,
                                                             ReferenceSource& source,
                                                             uint32_t thread, bool each) {
  if (!each && source.shapes().statements().prompt())
    return std::make_unique<EvaluatedPaths>(source.windows(), source.shapes(), thread);
  if (auto begun = source.seek(thread, 0); !begun) return std::unexpected(begun.error());
  auto cursor = trace.walk(thread);
  if (!cursor) return std::unexpected(cursor.error());
  return std::make_unique<AccompaniedPaths>(source, std::move(*cursor));
}

}  // namespace vestige
