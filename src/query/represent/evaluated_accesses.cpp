#include <span>

#include "query/represent/kept_references.h"
#include "query/rows/transfer_source.h"
#include "query/threads/access_source.h"
#include "query/threads/events.h"
#include "vestige/represent.h"

namespace vestige::threads {

namespace {

// What library functions did in one thread, in the order in which it is given.
class LibraryAccesses {
 public:
  LibraryAccesses(const Trace& trace, const Windows& windows, uint32_t thread)
      : trace_(trace), source_(trace, windows), thread_(thread) {
    source_.begin(thread);
  }

  using Entry = AccessSource::LibraryEntry;
  Result<const Entry*> peek(uint64_t until) {
    while (at_ == entries_.size()) {
      // A call is known when it is back: behind the next path's beginning.
      const auto read = source_.read(seen_, until == UINT64_MAX ? until : until + 1);
      if (!read) return std::unexpected(read.error());
      entries_.clear();
      at_ = 0;
      if (!*read) return nullptr;
      add_seen();
    }
    return entries_[at_].until <= until ? &entries_[at_] : nullptr;
  }
  void next() { ++at_; }
  uint64_t unknown() const { return unknown_; }

 private:
  void add_seen() {
    for (size_t first = 0, end = 0; first < seen_.size(); first = end) {
      while (end < seen_.size() && seen_[end].time == seen_[first].time) ++end;
      const std::span calls = std::span(seen_).subspan(first, end - first);
      for (const Transfer& seen : calls)
        if (seen.kind == LibraryRange::Kind::copy || seen.kind == LibraryRange::Kind::read) {
          const bool at_once = seen.time == seen.call_time + 1;
          add(seen, Reference::Kind::read, seen.has_from, seen.from,
              at_once ? seen.call_time : seen.time);
        }
      for (const Transfer& seen : calls)
        if (seen.kind != LibraryRange::Kind::read)
          add(seen, Reference::Kind::write, seen.has_to, seen.to, seen.time);
    }
  }
  void add(const Transfer& seen, Reference::Kind kind, bool known, uint64_t address,
           uint64_t until) {
    const uint64_t id =
        uint64_t{trace_.functions()[seen.function].first_statement} + seen.statement;
    const Reference reference{kind, thread_, id, address, seen.has_length ? seen.length : 0};
    if (!known || !is_sound(reference))
      ++unknown_;
    else
      entries_.push_back({seen.call_time, until, reference});
  }

  const Trace& trace_;
  TransferSource source_;
  const uint32_t thread_;
  std::vector<Transfer> seen_;
  std::vector<Entry> entries_;
  size_t at_ = 0;
  uint64_t unknown_ = 0;
};

class EvaluatedAccesses final : public AccessSource {
 public:
  EvaluatedAccesses(const Trace& trace, uint32_t thread, ReferenceSource source)
      : source_(std::move(source)), library_(trace, source_.windows(), thread) {}

  Result<void> begin(uint32_t thread) { return source_.seek(thread, 0); }
  Result<void> read(std::vector<TimedReference>& out) override { return source_.read(out); }
  Result<const LibraryEntry*> peek_library(uint64_t until) override { return library_.peek(until); }
  void next_library() override { library_.next(); }
  uint64_t unknown() const override { return source_.unknown() + library_.unknown(); }

 private:
  ReferenceSource source_;
  LibraryAccesses library_;
};

}  // namespace

Result<std::unique_ptr<AccessSource>> open_accesses(const Trace& trace, uint32_t thread) {
  if (representation_of(trace)) return open_kept_references(trace, thread);
  auto source = ReferenceSource::open(trace);
  if (!source) return std::unexpected(std::move(source.error()));
  if (source->windows().of(thread).empty()) return nullptr;
  auto accesses = std::make_unique<EvaluatedAccesses>(trace, thread, std::move(*source));
  if (auto begun = accesses->begin(thread); !begun) return std::unexpected(begun.error());
  return accesses;
}

Result<void> need_accesses(const Trace& trace) {
  if (representation_of(trace)) return need_kept_references(trace);
  if (const auto windows = Windows::open(trace); !windows) return std::unexpected(windows.error());
  return {};
}

}  // namespace vestige::threads
