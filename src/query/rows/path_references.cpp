#include "query/rows/path_references.h"

#include <array>
#include <optional>

namespace vestige {

namespace {

class EvaluatedPaths final : public PathReferences, public EvaluationObserver {
 public:
  EvaluatedPaths(const Windows& windows, const ReferenceShapes& shapes, uint32_t thread)
      : windows_(windows), shapes_(shapes), thread_(thread), entries_(kEntries) {
    log_.next = entries_.data();
    log_.end = log_.next + kEntries;
    log_.values = false;
  }

  Result<void> go_on_until(uint64_t time) override {
    until_ = time;
    return evaluation_ ? evaluation_->go_on_until(time) : Result<void>();
  }
  Result<bool> next() override {
    seen_.clear();
    one_by_one_ = false;
    while (true) {
      if (evaluation_) {
        const auto paths = evaluation_->run(1);
        if (!paths) return std::unexpected(paths.error());
        if (*paths == 1) {
          collect();
          return true;
        }
      }
      const auto opened = open_window();
      if (!opened || !*opened) return opened;
    }
  }
  const Path& path() const override { return evaluation_->evaluator().path(); }
  uint64_t time() const override { return evaluation_->evaluator().time(); }
  using EvaluationObserver::go_round;  // nothing is shown of those, and this one asks for them
  uint64_t go_round(uint64_t most) override { return evaluation_->go_round(most, steps_); }
  uint64_t go_over_nest(uint64_t most) override {
    if (!evaluation_->find_nest(most, nest_)) return 0;
    runs_.resize(nest_.runs.size());
    for (size_t r = 0; r < runs_.size(); ++r) {
      const Path& path = *nest_.runs[r].path;
      const NestCode::Lines& lines = nest_.found.runs[r];
      const Recent& recent = recent_[path.id % recent_.size()];
      if (recent.path != path.id || recent.references.size() != lines.addresses.size()) return 0;
      Run& run = runs_[r];
      run.path = &path;
      run.times = nest_.runs[r].counts.rounds;
      run.times_step = nest_.runs[r].counts.step;
      run.references = recent.references;
      for (size_t i = 0; i < run.references.size(); ++i)
        run.references[i].address = lines.addresses[i];
      run.inner = lines.inner;
      run.outer = lines.outer;
    }
    evaluation_->evaluator().go_over(nest_);
    return nest_.rounds;
  }
  uint64_t find_rows(uint64_t most) override { return evaluation_->find_rows(most); }
  void begin_row_proof() override { evaluation_->evaluator().begin_row_proof(); }
  bool end_row_proof() override { return evaluation_->evaluator().end_row_proof(); }
  uint64_t go_over_rows(uint64_t most, uint64_t multiple) override {
    return evaluation_->go_over_rows(most, multiple);
  }
  void give_up_rows() override { evaluation_->evaluator().give_up_rows(); }
  uint64_t unknown() const override { return unknown_; }
  uint64_t problems() const override {
    return evaluation_ ? evaluation_->evaluator().problems().count() : 0;
  }

  void see(const Observation& row) override {
    drain();
    unknown_ += shapes_.each(row, thread_, [&](const Reference& made) { seen_.push_back(made); });
  }
  AccessLog* access_log() override { return &log_; }
  void drain() override {
    one_by_one_ = true;
    add_logged(seen_);
  }

 private:
  static constexpr size_t kEntries = 1 << 12;
  // What a path made that came lately, by the low bits of its number.
  struct Recent {
    uint32_t path = kNone;
    std::vector<Reference> references;
  };

  void add_logged(std::vector<Reference>& to) {
    Observation row{.has_address = true};
    for (const AccessLog::Entry* entry = entries_.data(); entry != log_.next; ++entry) {
      row.function = entry->function;
      row.statement = entry->statement;
      row.address = entry->address;
      shapes_.each(row, thread_, [&](const Reference& made) { to.push_back(made); });
    }
    log_.next = entries_.data();
  }
  // Behind a path.
  void collect() {
    alike_ = false;
    if (one_by_one_) {
      add_logged(seen_);
      made_ = seen_;
      return;
    }
    Recent& recent = recent_[path().id % recent_.size()];
    alike_ = recent.path == path().id && move_to_logged(recent.references);
    if (!alike_) {
      recent.path = path().id;
      recent.references.clear();
      add_logged(recent.references);
    }
    log_.next = entries_.data();
    made_ = recent.references;
  }
  // Whether these are the references of the log, once they have its addresses.
  bool move_to_logged(std::vector<Reference>& references) const {
    const AccessLog::Entry* entry = entries_.data();
    if (references.size() != static_cast<size_t>(log_.next - entry)) return false;
    for (Reference& reference : references) {
      if (reference.statement_id != shapes_.id(entry->function, entry->statement)) return false;
      reference.address = (entry++)->address;
    }
    return true;
  }
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
    if (until_)
      if (auto begun = evaluation_->go_on_until(*until_); !begun)
        return std::unexpected(begun.error());
    return true;
  }

  const Windows& windows_;
  const ReferenceShapes& shapes_;
  const uint32_t thread_;
  size_t next_window_ = 0;
  std::optional<uint64_t> until_;  // of a trace that grows
  std::optional<WindowEvaluation> evaluation_;
  uint64_t unknown_ = 0;
  Evaluator::Nest nest_;
  std::vector<AccessLog::Entry> entries_;
  AccessLog log_;
  std::array<Recent, 256> recent_;
  bool one_by_one_ = false;      // not all of this path's references are in the log
  std::vector<Reference> seen_;  // then: those before what is in the log
};

// Paths by a cursor of their own, references by what times they have.
class AccompaniedPaths final : public PathReferences {
 public:
  AccompaniedPaths(ReferenceSource& source, PathCursor cursor)
      : source_(source), unknown_before_(source.unknown()), cursor_(std::move(cursor)) {}

  Result<void> go_on_until(uint64_t) override {
    return fail(ErrorKind::unsupported, "references beside their paths cannot be followed");
  }
  Result<bool> next() override {
    references_.clear();
    made_ = {};
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
    made_ = references_;
    return true;
  }
  const Path& path() const override { return cursor_.path(); }
  uint64_t time() const override { return cursor_.time(); }
  uint64_t go_round(uint64_t) override { return 0; }
  uint64_t go_over_nest(uint64_t) override { return 0; }
  uint64_t unknown() const override { return source_.unknown() - unknown_before_; }
  uint64_t problems() const override { return 0; }

 private:
  ReferenceSource& source_;
  const uint64_t unknown_before_;
  PathCursor cursor_;
  std::vector<Reference> references_;
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
