#include "query/threads/events.h"

namespace vestige::threads {

namespace {

// One thread's accesses, as far as they were not given yet.
class Strand {
 public:
  explicit Strand(uint32_t thread) : thread_(thread) {}

  // Those up to this time.
  Result<bool> give(const Trace& trace, uint64_t until, EventVisitor& visitor,
                    EventCounts& counts) {
    if (over_) return true;
    if (!source_) {
      auto opened = ReferenceSource::open(trace);
      if (!opened) return std::unexpected(std::move(opened.error()));
      source_.emplace(std::move(*opened));
      if (source_->windows().of(thread_).empty()) return close(counts);
      if (auto sought = source_->seek(thread_, 0); !sought)
        return std::unexpected(std::move(sought.error()));
    }
    while (true) {
      for (; at_ < piece_.size(); ++at_) {
        const TimedReference& next = piece_[at_];
        if (next.time > until) return true;
        if (!is_sound(next.reference))
          ++counts.unknown;
        else if (!visitor.access(next.time, next.reference))
          return false;
      }
      at_ = 0;
      if (auto read = source_->read(piece_); !read) return std::unexpected(std::move(read.error()));
      if (piece_.empty()) return close(counts);
    }
  }

 private:
  bool close(EventCounts& counts) {
    counts.unknown += source_->unknown();
    source_.reset();
    piece_ = {};
    over_ = true;
    return true;
  }

  uint32_t thread_;
  bool over_ = false;
  std::optional<ReferenceSource> source_;
  std::vector<TimedReference> piece_;
  size_t at_ = 0;
};

}  // namespace

std::vector<bool> atomic_statements(const Trace& trace) {
  std::vector<bool> bits;
  for (const Function& function : trace.functions()) {
    bits.resize(
        std::max<size_t>(bits.size(), function.first_statement + function.statements.size()));
    for (size_t s = 0; s < function.statements.size(); ++s) {
      const Statement& statement = function.statements[s];
      const bool plain = statement.op == Op::load || statement.op == Op::store;
      bits[function.first_statement + s] =
          statement.op == Op::cmpxchg || statement.op == Op::atomic_rmw ||
          (plain && statement.attributes.size() > 3 && statement.attributes[3] != 0);
    }
  }
  return bits;
}

Result<EventCounts> read_events(const Trace& trace, const OperationOptions& options,
                                EventVisitor& visitor) {
  // Says that there are no values, before anything is read.
  if (const auto windows = Windows::open(trace); !windows) return std::unexpected(windows.error());
  auto operations = OperationReader::open(trace, options);
  if (!operations) return std::unexpected(std::move(operations.error()));
  std::vector<Strand> strands;
  for (uint32_t t = 0; t < trace.threads().size(); ++t) strands.emplace_back(t);
  EventCounts counts;
  const auto give = [&](uint32_t thread, uint64_t until) -> Result<bool> {
    if (trace.threads()[thread].handler) return true;
    return strands[thread].give(trace, until, visitor, counts);
  };
  while (const Operation* operation = operations->next()) {
    if (operation->role == Operation::Role::joins) {
      const auto given = give(operation->other, UINT64_MAX);
      if (!given || !*given)
        return given ? Result<EventCounts>(counts) : std::unexpected(given.error());
    }
    const auto given = give(operation->thread, operation->time);
    if (!given || !*given)
      return given ? Result<EventCounts>(counts) : std::unexpected(given.error());
    if (!visitor.operation(*operation)) return counts;
  }
  if (operations->error()) return std::unexpected(*operations->error());
  for (uint32_t t = 0; t < strands.size(); ++t) {
    const auto given = give(t, UINT64_MAX);
    if (!given || !*given)
      return given ? Result<EventCounts>(counts) : std::unexpected(given.error());
  }
  return counts;
}

Result<void> read_accesses(const Trace& trace, const std::function<bool(const Reference&)>& take) {
  auto source = ReferenceSource::open(trace);
  if (!source) return std::unexpected(std::move(source.error()));
  std::vector<TimedReference> piece;
  for (const uint32_t t : source->threads()) {
    if (trace.threads()[t].handler) continue;
    if (auto sought = source->seek(t, 0); !sought) return sought;
    while (true) {
      if (auto read = source->read(piece); !read) return read;
      if (piece.empty()) break;
      for (const TimedReference& timed : piece)
        if (is_sound(timed.reference) && !take(timed.reference)) return {};
    }
  }
  return {};
}

}  // namespace vestige::threads
