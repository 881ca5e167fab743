#include "spmd/fold_trace.h"

#include <charconv>
#include <optional>
#include <set>

#include "query/ranks.h"
#include "query/reference_source.h"
#include "spmd/form_bytes.h"
#include "spmd/thread_folder.h"

namespace vestige::spmd {

namespace {

constexpr uint64_t kProgressPaths = 1 << 16;

// Which rank of a parallel run this was, when the recorder knew.
std::optional<uint32_t> recorded_rank(const Trace& trace) {
  const std::string text = trace.meta("rank").value_or("");
  uint32_t rank = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, rank);
  if (text.empty() || failure != std::errc() || stop != end || rank >= kMostRanks)
    return std::nullopt;
  return rank;
}

// References of a thread, path by path.
class ReferenceFeed {
 public:
  explicit ReferenceFeed(ReferenceSource& source) : source_(source) {}
  // Those of the path with this time; times rise.
  Result<std::span<const Reference>> of(uint64_t time) {
    taken_.clear();
    while (true) {
      if (at_ == piece_.size()) {
        if (ended_) break;
        if (auto read = source_.read(piece_); !read) return std::unexpected(read.error());
        at_ = 0;
        ended_ = piece_.empty();
        if (ended_) break;
      }
      if (piece_[at_].time > time) break;
      taken_.push_back(piece_[at_++].reference);
    }
    return std::span<const Reference>(taken_);
  }
  // Whether all were given.
  bool ended() const { return ended_ || at_ == piece_.size(); }

 private:
  ReferenceSource& source_;
  std::vector<TimedReference> piece_;
  std::vector<Reference> taken_;
  size_t at_ = 0;
  bool ended_ = false;
};

Result<void> fold_thread(ReferenceSource& source, ProgramPieces& program, uint32_t thread,
                         const std::function<void(uint64_t)>& progress, Form& form) {
  const Trace& trace = program.trace();
  const uint64_t unknown = source.unknown();
  if (auto begun = source.seek(thread, 0); !begun) return std::unexpected(begun.error());
  auto cursor = trace.walk(thread);
  if (!cursor) return std::unexpected(cursor.error());
  ReferenceFeed feed(source);
  ThreadFolder folder(program);
  uint64_t paths = 0;
  while (cursor->next()) {
    const auto references = feed.of(cursor->time());
    if (!references) return std::unexpected(references.error());
    if (auto taken = folder.take(cursor->path(), *references); !taken) return taken;
    if (progress && ++paths % kProgressPaths == 0) progress(kProgressPaths);
  }
  if (cursor->error()) return std::unexpected(*cursor->error());
  ThreadForm done;
  const Ranks ranks(trace);
  done.rank = ranks.of(thread);
  for (uint32_t t = 0; t < thread; ++t) done.number += ranks.of(t) == done.rank;
  if (trace.processes().size() == 1) done.rank = recorded_rank(trace).value_or(done.rank);
  done.unknown = source.unknown() - unknown;
  folder.finish(std::move(done), form);
  return {};
}

}  // namespace

Result<Form> fold_trace(const Trace& trace, const std::function<void(uint64_t)>& progress) {
  auto source = ReferenceSource::open(trace);
  if (!source) return std::unexpected(source.error());
  const auto counts = trace.counts();
  if (!counts) return std::unexpected(counts.error());
  Form form;
  form.counts = *counts;
  ProgramPieces program(trace);
  for (const uint32_t thread : source->threads())
    if (auto done = fold_thread(*source, program, thread, progress, form); !done)
      return std::unexpected(done.error());
  if (trace.meta("ranks")) {
    std::set<uint32_t> ranks;
    for (const ThreadForm& thread : form.threads) ranks.insert(thread.rank);
    form.ranks = static_cast<uint32_t>(ranks.size());
  }
  put_in_order(form);
  return form;
}

}  // namespace vestige::spmd
