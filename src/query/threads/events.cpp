#include "query/threads/events.h"

#include <memory>
#include <optional>

#include "query/order/frees.h"
#include "query/threads/access_source.h"

namespace vestige::threads {

namespace {

// One thread's accesses, as far as they were not given yet.
class PendingAccesses {
 public:
  explicit PendingAccesses(uint32_t thread) : thread_(thread) {}

  // Those up to this time. `take`: time, that of an access of the path's own in the same segment,
  // and reference; false ends it.
  template <class Take>
  Result<bool> give(const Trace& trace, uint64_t until, const Take& take, EventCounts& counts) {
    if (over_) return true;
    if (!source_) {
      auto opened = open_accesses(trace, thread_);
      if (!opened) return std::unexpected(std::move(opened.error()));
      source_ = std::move(*opened);
      over_ = !source_;
      if (over_) return true;
    }
    while (true) {
      for (; at_ < piece_.size(); ++at_) {
        const TimedReference& next = piece_[at_];
        const uint64_t before = std::min(until, next.time);
        if (const auto given = give_library(before, next.time, take); !given || !*given)
          return given;
        if (next.time > until) return true;
        if (!is_sound(next.reference))
          ++counts.unknown;
        else if (!take(next.time, next.time, next.reference))
          return false;
      }
      at_ = 0;
      if (!at_end_) {
        if (auto read = source_->read(piece_); !read)
          return std::unexpected(std::move(read.error()));
        at_end_ = piece_.empty();
      }
      if (!piece_.empty()) continue;
      if (const auto given = give_library(until, UINT64_MAX, take); !given || !*given) return given;
      return until == UINT64_MAX ? close(counts) : Result<bool>(true);
    }
  }

 private:
  // Those up to this time, of calls that were made before the path of another one.
  template <class Take>
  Result<bool> give_library(uint64_t until, uint64_t path, const Take& take) {
    while (true) {
      const auto next = source_->peek_library(until);
      if (!next) return std::unexpected(next.error());
      if (*next == nullptr || (*next)->time >= path) return true;
      if (!take((*next)->time, (*next)->until, (*next)->reference)) return false;
      source_->next_library();
    }
  }
  Result<bool> close(EventCounts& counts) {
    counts.unknown += source_->unknown();
    source_.reset();
    piece_ = {};
    over_ = true;
    return true;
  }

  uint32_t thread_;
  bool over_ = false;
  std::unique_ptr<AccessSource> source_;
  std::vector<TimedReference> piece_;
  size_t at_ = 0;
  bool at_end_ = false;  // of the references
};

// The blocks that a thread gives back are those of its operations.
std::optional<Reference> freed_by(FreedBlocks& blocks, const SyncOperation& operation) {
  const auto block = blocks.of(operation);
  if (!block) return std::nullopt;
  const Reference reference{Reference::Kind::write, operation.thread, block->statement_id,
                            block->address, block->bytes};
  return is_sound(reference) ? std::optional(reference) : std::nullopt;
}

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
  if (auto known = need_accesses(trace); !known) return std::unexpected(known.error());
  auto operations = OperationReader::open(trace, options);
  if (!operations) return std::unexpected(std::move(operations.error()));
  std::vector<PendingAccesses> strands;
  for (uint32_t t = 0; t < trace.threads().size(); ++t) strands.emplace_back(t);
  EventCounts counts;
  const auto give = [&](uint32_t thread, uint64_t until) -> Result<bool> {
    if (trace.threads()[thread].handler) return true;
    const auto take = [&](uint64_t time, uint64_t, const Reference& reference) {
      return visitor.access(time, reference);
    };
    return strands[thread].give(trace, until, take, counts);
  };
  FreedBlocks blocks(trace);
  while (const Operation* operation = operations->next()) {
    if (operation->role == Operation::Role::joins) {
      const auto given = give(operation->other, UINT64_MAX);
      if (!given || !*given)
        return given ? Result<EventCounts>(counts) : std::unexpected(given.error());
    }
    const auto given = give(operation->thread, operation->time);
    if (!given || !*given)
      return given ? Result<EventCounts>(counts) : std::unexpected(given.error());
    if (const auto freed = freed_by(blocks, operation->sync))
      if (!visitor.frees(operation->time, *freed)) return counts;
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

Result<void> read_accesses(const Trace& trace,
                           const std::function<bool(uint64_t time, const Reference&)>& take) {
  if (auto known = need_accesses(trace); !known) return std::unexpected(known.error());
  EventCounts counts;
  const auto take_one = [&](uint64_t, uint64_t time, const Reference& reference) {
    return take(time, reference);
  };
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    if (trace.threads()[t].handler) continue;
    const auto given = PendingAccesses(t).give(trace, UINT64_MAX, take_one, counts);
    if (!given) return std::unexpected(given.error());
    if (!*given) return {};
  }
  auto order = SyncOrderCursor::open_with_memory(trace);
  if (!order) return std::unexpected(std::move(order.error()));
  FreedBlocks blocks(trace);
  while (order->next())
    if (const auto freed = freed_by(blocks, order->operation());
        freed && !take(order->operation().time, *freed))
      return {};
  if (order->error()) return std::unexpected(*order->error());
  return {};
}

}  // namespace vestige::threads
